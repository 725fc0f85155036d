// What the programs do while nothing happens.
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

using Clock = std::chrono::steady_clock;

// How often the threads of a process have gone to sleep so far.
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

// Over so long that looks once a second count, from when it has gone to rest.
double sleeps_a_second(const Process& process) {
  const auto begin = Clock::now();
  const auto before = sleeps_of(process.pid());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto sleeps = sleeps_of(process.pid()) - before;
  return static_cast<double>(sleeps) / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

TEST_CASE("a worker at rest looks around about once a second", "[workers]") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto [program, options, is_at_work] = GENERATE(
      std::tuple(std::string("pixledger-webhooks"), std::vector<std::string>{"--resume-from", "head"},
                 std::string("the webhook worker is at work")),
      std::tuple(std::string("pixledger-emails"), std::vector<std::string>{"--resume-from", "head"},
                 std::string("the e-mail worker is at work")),
      std::tuple(std::string("pixledger-expiry"), std::vector<std::string>{},
                 std::string("the expiry worker is at work")));
  Process worker(built_program(program), pixledger.arguments(options));
  REQUIRE(worker.wait_for_err(is_at_work));
  INFO(program);
  // Main thread, reader and who looks around for something due; each 10 ms it would be a hundred.
  CHECK(sleeps_a_second(worker) < 15);
  worker.send(SIGTERM);
  CHECK(worker.wait() == 0);
}
