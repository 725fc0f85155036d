#include "tools/commands/verify_views_command.h"

#include <iostream>

#include "base/platform/json.h"
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
  std::optional<std::string> difference{};
};

int tell(const CommandContext& context, const Outcome& outcome) {
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("generation", outcome.generation)
                     .field("equal", !outcome.difference)
                     .field("complete", true)
                     .field("events", outcome.events)
                     .field("difference", outcome.difference)
                     .end_object()
                     .take_line();
  } else if (outcome.difference) {
    std::cout << "The read models are not what the ledger says: " << *outcome.difference
              << ".\nEither may be wrong. Build nothing yet, and ask, best with a checkpoint that was kept "
                 "elsewhere: pixledger\nverify --against CHECKPOINT\n";
  } else {
    std::cout << "The read models " << outcome.generation.value_or("") << " are what " << outcome.events
              << " events come to.\n";
  }
  return outcome.difference ? kExitNo : kExitDone;
}

int verify_here(const CommandContext& context, const std::string& scratch) {
  const auto log = context.open_log();
  if (!find_read_models(context, *log)) return say_no("there are no read models that a server would open");
  VerifyOptions options;
  Verification streams;
  {
    ProgressBar bar("verify", "events");
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    streams = verify_streams(*log, options);
  }
  if (streams.finding) return say_found(context, *streams.finding);
  const auto compared = compare_read_models(context, *log, scratch);
  if (!compared) return say_no("there are no read models that a server would open");
  Outcome outcome{compared->generation.filename().string(), compared->differences.as_of.value(), {}};
  if (!compared->differences.none()) outcome.difference = compared->differences.text();
  return tell(context, outcome);
}

}  // namespace

std::optional<std::filesystem::path> find_read_models(const CommandContext& context,
                                                      const eventstore::Log& log) {
  return projections::find_trusted_generation(context.common.data.views(), log.identity());
}

std::optional<ViewVerification> compare_read_models(const CommandContext& context, const eventstore::Log& log,
                                                    const std::string& scratch) {
  std::optional<ProgressBar> building;
  std::optional<ProgressBar> comparing;
  const auto show_in = [](std::optional<ProgressBar>& bar, const char* label, const char* unit) {
    return [&bar, label, unit](std::uint64_t done, std::uint64_t total) {
      if (!bar) bar.emplace(label, unit);
      bar->show(done, total);
    };
  };
  ViewVerificationOptions options;
  options.find_generation = [&] { return find_read_models(context, log); };
  options.lmdb = context.common.lmdb();
  options.scratch = scratch;
  options.building = show_in(building, "build", "events");
  options.comparing = show_in(comparing, "compare", "rows");
  return verify_read_models(log, options);
}

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
