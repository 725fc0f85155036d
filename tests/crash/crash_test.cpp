#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/temporary_directory.h"

// Kills a loaded server at random moments, over and over, and compares the answers of its clients with the
// ledger.
namespace {

using namespace pixledger;
using namespace pixledger::tests;

struct Options {
  std::uint32_t rounds = 100;
  std::uint32_t seed = std::random_device()();
  std::size_t connections = 8;
  std::string server;  // empty: the real one
  std::string fault;
  bool expect_loss = false;
};

constexpr std::uint32_t kVerifyEvery = 10;
constexpr std::uint32_t kKilledWhileStartingEvery = 6;
constexpr std::uint32_t kAcknowledgedMax = 250;  // before a kill
// A kill falls anywhere in a batch and in its commit, which take about this long.
constexpr std::uint32_t kKillSpreadUs = 3000;
constexpr std::uint32_t kStartSpreadUs = 60'000;

class CrashRun {
 public:
  explicit CrashRun(const Options& options)
      : options_(options), random_(options.seed), data_(LiveData::create(directory_.path() / "data")) {}

  int run() {
    for (std::uint32_t round = 1; round <= options_.rounds; ++round) {
      if (round % kKilledWhileStartingEvery == 0) kill_while_starting();
      if (!run_round(round)) return fail(round);
      if (!audit_.lost().empty() && options_.expect_loss) return report_loss(round);
      if (!audit_.is_clean()) return fail(round);
      if (round % kVerifyEvery == 0 && data_.verify() != 0) return fail(round);
    }
    return finish();
  }

 private:
  // Sleeps between 0 and `spread_us`: the random moment is the test's subject, no condition is waited for.
  void let_some_time_pass(std::uint32_t spread_us) {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % spread_us));
  }

  ServerStart start() const {
    ServerStart start;
    start.program = options_.server;
    if (!options_.fault.empty()) start.arguments = {"--fault", options_.fault};
    return start;
  }

  void kill_while_starting() {
    // Without views it is killed while it builds them.
    if (random_() % 2 == 0) std::filesystem::remove_all(data_.root / "views");
    ServerProcess server(data_, start());
    let_some_time_pass(kStartSpreadUs);
    server.kill_now();
  }

  // Returns false if a request after the restart got a wrong answer.
  bool run_round(std::uint32_t round) {
    ServerProcess server(data_, start());
    server.wait_until_ready();
    if (!settle_last_round(server.port())) return false;

    LoadOptions load_options;
    load_options.name = std::to_string(round);
    load_options.connections = options_.connections;
    load_options.seed = static_cast<std::uint32_t>(random_());
    Load load(server.port(), data_.test_key, load_options);
    load.wait_for_acknowledged(1 + random_() % kAcknowledgedMax);
    let_some_time_pass(kKillSpreadUs);
    server.kill_now();
    last_round_ = load.finish();
    audit_ledger();
    return true;
  }

  // In every other round the ledger stays open here, so that the restarted server meets the lock and the
  // reader slots of the killed one; otherwise LMDB resets its lock file.
  void audit_ledger() {
    if (!log_) log_.emplace(data_.ledger(), data_.lmdb());
    audit_.read(*log_);
    audit_.compare(last_round_);
    acknowledged_ += static_cast<std::size_t>(std::count_if(
        last_round_.begin(), last_round_.end(), [](const auto& asked) { return asked.acknowledged(); }));
    if (random_() % 2 == 0) log_.reset();
  }

  // Checks the last round's charges at the restarted server; requests without an answer are repeated.
  bool settle_last_round(std::uint16_t port) {
    if (count_wrong_answers(port, data_.test_key, last_round_) != 0) return false;
    ApiClient client(port, data_.test_key);
    if (!ask_again(client, last_round_)) return false;
    again_.insert(again_.end(), last_round_.begin(), last_round_.end());
    return true;
  }

  int finish() {
    if (options_.expect_loss) {
      std::cout << "no loss was found in " << options_.rounds << " rounds, though there must be some"
                << std::endl;
      return EXIT_FAILURE;
    }
    ServerProcess server(data_, start());
    server.wait_until_ready();
    const bool settled = settle_last_round(server.port());
    if (server.stop() != 0 || !settled) return fail(options_.rounds);
    LedgerAudit whole;
    if (!log_) log_.emplace(data_.ledger(), data_.lmdb());
    whole.read(*log_);
    whole.compare(again_);
    whole.print();
    if (!whole.is_clean() || data_.verify() != 0) return fail(options_.rounds);
    std::cout << options_.rounds << " kills, " << acknowledged_ << " acknowledged charges, " << whole.events()
              << " events: nothing lost, nothing half written" << std::endl;
    return EXIT_SUCCESS;
  }

  int report_loss(std::uint32_t round) const {
    audit_.print();
    std::cout << "the loss was found in round " << round << ", as expected" << std::endl;
    return EXIT_SUCCESS;
  }

  int fail(std::uint32_t round) const {
    audit_.print();
    std::cout << "failed in round " << round << "; again with PIXLEDGER_SEED=" << options_.seed << std::endl;
    return EXIT_FAILURE;
  }

  const Options options_;
  std::mt19937 random_;
  TemporaryDirectory directory_;
  LiveData data_;
  LedgerAudit audit_;
  std::optional<eventstore::LmdbLog> log_;
  std::vector<AskedCharge> last_round_;
  std::vector<AskedCharge> again_;  // all charges, after requests without an answer were repeated
  std::size_t acknowledged_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Kills a loaded server at random moments and checks its ledger", "crash_test");
  app.add_option("--rounds", options.rounds, "How often")->envname("PIXLEDGER_CRASH_ROUNDS");
  app.add_option("--seed", options.seed, "Of every random choice")->envname("PIXLEDGER_SEED");
  app.add_option("--connections", options.connections, "Of the load");
  app.add_option("--server", options.server, "Another server than the real one");
  app.add_option("--fault", options.fault, "Passed to that server");
  app.add_flag("--expect-loss", options.expect_loss, "Succeeds only if an acknowledged charge is lost");
  CLI11_PARSE(app, argc, argv);
  std::cout << "seed " << options.seed << std::endl;
  try {
    return CrashRun(options).run();
  } catch (const std::exception& fault) {
    std::cout << fault.what() << "; again with PIXLEDGER_SEED=" << options.seed << std::endl;
    return EXIT_FAILURE;
  }
}
