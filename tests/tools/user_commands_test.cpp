#include <catch2/catch.hpp>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "stores/databases/account_database.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::string_view kInvitationStart = "http://localhost:8090/#/convite/";

struct World {
  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");

  std::vector<std::string> invitation(const std::string& name, const std::string& role,
                                      const std::string& of = "") const {
    return {"user",   "invite", "--project", of.empty() ? project : of, "--email", name + "@example.com",
            "--role", role,     "--json"};
  }
  std::string invite(const std::string& name, const std::string& role, const std::string& of = "") const {
    return pixledger.done(invitation(name, role, of));
  }
  std::string invite_anew(const std::string& name, const std::string& role, const std::string& of) const {
    auto arguments = invitation(name, role, of);
    arguments.emplace_back("--reset");
    return pixledger.done(arguments);
  }
  std::string list() const { return pixledger.done({"user", "list", "--json"}); }
  std::unique_ptr<stores::AccountRepository> accounts() const {
    return stores::open_accounts(DataDirectory{pixledger.data()});
  }
  // Signs in as the server does. Returns nullopt if the invitation is invalid.
  std::optional<domain::UserId> use(const std::string& url, const std::string& sign_in) const {
    REQUIRE(url.starts_with(kInvitationStart));
    return accounts()->use_invitation(sha256(url.substr(kInvitationStart.size())),
                                      {.id = parsed<domain::SignInId>(sign_in),
                                       .token_hash = sha256("us_" + sign_in),
                                       .address = "127.0.0.1",
                                       .user_agent = "tests"},
                                      SystemClock().now());
  }
  void add_passkey(const domain::UserId& user, const std::string& sign_in) const {
    const auto now = SystemClock().now();
    const stores::Passkey passkey{.credential = "passkey of " + user.text(),
                                  .name = "phone",
                                  .public_key = "none that is used",
                                  .algorithm = -7,
                                  .created_at = now};
    accounts()->add_passkey({user, parsed<domain::SignInId>(sign_in)}, passkey,
                            sha256("challenge of " + user.text()), now.plus_millis(60'000), now);
  }
};

}  // namespace

TEST_CASE("an invitation makes a member and lets them in, once") {
  const World world;
  const auto invited = world.invite("Ana", "owner");
  const auto pending = world.list();
  CHECK(json_at(pending, "/0/userId") == json_at(invited, "/userId"));
  CHECK(json_at(pending, "/0/projectId") == world.project);
  CHECK(json_at(pending, "/0/email") == "Ana@example.com");
  CHECK(json_at(pending, "/0/role") == "owner");
  CHECK(json_at(pending, "/0/invitationPending") == "true");
  CHECK(json_at(pending, "/0/lastSignInAt") == "null");

  const auto url = json_at(invited, "/url");
  CHECK(world.use(url, "csignin01").value().text() == json_at(invited, "/userId"));
  CHECK_FALSE(world.use(url, "csignin02"));
  CHECK(json_at(world.list(), "/0/invitationPending") == "false");
}

TEST_CASE(
    "a user invited again keeps their account, gets the given role, and only the newest link is valid") {
  const World world;
  const auto first = world.invite("ana", "owner");
  world.invite("rui", "owner");
  const auto told = world.pixledger.run(world.invitation("ANA", "viewer"));
  CHECK(told.code == 0);
  CHECK(told.err.find("was a member already, as owner, and is viewer from now on") != std::string::npos);
  const auto& again = told.out;
  CHECK(json_at(again, "/userId") == json_at(first, "/userId"));
  CHECK(json_at(world.list(), "/0/role") == "viewer");
  CHECK_FALSE(world.use(json_at(first, "/url"), "csignin01"));
  CHECK(world.use(json_at(again, "/url"), "csignin02"));
}

TEST_CASE("a user who can sign in gets a link only to reset their credentials") {
  const World world;
  const auto invited = world.invite("ana", "owner");
  const auto user = world.use(json_at(invited, "/url"), "csignin01").value();
  world.add_passkey(user, "csignin01");
  CHECK(json_at(world.list(), "/0/hasPasskey") == "true");
  CHECK(json_at(world.invite("ana", "owner"), "/url") == "null");

  const auto url = json_at(world.invite_anew("ana", "owner", world.project), "/url");
  CHECK(json_at(world.list(), "/0/hasPasskey") == "true");
  CHECK(world.use(url, "csignin02").value() == user);
  CHECK(json_at(world.list(), "/0/hasPasskey") == "false");
  CHECK(world.pixledger.done({"history", "--id", user.text()}).find("invited to sign in anew") !=
        std::string::npos);
}

TEST_CASE("a user who can sign in for one project must reset their credentials to join another") {
  const World world;
  const auto other = json_at(world.pixledger.create_project("Outra"), "/projectId");
  const auto invited = world.invite("ana", "owner");
  const auto user = world.use(json_at(invited, "/url"), "csignin01").value();
  world.add_passkey(user, "csignin01");
  const auto refused = world.pixledger.run(world.invitation("ana", "owner", other));
  CHECK(refused.code == 1);
  CHECK(refused.err.find("--reset") != std::string::npos);
  CHECK(world.list().find(other) == std::string::npos);

  const auto url = json_at(world.invite_anew("ana", "owner", other), "/url");
  // At once: credentials set for one project are void in the other.
  CHECK(json_at(world.list(), "/0/hasPasskey") == "false");
  CHECK(world.use(url, "csignin02").value() == user);
}

TEST_CASE("a user signed in for one project, without credentials, cannot enter another") {
  const World world;
  const auto other = json_at(world.pixledger.create_project("Outra"), "/projectId");
  const auto invited = world.invite("ana", "owner");
  const auto user = world.use(json_at(invited, "/url"), "csignin01").value();
  CHECK(world.pixledger.run(world.invitation("ana", "owner", other)).code == 1);
  const auto url = json_at(world.invite_anew("ana", "owner", other), "/url");
  world.add_passkey(user, "csignin01");
  CHECK(json_at(world.list(), "/0/hasPasskey") == "false");
  CHECK(world.use(url, "csignin02").value() == user);
}

TEST_CASE("an invitation leads to where the dashboard is said to be") {
  const World world;
  auto arguments = world.invitation("ana", "viewer");
  arguments.insert(arguments.end(), {"--dashboard-url", "https://painel.example.com"});
  CHECK(json_at(world.pixledger.done(arguments), "/url")
            .starts_with("https://painel.example.com/#/convite/ui_"));
  arguments.back() = "http://painel.example.com";
  const auto refused = world.pixledger.run(arguments);
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--dashboard-url must be an https:// URL") != std::string::npos);
}

TEST_CASE("bad invitations are refused, and leave no account behind") {
  const World world;
  const auto code = [&](const std::vector<std::string>& arguments) {
    return world.pixledger.run(arguments).code;
  };
  CHECK(code(world.invitation("ana", "king")) == 2);
  CHECK(code(world.invitation("no address @", "owner")) == 2);
  CHECK(code(world.invitation("ana", "owner", "cnobody00000000000000000a")) == 1);
  CHECK(code({"user", "invite", "--project", world.project, "--email", "ana@example.com"}) == 2);
  CHECK(world.list() == "[]\n");
}

TEST_CASE("a removed user has no account, unless they are in other projects") {
  const World world;
  const auto other = json_at(world.pixledger.create_project("Outra"), "/projectId");
  world.invite("ana", "owner");
  world.invite_anew("ana", "owner", other);
  world.invite("rui", "owner");
  const auto once = world.pixledger.done(
      {"user", "remove", "--project", world.project, "--email", "ana@example.com", "--json"});
  CHECK(json_at(once, "/hasAccount") == "true");
  CHECK(json_at(world.list(), "/1/projectId") == other);

  world.invite("eva", "owner", other);
  const auto gone = world.pixledger.done({"user", "remove", "--user-id", json_at(once, "/userId"), "--json"});
  CHECK(json_at(gone, "/hasAccount") == "false");
  CHECK(world.list().find("ana@example.com") == std::string::npos);
  CHECK(world.pixledger.run({"user", "remove", "--email", "ana@example.com"}).code == 1);
}

TEST_CASE("the last owner stays, in all of their projects") {
  const World world;
  const auto other = json_at(world.pixledger.create_project("Outra"), "/projectId");
  world.invite("ana", "viewer");
  world.invite_anew("ana", "owner", other);
  const auto before = world.list();
  const auto refused = world.pixledger.run({"user", "remove", "--email", "ana@example.com"});
  CHECK(refused.code == 1);
  CHECK(refused.err.find(other + ": it is the project's last owner") != std::string::npos);
  CHECK(world.list() == before);
}

TEST_CASE("a user is named in exactly one way") {
  const World world;
  CHECK(world.pixledger.run({"user", "remove"}).code == 2);
  CHECK(world.pixledger.run({"user", "remove", "--email", "a@example.com", "--user-id", "cnobody00"}).code ==
        2);
  CHECK(world.pixledger.run({"user", "remove", "--project", world.project, "--user-id", "cnobody00"}).code ==
        1);
}

TEST_CASE("teams are in the history of their project, and of each member") {
  const World world;
  const auto other = json_at(world.pixledger.create_project("Outra"), "/projectId");
  const auto ana = json_at(world.invite("ana", "owner"), "/userId");
  world.invite("rui", "owner");
  world.invite_anew("ana", "viewer", other);
  world.pixledger.done({"user", "remove", "--project", world.project, "--user-id", ana});

  const auto of_project = world.pixledger.done({"history", "--id", world.project});
  CHECK(of_project.find("user " + ana + " may sign in as owner") != std::string::npos);
  CHECK(of_project.find("user " + ana + " removed") != std::string::npos);
  const auto of_user = world.pixledger.done({"history", "--id", ana, "--json"});
  CHECK(json_at(of_user, "/kind") == "user");
  CHECK(json_at(of_user, "/projectId") == "null");
  CHECK(json_at(of_user, "/events/0/data/role") == "owner");
  CHECK(json_at(of_user, "/events/1/data/role") == "viewer");
  CHECK(json_at(of_user, "/events/3/type") == "MemberRemoved");
  CHECK(lines_of(world.pixledger.done({"history", "--id", ana})).size() == 9);
}

TEST_CASE("neither addresses nor invitations are in the events") {
  const World world;
  const auto url = json_at(world.invite("ana", "owner"), "/url");
  const auto events = world.pixledger.done({"events"});
  CHECK(events.find("MemberAdded") != std::string::npos);
  CHECK(events.find("ana@") == std::string::npos);
  CHECK(events.find(url.substr(kInvitationStart.size())) == std::string::npos);
}
