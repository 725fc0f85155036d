#include "projections/generations/generation_watch.h"

#include <stdexcept>

#include "base/platform/process_limits.h"

namespace pixledger::projections {
namespace {

// Most events left for the projector to apply during the exchange, while readers wait.
constexpr std::uint64_t kAlmostThere = 256;
// Between two catch-ups, so that a generation that cannot catch up does not occupy the processor.
constexpr std::chrono::milliseconds kPause{1};
constexpr std::chrono::milliseconds kReadersLookEvery{20};

}  // namespace

GenerationWatch::GenerationWatch(CurrentViews& views, Projector& projector, const eventstore::Log& log,
                                 GenerationWatchOptions options)
    : views_(views),
      projector_(projector),
      log_(log),
      options_(std::move(options)),
      directory_(views.in_use()->directory().parent_path()),
      thread_(options_.look_every, options_.look_every, [this] { look(); }) {}

void GenerationWatch::look() {
  lower_priority(Priority::kAfterServer);
  const auto current = views_.in_use()->directory();
  try {
    for (const auto& found : find_own_generations(directory_)) {
      if (found.path == current || !found.is_complete()) continue;
      if (found.number < number_of(current)) {
        discard_generation(found.path);
        continue;
      }
      if (!may_try(found.path)) continue;
      adopt(found);
      // The other candidates are older now.
      return;
    }
    remove_unfinished(directory_);
  } catch (const Stopped&) {
  } catch (const std::exception& fault) {
    refuse(directory_, fault);
  }
}

bool GenerationWatch::may_try(const std::filesystem::path& generation) const {
  const auto found = refused_.find(generation);
  return found == refused_.end() || std::chrono::steady_clock::now() >= found->second;
}

void GenerationWatch::refuse(const std::filesystem::path& path, const std::exception& fault) {
  const auto again = std::chrono::steady_clock::now() + options_.retry_every;
  const bool is_first = refused_.insert_or_assign(path, again).second;
  if (is_first && options_.on_refused) options_.on_refused(path.filename().string(), fault.what());
}

void GenerationWatch::adopt(const GenerationDirectory& found) {
  std::shared_ptr<Generation> old;
  try {
    std::shared_ptr<Generation> next = Generation::open(found, log_, options_.lmdb);
    if (!next) throw std::runtime_error("it cannot be trusted, or is damaged");
    bring_near(*next);
    projector_.exchange_database(next->database(), [&] { old = views_.exchange(next); });
  } catch (const std::exception& fault) {
    refuse(found.path, fault);
    return;
  }
  ++adopted_;
  if (options_.on_adopted) options_.on_adopted(found.path.filename().string());
  retire(std::move(old));
}

// Never beyond the one in use, so that the two meet.
void GenerationWatch::bring_near(Generation& next) {
  const auto check = [this](std::uint64_t, std::uint64_t) {
    if (thread_.wait_for_stop(std::chrono::milliseconds(0))) throw Stopped();
  };
  while (true) {
    const auto target = projector_.applied();
    catch_up(next.database(), log_, check, target);
    const auto applied = projector_.applied();
    const auto position = next.database().cursor().position;
    if (applied <= position || applied.value() - position.value() <= kAlmostThere) return;
    if (thread_.wait_for_stop(kPause)) throw Stopped();
  }
}

// No new reader can get it, so a count of one means that the last reader has gone.
void GenerationWatch::retire(std::shared_ptr<Generation> old) {
  old->retire();
  while (old.use_count() > 1) {
    if (thread_.wait_for_stop(kReadersLookEvery)) return;
  }
}

ListSaver::ListSaver(const CurrentViews& views, const Projector& projector,
                     std::function<void(const std::string&)> on_fault, ListSaverOptions options)
    : views_(views),
      projector_(projector),
      on_fault_(std::move(on_fault)),
      options_(options),
      saved_(projector.applied()),
      saved_at_(std::chrono::steady_clock::now()),
      thread_(options_.look_every, options_.look_every, [this] {
        if (is_due(std::chrono::steady_clock::now())) save();
      }) {}

void ListSaver::save() {
  saved_ = projector_.applied();
  saved_at_ = std::chrono::steady_clock::now();
  try {
    views_.in_use()->save_lists();
  } catch (const std::exception& fault) {
    on_fault_(fault.what());
  }
}

bool ListSaver::is_due(std::chrono::steady_clock::time_point now) const {
  const auto applied = projector_.applied();
  if (applied == saved_) return false;
  return applied.value() - saved_.value() >= options_.every_events || now - saved_at_ >= options_.every;
}

}  // namespace pixledger::projections
