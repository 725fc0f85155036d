#include "tools/audit/view_verification.h"

#include <iostream>
#include <memory>

#include "base/platform/faults.h"
#include "base/platform/json.h"
#include "tools/audit/verdict.h"
#include "tools/audit/verifier.h"
#include "tools/cli/files.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/terminal.h"

namespace pixledger::tools {
namespace {

using projections::Generation;
using projections::GenerationComparison;
using projections::GenerationDifferences;
namespace fs = std::filesystem;

GenerationDifferences compare(const GenerationComparison& in_use, const eventstore::Log& log,
                              const ViewVerificationOptions& options) {
  const auto directory = options.scratch / "built";
  fs::create_directories(directory);
  auto writing = options.lmdb;
  writing.read_only = false;
  const auto built = Generation::open_unfinished(directory, log, writing);
  built->retire();
  return in_use.compare(
      built->database(),
      [&](Position end) { projections::catch_up(built->database(), log, options.building, end); },
      options.scratch, options.comparing);
}

}  // namespace

std::optional<Finding> ViewVerification::finding() const {
  if (differences.none()) return std::nullopt;
  return Finding{differences.as_of, differences.text(), Part::kReadModels};
}

std::optional<ViewVerification> verify_read_models(const eventstore::Log& log,
                                                   const ViewVerificationOptions& options) {
  auto generation = options.find_generation();
  std::unique_ptr<GenerationComparison> in_use;
  while (generation && !in_use) {
    try {
      in_use = std::make_unique<GenerationComparison>(*generation, options.lmdb, log);
    } catch (const DataDamaged& unreadable) {
      // A newer one may have replaced it meanwhile.
      auto found = options.find_generation();
      if (found == generation) {
        ViewVerification result{*generation, {}};
        result.differences.fault = std::string("they cannot be opened: ") + unreadable.what();
        return result;
      }
      generation = std::move(found);
    }
  }
  if (!generation) return std::nullopt;
  return ViewVerification{*generation, compare(*in_use, log, options)};
}

namespace {

constexpr const char* kNoneToRead =
    "there are no read models that can be read now: start the server, which builds them or, after a kill, "
    "brings them up to date";

struct ComparisonOutcome {
  std::optional<std::string> generation{};
  std::uint64_t events = 0;
  std::optional<std::string> difference{};
};

int tell(const CommandContext& context, const ComparisonOutcome& outcome) {
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
  if (!find_read_models(context, *log)) return say_no(kNoneToRead);
  VerifyOptions options;
  Verification streams;
  {
    ProgressBar bar("verify", "events");
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    streams = verify_streams(*log, options);
  }
  if (streams.finding) return say_found(context, *streams.finding);
  const auto compared = compare_read_models(context, *log, scratch);
  if (!compared) return say_no(kNoneToRead);
  ComparisonOutcome outcome{
      compared->generation.filename().string(), compared->differences.as_of.value(), {}};
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

// LMDB trusts its pages, so a damaged one may crash the process that reads it.
int verify_projections(const CommandContext& context) {
  const TemporaryDirectory scratch;
  const auto code = run_in_subprocess([&] { return verify_here(context, scratch.path()); });
  if (code) return *code;
  ComparisonOutcome outcome;
  outcome.difference = "they cannot be read (reading them crashed)";
  return tell(context, outcome);
}

}  // namespace pixledger::tools
