#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/lmdb/database_facts.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/shared_ledger.h"

// Moving ledgers into a database, with the moving process held up or killed.
namespace pixledger::tests {

inline bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> words(std::vector<std::string> command, const SharedDatabase& database) {
  for (const auto& word :
       {std::string("--ledger"), database.uri().text, std::string("--ledger-owner"), database.owner().text})
    command.push_back(word);
  return command;
}

inline bool is_published(const SharedDatabase& database) {
  return !database.run("SELECT to_regclass('pixledger.ledger')").at(0).at(0).is_null();
}

template <class Condition>
void wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// During its life, a process that makes a ledger in the database stops in the middle of it.
class Stop {
 public:
  explicit Stop(const SharedDatabase& database)
      : database_(database),
        client_(std::make_unique<eventstore::PgClient>(database.owner(), eventstore::PgTimeouts{}, watch_)) {
    database.run(
        "CREATE FUNCTION public.wait_here() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
        "WHILE EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())) LOOP PERFORM pg_sleep(0.02); "
        "END LOOP; END $$; CREATE EVENT TRIGGER wait_here ON ddl_command_end WHEN TAG IN ('CREATE SCHEMA') "
        "EXECUTE FUNCTION public.wait_here()");
    client_->run("SELECT pg_advisory_lock(4711, 1)");
  }

  void wait_for_somebody() const {
    wait_until([&] {
      return database_
                 .run(
                     "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
                     "wait_event = 'PgSleep'")
                 .at(0)
                 .at(0)
                 .as<int>() > 0;
    });
  }
  void end() { client_.reset(); }

 private:
  const SharedDatabase& database_;
  DeadlineWatch watch_;
  std::unique_ptr<eventstore::PgClient> client_;
};

inline std::uint64_t format_of(const PixledgerCommand& pixledger) {
  return eventstore::inspect_ledger(pixledger.data() / "ledger", one_gigabyte().map_bytes).format;
}

// A machine's own ledger, which can be gone on with.
inline void check_is_alone(const PixledgerCommand& pixledger) {
  for (const auto* const file : {"node", "sharing", "ledger.boot"})
    CHECK_FALSE(std::filesystem::exists(pixledger.data() / file));
  CHECK(format_of(pixledger) % 2 == 1);  // of no copy
  pixledger.done({"verify"});
  pixledger.create_project("Outra");
}

inline void kill(Process& process) {
  process.send(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
}

inline std::unique_ptr<Process> start(const PixledgerCommand& pixledger,
                                      const std::vector<std::string>& command) {
  return std::make_unique<Process>(built_program("pixledger"), pixledger.arguments(command));
}

// Killed before its commit.
inline void kill_in_the_middle(const PixledgerCommand& pixledger, const std::vector<std::string>& command,
                               const Stop& stop) {
  const auto process = start(pixledger, command);
  stop.wait_for_somebody();
  kill(*process);
}

}  // namespace pixledger::tests
