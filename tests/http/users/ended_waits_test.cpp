#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/servers/account_calls.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/signed_in.h"

// Waiting calls whose sign-in ends: they return no later events.
using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn oto = sign_in(service, project.id, Role::kOperator, "oto");

  // Requests live events from now on, as that user.
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
  // Ends the sign-in as another node or the command line would.
  void end_elsewhere(const SignedIn& user) {
    REQUIRE(service.accounts().end_sign_in(user.user, user.id, service.clock().now()));
  }
};

// The stream is cut if unread events may no longer be sent.
std::string rest_of(RawConnection& stream) {
  std::string text;
  try {
    for (auto chunk = stream.read_chunk(); !chunk.empty(); chunk = stream.read_chunk()) text += chunk;
  } catch (const std::runtime_error&) {
  }
  return text;
}

}  // namespace

TEST_CASE("a long poll whose sign-in was ended elsewhere is not answered with later events") {
  Shop shop;
  const auto waiting = shop.wait(shop.oto, "&wait=30");
  shop.await_waits(1);
  shop.end_elsewhere(shop.oto);
  create_charge(shop.service, shop.project.live_key);
  const auto answer = waiting->read_reply();
  CHECK(answer.status == 401);
  CHECK(answer.body.find("ERR_AUTH_011") != std::string::npos);
}

TEST_CASE("a long poll ends with its sign-in or key, also without later events") {
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

TEST_CASE("a stream whose sign-in was ended elsewhere ends without later events") {
  Shop shop;
  const auto stream = shop.wait(shop.oto, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(1);
  shop.end_elsewhere(shop.oto);
  create_charge(shop.service, shop.project.live_key);
  CHECK(rest_of(*stream).find("event: ") == std::string::npos);
}

TEST_CASE("signing out ends a stream before the answer, with or without new events") {
  Shop shop;
  const auto stream = shop.wait(shop.oto, "", "Accept: text/event-stream\r\n");
  REQUIRE(stream->read_stream_head().status == 200);
  shop.await_waits(1);
  CHECK(shop.service.send("DELETE", "/api/v1/sign-ins/current", shop.oto.token).status == 200);
  create_charge(shop.service, shop.project.live_key);
  CHECK(rest_of(*stream).find("event: ") == std::string::npos);
}

TEST_CASE("waiting calls of a member who is removed, or whose role changes, return no later events") {
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

TEST_CASE("long polls and streams of other sign-ins go on as before") {
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
