#include <catch2/catch.hpp>

#include "base/platform/sha256.h"
#include "eventstore/codec/codec.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

constexpr const char* kMembers = "/api/v1/members";

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn olga = sign_in(service, project.id, Role::kOwner, "olga");

  HttpAnswer add(const std::string& email, const std::string& role) const {
    return send_as(service, olga, "POST", kMembers,
                   R"({"email":")" + email + R"(","role":")" + role + R"("})");
  }
  HttpAnswer send(const std::string& method, const std::string& user, const std::string& body = "") const {
    std::string path = kMembers;
    path += '/' + user;
    return send_as(service, olga, method, path, body);
  }
  // Returns the user whom the invitation signs in, or nullopt.
  std::optional<domain::UserId> use(const std::string& url) {
    constexpr std::string_view kStart = "http://localhost:8090/#/convite/";
    REQUIRE(url.starts_with(kStart));
    return service.accounts().use_invitation(sha256(url.substr(kStart.size())),
                                             {.id = parsed<domain::SignInId>("csignin00invited"),
                                              .token_hash = sha256("us_invited"),
                                              .address = "127.0.0.1",
                                              .user_agent = "tests"},
                                             service.clock().now());
  }
  std::string last_actor() {
    const auto events =
        service.log().read_stream(domain::team_stream(project.id), 0, eventstore::kNoLimit).events;
    return eventstore::decode(events.back()).actor;
  }
};

}  // namespace

TEST_CASE("an owner adds a member, whose invitation signs them in") {
  Shop shop;
  const auto added = shop.add("Rui@example.com", "operator");
  REQUIRE(added.status == 201);
  CHECK(added.at("/data/email") == "Rui@example.com");
  CHECK(added.at("/data/role") == "operator");
  CHECK(added.at("/data/expiresAt") ==
        to_iso8601(shop.service.clock().now().plus_millis(stores::kInvitationMs)));
  CHECK(shop.last_actor() == "user-" + shop.olga.user.text());
  const auto pending = send_as(shop.service, shop.olga, "GET", kMembers);
  CHECK(pending.at("/data/0/email") == "olga@example.com");
  CHECK(pending.at("/data/0/role") == "owner");
  CHECK(pending.at("/data/0/invitationPending") == "false");
  CHECK(pending.at("/data/1/userId") == added.at("/data/userId"));
  CHECK(pending.at("/data/1/invitationPending") == "true");
  CHECK(pending.at("/data/1/lastSignInAt") == "null");
  CHECK(shop.use(added.at("/data/url")).value().text() == added.at("/data/userId"));
  CHECK(send_as(shop.service, shop.olga, "GET", kMembers).at("/data/1/invitationPending") == "false");
}

TEST_CASE("adding an existing member sends no invitation, and changes no role") {
  Shop shop;
  const auto added = shop.add("rui@example.com", "operator");
  const auto again = shop.add("RUI@example.com", "operator");
  CHECK(again.status == 201);
  CHECK(again.at("/data/userId") == added.at("/data/userId"));
  CHECK(again.at("/data/role") == "operator");
  CHECK(again.at("/data/url") == "null");
  const auto refused = shop.add("rui@example.com", "viewer");
  CHECK(refused.status == 400);
  CHECK(refused.at("/details/0/field") == "email");
  CHECK(shop.use(added.at("/data/url")));
}

TEST_CASE("roles are changed and members removed, except the last owner's; others are not found") {
  Shop shop;
  const auto rui = shop.add("rui@example.com", "operator").at("/data/userId");
  CHECK(shop.send("PATCH", rui, R"({"role":"viewer"})").at("/data/role") == "viewer");
  CHECK(shop.send("PATCH", rui, R"({"role":"king"})").at("/details/0/field") == "role");
  const auto& olga = shop.olga.user.text();
  CHECK(shop.send("PATCH", olga, R"({"role":"viewer"})").at("/code") == "ERR_MEMBER_002");
  CHECK(shop.send("DELETE", olga).at("/code") == "ERR_MEMBER_002");
  CHECK(shop.send("DELETE", rui).at("/data/userId") == rui);
  for (const auto& answer :
       {shop.send("DELETE", rui), shop.send("PATCH", rui, R"({"role":"viewer"})"),
        send_as(shop.service, shop.olga, "POST", "/api/v1/members/" + rui + "/invite")}) {
    CHECK(answer.status == 404);
    CHECK(answer.at("/code") == "ERR_MEMBER_001");
  }
}

TEST_CASE("a user who leaves their last project loses their account, and may be invited again") {
  Shop shop;
  const auto email = parsed<EmailAddress>("rui@example.com");
  const auto rui = shop.add("rui@example.com", "operator").at("/data/userId");
  REQUIRE(shop.service.accounts().find_user(email));
  shop.send("DELETE", rui);
  CHECK_FALSE(shop.service.accounts().find_user(email));
  const auto again = shop.add("rui@example.com", "operator");
  CHECK(again.status == 201);
  CHECK(again.at("/data/userId") != rui);
}

TEST_CASE("inviting a member again voids their old credentials") {
  Shop shop;
  const auto rui = sign_in(shop.service, shop.project.id, Role::kOperator, "rui");
  const auto invited = shop.send("POST", rui.user.text() + "/invite");
  REQUIRE(invited.status == 201);
  CHECK(shop.last_actor() == "user-" + shop.olga.user.text());
  CHECK(send_as(shop.service, rui, "GET", "/api/v1/store").status == 200);
  CHECK(shop.use(invited.at("/data/url")).value() == rui.user);
  CHECK(send_as(shop.service, rui, "GET", "/api/v1/store").at("/code") == "ERR_AUTH_011");
}

TEST_CASE("a member whose account was lost cannot be invited, but removed and added again") {
  Shop shop;
  const auto rui = shop.add("rui@example.com", "operator").at("/data/userId");
  shop.service.accounts().remove_user(parsed<domain::UserId>(rui), shop.service.clock().now());
  const auto before = shop.service.log().head().position;
  const auto refused = shop.send("POST", rui + "/invite");
  CHECK(refused.status == 400);
  CHECK(refused.at("/details/0/field") == "id");
  CHECK(shop.service.log().head().position == before);
  CHECK(shop.send("DELETE", rui).status == 200);
  CHECK(shop.use(shop.add("rui@example.com", "operator").at("/data/url")));
}

TEST_CASE("a user of another project can neither be added nor invited again") {
  Shop shop;
  const auto other = shop.service.create_project();
  sign_in(shop.service, other.id, Role::kOwner, "ida");
  const auto refused = shop.add("ida@example.com", "viewer");
  CHECK(refused.status == 400);
  CHECK(refused.at("/details/0/field") == "email");
  CHECK(send_as(shop.service, shop.olga, "GET", kMembers).body.find("ida@") == std::string::npos);
  const auto both = sign_in(shop.service, shop.project.id, Role::kOperator, "rui");
  shop.service.execute(domain::AddMember{other.id, both.user, Role::kViewer});
  CHECK(shop.send("POST", both.user.text() + "/invite").at("/code") == "ERR_AUTH_012");
  CHECK(shop.send("DELETE", both.user.text()).status == 200);
  CHECK(shop.service.accounts().find_user(parsed<EmailAddress>("rui@example.com")));
}

TEST_CASE("the team is full with a hundred members, and a refused member gets no account") {
  Shop shop;
  std::vector<domain::Command> commands;
  for (unsigned number = 2; number <= domain::kMembersMax; ++number)
    commands.push_back(domain::AddMember{
        shop.project.id, parsed<domain::UserId>("cmember000" + std::to_string(number)), Role::kViewer});
  shop.service.execute_all(std::move(commands));
  const auto refused = shop.add("late@example.com", "viewer");
  CHECK(refused.status == 400);
  CHECK(refused.at("/details/0/field") == "email");
  CHECK_FALSE(shop.service.accounts().find_user(parsed<EmailAddress>("late@example.com")));
}
