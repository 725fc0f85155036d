#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/servers/account_calls.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/signed_in.h"

// What waits when its sign-in ends: it shows nothing of what comes afterwards.
using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn oto = sign_in(service, project.id, Role::kOperator, "oto");

  // Asks for the events of the live world from now on, as that user.
  std::unique_ptr<RawConnection> wait(const SignedIn& user, const std::string& query,
                                      const std::string& headers = "") const {
    std::string named;
    for (const auto& [name, value] : user.headers) named += name + ": " + value + "\r\n";
    auto connection = std::make_unique<RawConnection>(service.port());
    connection->send("GET /api/v1/events?after=now" + query + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                     "Authorization: Bearer " + user.token + "\r\n" + named + "\r\n");
    return connection;
  }
  void await_waits(double count) const {
    while (metric(service.metrics(), "pixledger_http_long_polls") != count) std::this_thread::yield();
  }
  // As another node does, or the command line.
  void end_elsewhere(const SignedIn& user) {
    REQUIRE(service.accounts().end_sign_in(user.user, user.id, service.clock().now()));
  }
};

// It is cut where events wait to be read that may not be sent any more.
std::string rest_of(RawConnection& stream) {
  std::string text;
  try {
    for (auto chunk = stream.read_chunk(); !chunk.empty(); chunk = stream.read_chunk()) text += chunk;
  } catch (const std::runtime_error&) {
  }
  return text;
}

}  // namespace

TEST_CASE("a long poll whose sign-in was ended elsewhere is not answered with what came afterwards") {
  Shop shop;
  const auto waiting = shop.wait(shop.oto, "&wait=30");
  shop.await_waits(1);
  shop.end_elsewhere(shop.oto);
  create_charge(shop.service, shop.project.live_key);
  const auto answer = waiting->read_reply();
  CHECK(answer.status == 401);
  CHECK(answer.body.find("ERR_AUTH_011") != std::string::npos);
}

TEST_CASE("a long poll ends with its sign-in or key, also where nothing comes afterwards") {
  Shop shop;
  const auto& project = shop.project.id;
  const auto olga = sign_in(shop.service, project, Role::kOwner, "olga");
  const auto in_an_hour = shop.service.clock().now().plus_millis(3'600'000);
  auto program = olga;
  program.headers.clear();
  program.token =
      shop.service.issue_key(project, domain::Environment::kLive, domain::ScopeSet::all(), false, in_an_hour);
  const auto ended = shop.wait(shop.oto, "&wait=30");
  const auto signed_out = shop.wait(olga, "&wait=30");
  const auto expired = shop.wait(program, "&wait=30");
  shop.await_waits(3);
  shop.end_elsewhere(shop.oto);
  CHECK(ended->read_reply().status == 401);
  CHECK(shop.service.send("DELETE", "/api/v1/sign-ins/current", olga.token).status == 200);
  CHECK(signed_out->read_reply().status == 401);
  shop.service.clock().advance_millis(3'600'000);
  CHECK(expired->read_reply().status == 401);
}

TEST_CASE("a stream whose sign-in was ended elsewhere ends without what came afterwards") {
  Shop shop;
  const auto stream = shop.wait(shop.oto, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(1);
  shop.end_elsewhere(shop.oto);
  create_charge(shop.service, shop.project.live_key);
  CHECK(rest_of(*stream).find("event: ") == std::string::npos);
}

TEST_CASE("a stream ends with signing out, before that is answered, whether anything comes or not") {
  Shop shop;
  const auto stream = shop.wait(shop.oto, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(1);
  CHECK(shop.service.send("DELETE", "/api/v1/sign-ins/current", shop.oto.token).status == 200);
  create_charge(shop.service, shop.project.live_key);
  CHECK(rest_of(*stream).find("event: ") == std::string::npos);
}

TEST_CASE("a member who is removed, or whose role changes, is told nothing more by what waits") {
  Shop shop;
  const auto olga = sign_in(shop.service, shop.project.id, Role::kOwner, "olga");
  const auto poll = shop.wait(shop.oto, "&wait=30");
  const auto stream = shop.wait(olga, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(2);
  shop.service.execute(domain::ChangeMemberRole{shop.project.id, shop.oto.user, Role::kOwner});
  const auto answer = poll->read_reply();
  CHECK(answer.status == 403);
  shop.service.execute(domain::RemoveMember{shop.project.id, olga.user});
  create_charge(shop.service, shop.project.live_key);
  CHECK(rest_of(*stream).find("transaction.created") == std::string::npos);
}

TEST_CASE("who goes on is told by a long poll and a stream as before") {
  Shop shop;
  const auto poll = shop.wait(shop.oto, "&wait=30");
  const auto stream = shop.wait(shop.oto, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(2);
  const auto charge = create_charge(shop.service, shop.project.live_key);
  CHECK(poll->read_reply().body.find(charge) != std::string::npos);
  std::string text;
  while (text.find(charge) == std::string::npos) text += stream->read_chunk();
}
