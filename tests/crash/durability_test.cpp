#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/crash/trace_check.h"
#include "tests/support/temporary_directory.h"

// Proves from a trace of a loaded server that no reply leaves before its charge is durable.
namespace {

using namespace pixledger;
using namespace pixledger::tests;

struct Options {
  std::size_t charges = 2000;
  std::size_t connections = 8;
  std::string server;  // empty: the real one
  std::string fault;
  bool expect_violation = false;
};

constexpr std::size_t kRecordsMax = 8'000'000;  // 64 bytes each, in a sparse file
constexpr std::size_t kPrintedMax = 5;

// Counts acknowledgements that are missing in the trace, and so went unchecked.
std::size_t count_unseen(const TraceVerdict& verdict, const std::vector<AskedCharge>& asked) {
  const std::set<std::string> replied(verdict.replied_ids.begin(), verdict.replied_ids.end());
  return static_cast<std::size_t>(std::count_if(asked.begin(), asked.end(), [&replied](const auto& charge) {
    return charge.acknowledged() && replied.count(charge.id) == 0;
  }));
}

int run(const Options& options) {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  const TraceFile trace(directory.path() / "trace", kRecordsMax);
  ServerStart start;
  start.program = options.server;
  if (!options.fault.empty()) start.arguments = {"--fault", options.fault};
  start.environment = trace.environment(data.ledger());
  ServerProcess server(data, start);
  server.wait_until_ready();

  LoadOptions load_options;
  load_options.name = "durability";
  load_options.connections = options.connections;
  Load load(server.port(), data.test_key, load_options);
  const bool loaded = load.wait_for_acknowledged(options.charges);
  const auto asked = load.finish();
  // Stop first: a reply gets into the trace a moment after it has left.
  server.stop();

  const auto verdict = check_trace(trace.records());
  const auto unseen = count_unseen(verdict, asked);
  std::cout << verdict.replied_ids.size() << " replies, " << verdict.commits << " commits, "
            << verdict.violations.size() << " violations" << std::endl;
  for (std::size_t i = 0; i < verdict.violations.size() && i < kPrintedMax; ++i)
    std::cout << "  " << verdict.violations[i] << std::endl;
  if (!loaded || unseen != 0) {
    std::cout << unseen << " acknowledgements are not in the trace" << std::endl;
    return EXIT_FAILURE;
  }
  return verdict.violations.empty() != options.expect_violation ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Proves from a trace that no reply leaves before its charge is durable", "durability_test");
  app.add_option("--charges", options.charges, "How many at least");
  app.add_option("--connections", options.connections, "Of the load");
  app.add_option("--server", options.server, "Another server than the real one");
  app.add_option("--fault", options.fault, "Passed to that server");
  app.add_flag("--expect-violation", options.expect_violation, "Succeeds only if the proof fails");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& fault) {
    std::cout << fault.what() << std::endl;
    return EXIT_FAILURE;
  }
}
