#include <catch2/catch.hpp>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "tests/crash/server_process.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// Returns nullopt if the server was killed before it answered.
std::optional<RawReply> send(std::uint16_t port, const std::string& line, const std::string& headers,
                             const std::string& body = "") {
  std::ostringstream request;
  request << line
          << " HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: " << body.size()
          << "\r\n"
          << headers << "Connection: close\r\n\r\n"
          << body;
  try {
    auto reply = pixledger::tests::exchange(port, request.str());
    if (reply.status == 0) return std::nullopt;
    return reply;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<RawReply> sign_in(std::uint16_t port, const std::string& invitation) {
  return send(port, "POST /api/v1/sign-ins", "", R"({"invitation":")" + invitation + "\"}");
}

std::string invite(const LiveData& data, int number) {
  const auto ran =
      run_process(built_program("pixledger"), {"user", "invite", "--project", data.project_id, "--email",
                                               "p" + std::to_string(number) + "@example.com", "--role",
                                               "owner", "--json", "--data", data.root.string()});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto url = json_at(ran.out, "/url");
  return url.substr(url.rfind('/') + 1);
}

}  // namespace

TEST_CASE("an invitation signs in once, and that sign-in survives when the server is killed") {
  constexpr std::uint32_t kSpreadUs = 20'000;
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  for (int i = 0; i < 12; ++i) {
    const auto invitation = invite(data, i);
    std::optional<RawReply> first;
    {
      ServerProcess server(data);
      server.wait_until_ready();
      auto asked = std::async(std::launch::async, [&] { return sign_in(server.port(), invitation); });
      // The moment is the test's subject.
      std::this_thread::sleep_for(std::chrono::microseconds(random() % kSpreadUs));
      server.kill_now();
      first = asked.get();
    }
    ServerProcess server(data);
    server.wait_until_ready();
    const auto again = sign_in(server.port(), invitation);
    REQUIRE(again);
    if (first) {
      REQUIRE(first->status == 201);
      CHECK(again->status == 401);
      const auto current = send(server.port(), "GET /api/v1/sign-ins/current",
                                "Authorization: Bearer " + json_at(first->body, "/data/token") + "\r\n");
      REQUIRE(current);
      CHECK(current->status == 200);
    } else {
      CHECK((again->status == 201 || again->status == 401));
    }
    const auto more = sign_in(server.port(), invitation);
    REQUIRE(more);
    CHECK(more->status == 401);
    CHECK(server.stop() == 0);
  }
}
