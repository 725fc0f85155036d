// The programs' activity while idle.
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

using SteadyClock = std::chrono::steady_clock;

// By name; each runs once.
using Programs = std::map<std::string, pid_t>;

std::string name_of(pid_t process) {
  std::string name;
  std::ifstream("/proc/" + std::to_string(process) + "/comm") >> name;
  return name;
}

Programs programs_of(const Process& up) {
  const auto pid = std::to_string(up.pid());
  Programs programs{{name_of(up.pid()), up.pid()}};
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) programs.emplace(name_of(child), child);
  return programs;
}

// The number of sleeps of a process's threads so far.
std::uint64_t sleeps_of(pid_t process) {
  std::uint64_t all = 0;
  const auto tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream status(task.path() / "status");
    for (std::string name; status >> name;) {
      std::uint64_t count = 0;
      if (name == "voluntary_ctxt_switches:" && status >> count) all += count;
    }
  }
  return all;
}

std::map<std::string, std::uint64_t> sleeps_of(const Programs& programs) {
  std::map<std::string, std::uint64_t> sleeps;
  for (const auto& [name, pid] : programs) sleeps[name] = sleeps_of(pid);
  return sleeps;
}

}  // namespace

TEST_CASE("programs at rest look around about once a second, each thread that has something to look for") {
  // Polling every 10 ms would make a hundred; the rest of the start counts, too.
  constexpr double kSleepsASecondMax = 40;
  const PixledgerCommand pixledger;
  pixledger.create_project();
  Process up(built_program("pixledger"), pixledger.arguments({"up", "--listen", "127.0.0.1:0"}));
  for (const char* program :
       {"the API is served", "the webhook worker is at work", "the e-mail worker is at work",
        "the expiry worker is at work", "the providers' worker is at work"})
    REQUIRE(up.wait_for_err(program));
  const auto programs = programs_of(up);
  REQUIRE(programs.size() == 6);

  const auto begin = SteadyClock::now();
  auto before = sleeps_of(programs);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto after = sleeps_of(programs);
  const auto seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  for (const auto& [name, sleeps] : after) {
    INFO(name);
    CHECK(static_cast<double>(sleeps - before[name]) / seconds < kSleepsASecondMax);
  }
  up.send(SIGTERM);
  CHECK(up.wait() == 0);
}
