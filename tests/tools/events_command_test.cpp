#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  PixledgerCommand pixledger;
  domain::ProjectId project =
      domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();

  std::vector<std::string> events(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "events");
    return lines_of(pixledger.done(more));
  }
  void pay_a_charge() const {
    LedgerWithCharges ledger(pixledger.data());
    ledger.pay(project, ledger.create_charge(project));
  }
};

// Whether the condition comes true before long.
template <class Condition>
bool soon(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

enum class Reader { kNone, kIdle, kReading };

// A process's row in LMDB's table of readers: "pid thread txnid", "-" without a transaction.
Reader reader_of(const eventstore::LmdbLog& log, pid_t pid) {
  struct Search {
    std::string pid;
    Reader found = Reader::kNone;
  } search{std::to_string(pid) + " "};
  mdb_reader_list(
      log.environment().get(),
      [](const char* line, void* context) {
        auto& its_search = *static_cast<Search*>(context);
        const std::string text(line);
        if (text.find(its_search.pid) == std::string::npos) return 0;
        its_search.found = text.find(" -") == std::string::npos ? Reader::kReading : Reader::kIdle;
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace

TEST_CASE("every event is one line of JSON, in the order of positions") {
  const World world;
  world.pay_a_charge();
  const auto lines = world.events();
  REQUIRE(lines.size() == 6);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(json_at(lines[i], "/position") == std::to_string(i + 1));
    for (const char* field :
         {"/stream", "/version", "/type", "/recordedAt", "/actor", "/requestId", "/data"}) {
      json_at(lines[i], field);
    }
  }
  CHECK(json_at(lines[0], "/type") == "ProjectCreated");
  CHECK(json_at(lines[0], "/actor").substr(0, 9) == "operator-");
  CHECK(json_at(lines[0], "/requestId") == "null");
  CHECK(json_at(lines[5], "/type") == "ChargePaid");
  CHECK(json_at(lines[5], "/requestId") == "req_test");
}

TEST_CASE("auditors see personal data") {
  const World world;
  world.pay_a_charge();
  const auto lines = world.events({"--type", "CustomerRegistered"});
  REQUIRE(lines.size() == 1);
  CHECK(json_at(lines[0], "/data/details/document").size() == 11);
  CHECK_FALSE(json_at(lines[0], "/data/details/name").empty());
}

TEST_CASE("both ends of a range are included") {
  const World world;
  world.pay_a_charge();
  const auto lines = world.events({"--from", "2", "--to", "4"});
  REQUIRE(lines.size() == 3);
  CHECK(json_at(lines[0], "/position") == "2");
  CHECK(json_at(lines[2], "/position") == "4");
  CHECK(world.events({"--from", "6"}).size() == 1);
  CHECK(world.events({"--from", "7"}).empty());
  const auto beyond = world.pixledger.run({"events", "--from", "99999"});
  CHECK((beyond.code == 0 && beyond.out.empty()));
  CHECK(beyond.err == "pixledger: the ledger ends at position 6\n");
  CHECK(world.pixledger.run({"events", "--from", "4", "--to", "2"}).code == 2);
  CHECK(world.pixledger.run({"events", "--from", "0"}).code == 2);
}

TEST_CASE("events are filtered by stream, project and type") {
  const World world;
  world.pay_a_charge();
  const std::string charge = json_at(world.events().back(), "/stream");
  CHECK(world.events({"--stream", charge}).size() == 2);
  CHECK(world.events({"--stream", charge, "--type", "ChargePaid"}).size() == 1);
  CHECK(world.events({"--stream", charge, "--from", "6"}).size() == 1);
  CHECK(world.events({"--project", world.project.text()}).size() == 6);
  const auto nobodys = world.pixledger.run({"events", "--project", "cabcdefghijkl"});
  CHECK(nobodys.code == 1);
  CHECK(nobodys.err.find("there is no such project") != std::string::npos);
  CHECK(world.pixledger.run({"events", "--type", "ChargeRefunded"}).code == 1);
  CHECK(world.pixledger.run({"events", "--stream", "nonsense"}).code == 2);
}

TEST_CASE("following shows later events, and ends well on a signal") {
  const World world;
  Process follower(built_program("pixledger"), world.pixledger.arguments({"events", "--follow"}));
  REQUIRE(follower.wait_for_out("\"position\":3"));
  world.pay_a_charge();
  REQUIRE(follower.wait_for_out("ChargePaid"));
  follower.send(SIGTERM);
  CHECK(follower.wait() == 0);
}

TEST_CASE("following ends at the last position that was asked for") {
  const World world;
  Process follower(built_program("pixledger"),
                   world.pixledger.arguments({"events", "--follow", "--to", "5"}));
  REQUIRE(follower.wait_for_out("\"position\":3"));
  world.pay_a_charge();
  CHECK(follower.wait() == 0);
  CHECK(lines_of(follower.out()).size() == 5);
}

TEST_CASE("a follower whose reader pauses holds no read transaction") {
  const World world;
  for (int i = 0; i < 100; ++i) world.pay_a_charge();
  // Opened first: it keeps the checkpoints, which hold a snapshot.
  const eventstore::LmdbLog log(world.pixledger.data() / "ledger", tests::one_gigabyte());
  // More than a pipe takes: the follower waits for its reader, which begins after the check.
  Process follower(built_program("pixledger"), world.pixledger.arguments({"events", "--follow"}));
  REQUIRE(soon([&] { return follower.unread_out() > 60'000; }));
  CHECK(soon([&] { return reader_of(log, follower.pid()) == Reader::kIdle; }));
  REQUIRE(follower.wait_for_out("\"position\":203,"));
}

TEST_CASE("the command ends quietly when its reader closes the pipe") {
  const World world;
  for (int i = 0; i < 100; ++i) world.pay_a_charge();
  // More than a pipe takes, so that it is still writing when its reader goes.
  Process events(built_program("pixledger"), world.pixledger.arguments({"events"}));
  REQUIRE(soon([&] { return events.unread_out() > 60'000; }));
  events.close_out();
  CHECK(events.wait() == 0);
  CHECK(events.err().empty());
}

TEST_CASE("a follower ends when its reader is gone") {
  const World world;
  Process follower(built_program("pixledger"), world.pixledger.arguments({"events", "--follow"}));
  REQUIRE(follower.wait_for_out("\"position\":3"));
  follower.close_out();
  CHECK(follower.wait().has_value());
}

TEST_CASE("where reading a damaged ledger crashes, commands say so and end with a fault") {
  const World world;
  for (int i = 0; i < 40; ++i) world.pay_a_charge();
  REQUIRE_FALSE(world.events().empty());
  // LMDB reads where its pages lead it: garbage in all pages except the first two, the meta pages.
  const auto file = world.pixledger.data() / "ledger" / "data.mdb";
  std::fstream ledger(file, std::ios::in | std::ios::out | std::ios::binary);
  constexpr std::streamoff kPageBytes = 4096;
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
  for (auto at = 2 * kPageBytes; at + kPageBytes <= size; at += kPageBytes) {
    // The offsets of a page's entries point beyond the file.
    ledger.seekp(at + 16);
    for (std::streamoff i = 16; i < kPageBytes; ++i) ledger.put(static_cast<char>(0xff));
  }
  ledger.close();
  for (const auto& command :
       {std::vector<std::string>{"events"}, std::vector<std::string>{"export", "--format", "csv"}}) {
    const auto result = world.pixledger.run(command);
    CAPTURE(command.front(), result.err);
    CHECK(result.code == 3);
    CHECK(result.err.find("pixledger") != std::string::npos);
  }
}
