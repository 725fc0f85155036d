#include "tests/support/servers/signed_in.h"

#include <catch2/catch.hpp>

#include "domain/decisions/command.h"
#include "eventstore/codec/codec.h"
#include "http/front/rate_limit.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

constexpr const char* kEnded = "The sign-in has failed or ended. Sign in again.";

void check_ended(const HttpAnswer& answer) {
  CHECK(answer.status == 401);
  CHECK(answer.at("/code") == "ERR_AUTH_011");
  CHECK(answer.at("/message") == kEnded);
}

}  // namespace

TEST_CASE("a signed-in user acts as themselves for the project that the request names") {
  TestService service;
  const auto project = service.create_project();
  const auto oto = sign_in(service, project.id, Role::kOperator, "oto");
  const auto created = send_as(service, oto, "POST", "/api/v1/transactions", creation_body());
  REQUIRE(created.status == 201);
  const auto id = parsed<domain::ChargeId>(created.at("/data/id"));
  const auto stored =
      service.log().read_stream(domain::charge_stream(id), 0, eventstore::kNoLimit).events.front();
  CHECK(eventstore::decode(stored).actor == "user-" + oto.user.text());
  CHECK(service.send("GET", "/api/v1/transactions/" + id.text(), project.live_key).at("/data/environment") ==
        "live");
}

TEST_CASE("a user acts in the live environment, or only in the sandbox, as the request says") {
  TestService service;
  const auto project = service.create_project();
  const auto oto = sign_in(service, project.id, Role::kOperator, "oto");
  const auto live = send_as(service, oto, "POST", "/api/v1/transactions", creation_body());
  const auto sandbox = send_as(service, oto, "POST", "/api/v1/transactions", creation_body(),
                               {{"Pixledger-Environment", "sandbox"}});
  CHECK(sandbox.status == 201);
  const auto path_of = [](const HttpAnswer& made) { return "/api/v1/transactions/" + made.at("/data/id"); };
  CHECK(send_as(service, oto, "GET", path_of(sandbox)).at("/data/environment") == "sandbox");
  CHECK(send_as(service, oto, "GET", path_of(live), "", {{"Pixledger-Environment", "sandbox"}}).at("/code") ==
        "ERR_AUTH_010");
  const auto refused =
      send_as(service, oto, "GET", path_of(live), "", {{"Pixledger-Environment", "elsewhere"}});
  CHECK(refused.status == 400);
  CHECK(refused.at("/details/0/field") == "Pixledger-Environment");
}

TEST_CASE(
    "the project is named, and one that the user is no member of is refused like one that is not there") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto oto = sign_in(service, project.id, Role::kOwner, "oto");
  const auto unnamed = service.send("GET", "/api/v1/store", oto.token);
  CHECK(unnamed.status == 400);
  CHECK(unnamed.at("/details/0/field") == "Pixledger-Project");
  const auto in = [&](const std::string& named) {
    return service.send("GET", "/api/v1/store", oto.token, "", {{"Pixledger-Project", named}});
  };
  CHECK(in(project.id.text()).status == 200);
  for (const auto& named : {other.id.text(), std::string("cnobodysproject")}) {
    CHECK(in(named).status == 403);
    CHECK(in(named).at("/code") == "ERR_AUTH_012");
    CHECK(in(named).at("/message") == "You are no member of this project.");
  }
  CHECK(in("x").status == 400);
}

TEST_CASE("a member who is removed, or loses a role, is refused at once") {
  TestService service;
  const auto project = service.create_project();
  sign_in(service, project.id, Role::kOwner, "olga");
  const auto oto = sign_in(service, project.id, Role::kOwner, "oto");
  const auto patch = [&] { return send_as(service, oto, "PATCH", "/api/v1/store", R"({"name":"Loja"})"); };
  CHECK(patch().status == 200);
  service.execute(domain::ChangeMemberRole{project.id, oto.user, Role::kViewer});
  CHECK(patch().at("/code") == "ERR_AUTH_012");
  CHECK(send_as(service, oto, "GET", "/api/v1/store").status == 200);
  service.execute(domain::RemoveMember{project.id, oto.user});
  CHECK(send_as(service, oto, "GET", "/api/v1/store").at("/code") == "ERR_AUTH_012");
}

TEST_CASE("a sign-in ends by itself, when it is ended, and cannot be guessed") {
  TestService service;
  const auto project = service.create_project();
  const auto oto = sign_in(service, project.id, Role::kOwner, "oto");
  const auto get = [&] { return send_as(service, oto, "GET", "/api/v1/store"); };
  SECTION("not used for half an hour") {
    service.clock().advance_millis(29 * kMinuteMs);
    CHECK(get().status == 200);
    service.clock().advance_millis(29 * kMinuteMs);
    CHECK(get().status == 200);
    service.clock().advance_millis(30 * kMinuteMs);
    check_ended(get());
  }
  SECTION("twelve hours old") {
    for (auto minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      service.clock().advance_millis(20 * kMinuteMs);
      REQUIRE(get().status == 200);
    }
    service.clock().advance_millis(20 * kMinuteMs);
    check_ended(get());
  }
  SECTION("ended") {
    REQUIRE(service.accounts().end_sign_in(oto.user, oto.id, service.clock().now()));
    check_ended(get());
  }
  SECTION("another's token") {
    check_ended(service.send("GET", "/api/v1/store", oto.token + "x", "", oto.headers));
    check_ended(service.send("GET", "/api/v1/store", "us_", "", oto.headers));
  }
}

TEST_CASE("a user signed in by an invitation may do nothing before they have set a credential") {
  TestService service;
  const auto project = service.create_project();
  const auto newcomer = sign_in_by_invitation(service, project.id, Role::kOwner);
  const auto refused = send_as(service, newcomer, "GET", "/api/v1/store");
  CHECK(refused.status == 403);
  CHECK(refused.at("/code") == "ERR_AUTH_012");
  CHECK(refused.at("/message") == "Set a passkey, or a password with TOTP, first.");
}

TEST_CASE("failed sign-in tokens are counted by the client address that pixledger-web forwards") {
  TestServiceOptions options;
  options.checkout.web_key = http::WebKey{sha256("wk_web")};
  TestService service(std::move(options));
  const auto failures = [&](std::map<std::string, std::string> headers, unsigned times) {
    HttpAnswer last;
    while (times-- > 0) last = service.send("GET", "/api/v1/store", "us_guess", "", headers);
    return last.status;
  };
  const std::map<std::string, std::string> of_browser = {{"Pixledger-Web-Key", "wk_web"},
                                                         {"Pixledger-Caller-Address", "203.0.113.7"}};
  auto of_another = of_browser;
  of_another["Pixledger-Caller-Address"] = "203.0.113.8";
  auto of_nobody = of_browser;
  of_nobody["Pixledger-Web-Key"] = "wk_other";
  CHECK(failures(of_browser, 100) == 401);
  CHECK(failures(of_browser, 1) == 429);
  CHECK(failures(of_another, 1) == 401);
  CHECK(failures(of_nobody, 1) == 401);
  CHECK(failures({}, 1) == 401);
}

TEST_CASE("challenges with an invalid sign-in count as failures of their address") {
  TestService service;
  const auto oto = sign_in(service, service.create_project().id, Role::kOwner, "oto");
  const auto ask = [&](const std::string& token) {
    return service.send("POST", "/api/v1/sign-ins/challenge", token, R"({"purpose":"confirm"})", {}).status;
  };
  CHECK(ask(oto.token) == 201);
  for (unsigned i = 0; i < http::FailedAuthentications::kSignInFailuresMax; ++i)
    CHECK(ask(i % 2 == 0 ? "us_guess" : "us_" + std::string(43, 'a')) == 401);
  CHECK(ask("us_guess") == 429);
}

TEST_CASE("a user has a rate of their own, like a key") {
  TestServiceOptions options;
  options.front.rates = {.live_per_s = 1, .test_per_s = 0};
  TestService service(std::move(options));
  const auto project = service.create_project();
  const auto oto = sign_in(service, project.id, Role::kOwner, "oto");
  const auto ina = sign_in(service, project.id, Role::kOwner, "ina");
  const auto get = [&](const SignedIn& user) {
    return send_as(service, user, "GET", "/api/v1/store").status;
  };
  CHECK(get(oto) == 200);
  CHECK(get(oto) == 200);
  CHECK(get(oto) == 429);
  CHECK(get(ina) == 200);
}
