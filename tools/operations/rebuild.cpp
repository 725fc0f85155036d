#include "tools/operations/rebuild.h"

#include <memory>
#include <optional>
#include <thread>

#include "base/platform/damage.h"
#include "base/platform/lock_probe.h"
#include "base/platform/owner_lock.h"
#include "tools/cli/early_writer.h"
#include "tools/cli/progress_bar.h"

namespace pixledger::tools {
namespace {

using projections::Generation;
using projections::GenerationComparison;
namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// How far behind the ledger a generation may be completed.
constexpr std::uint64_t kNearEvents = 20'000;
// A replay that is slower than the events that come meanwhile leaves the rest to the server.
constexpr int kRoundsMax = 5;
constexpr std::uint64_t kEarlyWriteEvents = 100'000;
constexpr std::chrono::milliseconds kServersLookEvery{20};
constexpr const char* kScratch = "comparison";

class Rebuild {
 public:
  Rebuild(const eventstore::Log& log, projections::UnfinishedGeneration& unfinished,
          const RebuildOptions& options)
      : log_(log), unfinished_(unfinished), options_(options) {}

  Rebuilt run() {
    result_.generation = unfinished_.path().filename().string();
    const auto in_use = projections::find_trusted_generation(options_.views, log_.identity());
    if (in_use) result_.replaces = in_use->filename().string();
    const auto begin = SteadyClock::now();
    generation_ = Generation::open_unfinished(unfinished_.path(), log_, options_.lmdb);
    if (in_use && options_.compare) {
      compare_with(*in_use);
    } else if (in_use) {
      result_.differences.emplace().fault = options_.not_compared;
    }
    for (int round = 0; round < kRoundsMax && behind(log_.head().position) > kNearEvents; ++round)
      build_to(log_.head().position);
    build_to(log_.head().position);
    result_.position = generation_->database().cursor().position;
    generation_->close();
    generation_.reset();
    result_.building =
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin - comparing_);
    // Before the server can take to the new one, and give this one up.
    const auto why = in_use ? disagreement_of(*in_use) : std::nullopt;
    if (why) projections::mark_disagreement(*in_use, *why);
    unfinished_.complete();
    if (in_use) wait_for_adoption(*in_use);
    if (why) keep(*in_use);
    return std::move(result_);
  }

 private:
  std::uint64_t behind(Position position) const {
    const auto here = generation_->database().cursor().position;
    return position > here ? position.value() - here.value() : 0;
  }

  void build_to(Position end) {
    if (behind(end) == 0) return;
    const auto begin = SteadyClock::now();
    EarlyWriter file(unfinished_.path() / "data.mdb");
    ProgressBar bar("rebuild", "events");
    std::uint64_t written = 0;
    projections::catch_up(
        generation_->database(), log_,
        [&](std::uint64_t done, std::uint64_t total) {
          bar.show(done, total);
          if (done - written < kEarlyWriteEvents) return;
          written = done;
          file.begin();
        },
        end);
    file.finish();
    building_ += SteadyClock::now() - begin;
  }

  void compare_with(const fs::path& in_use) {
    const auto begin = SteadyClock::now() - building_;
    try {
      const GenerationComparison comparison(in_use, options_.lmdb, log_);
      const auto scratch = unfinished_.path() / kScratch;
      fs::create_directory(scratch);
      std::optional<ProgressBar> bar;
      result_.differences = comparison.compare(
          generation_->database(), [this](Position end) { build_to(end); }, scratch,
          [&bar](std::uint64_t done, std::uint64_t total) {
            if (!bar) bar.emplace("compare", "rows");
            bar->show(done, total);
          });
      fs::remove_all(scratch);
    } catch (const ViewsDamaged& fault) {
      result_.differences.emplace().fault =
          std::string("the read models in use cannot be opened: ") + fault.what();
    }
    comparing_ = SteadyClock::now() - begin - building_;
  }

  // Nothing of one that cannot be read to its end and shows no difference before: it is damaged.
  std::optional<std::string> disagreement_of(const fs::path& in_use) const {
    if (!options_.compare) return std::nullopt;
    if (auto why = projections::find_disagreement(in_use, log_, options_.lmdb)) return why;
    const auto& found = *result_.differences;
    if (found.by_table.empty() && !found.lists) return std::nullopt;
    return "at position " + std::to_string(found.as_of.value()) + " " + found.text();
  }

  // A server that runs does it when it has taken to the new one.
  void keep(const fs::path& in_use) {
    if (const auto owner = OwnerLock::try_take(options_.views / "lock"))
      projections::discard_generation(in_use);
    const auto kept = projections::kept_path(in_use);
    if (fs::exists(kept)) result_.kept = kept;
  }

  // The server discards the one that was in use when nobody reads it any more.
  void wait_for_adoption(const fs::path& in_use) {
    if (!is_locked(options_.views / "lock")) return;
    const auto deadline = SteadyClock::now() + options_.adoption_max;
    while (fs::exists(in_use) && SteadyClock::now() < deadline)
      std::this_thread::sleep_for(kServersLookEvery);
    result_.adopted = !fs::exists(in_use);
  }

  const eventstore::Log& log_;
  projections::UnfinishedGeneration& unfinished_;
  const RebuildOptions& options_;
  std::unique_ptr<Generation> generation_;
  Rebuilt result_;
  SteadyClock::duration building_{};
  SteadyClock::duration comparing_{};
};

}  // namespace

Rebuilt rebuild_views(const eventstore::Log& log, projections::UnfinishedGeneration& unfinished,
                      const RebuildOptions& options) {
  return Rebuild(log, unfinished, options).run();
}

}  // namespace pixledger::tools
