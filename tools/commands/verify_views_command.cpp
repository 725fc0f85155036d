#include "tools/commands/verify_views_command.h"

#include <iostream>

#include "eventstore/platform/json.h"
#include "eventstore/platform/lock_probe.h"
#include "projections/generations/generation.h"
#include "tools/audit/verdict.h"
#include "tools/audit/verifier.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/temporary_directory.h"

namespace pixledger::tools {
namespace {

struct Outcome {
  std::optional<std::string> generation{};
  std::uint64_t events = 0;
  bool complete = true;
  std::optional<std::string> difference{};
};

int tell(const CommandContext& context, const Outcome& outcome) {
  if (context.json) {
    std::cout << eventstore::Json()
                     .begin_object()
                     .field("generation", outcome.generation)
                     .field("equal", !outcome.difference)
                     .field("complete", outcome.complete)
                     .field("events", outcome.events)
                     .field("difference", outcome.difference)
                     .end_object()
                     .take_line();
  } else if (outcome.difference) {
    std::cout << "The read models are not what the ledger says: " << *outcome.difference
              << ".\nBuild them again, next to a running server: pixledger projections rebuild\n";
  } else {
    std::cout << "The read models " << outcome.generation.value_or("") << " are what " << outcome.events
              << " events come to.\n";
    if (!outcome.complete)
      std::cout
          << "The server went on meanwhile, so every row that the ledger asks for was compared, but not\n"
             "whether there are others, and not the saved lists.\n";
  }
  return outcome.difference ? kExitNo : kExitDone;
}

int verify_here(const CommandContext& context, const std::string& scratch) {
  const auto log = context.open_log();
  const auto views = context.common.data.views();
  VerifyOptions options;
  options.find_generation = [&] { return projections::find_trusted_generation(views, log->identity()); };
  options.lmdb = context.common.lmdb();
  // A server keeps its lists in memory, and what it has saved is behind.
  if (!eventstore::is_locked(views / "lock")) options.scratch = scratch;
  Verification result;
  {
    ProgressBar bar("verify", "events");
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    result = verify_read_models(*log, options);
  }
  if (!result.generation) return say_no("there are no read models that a server would open");
  if (result.finding && result.finding->part != Part::kReadModels) return say_found(context, *result.finding);
  Outcome outcome{result.generation->filename().string(), result.events,
                  result.read_models == ReadModels::kEqual, std::nullopt};
  if (result.finding) outcome.difference = result.finding->problem;
  return tell(context, outcome);
}

}  // namespace

// LMDB trusts its pages, so a damaged one may crash whoever reads it.
int verify_projections(const CommandContext& context) {
  const TemporaryDirectory scratch;
  const auto code = run_in_subprocess([&] { return verify_here(context, scratch.path()); });
  if (code) return *code;
  Outcome outcome;
  outcome.difference = "they cannot be read (reading them crashed)";
  return tell(context, outcome);
}

}  // namespace pixledger::tools
