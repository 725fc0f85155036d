#include "projections/generations/generation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_damage.h"
#include "eventstore/reading/read_ahead.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

// A batch is one transaction of a replay; larger batches write fewer pages twice. Customers are touched at
// random, at worst three pages each, and LMDB keeps the buffers. This limit stays well below LMDB's 131,071
// pages and what an erasure overwrites.
static_assert(eventstore::kDecodedEvents <= 16'384);

// Nullopt if the log has the event at the cursor.
std::optional<std::string> difference(const ViewCursor& cursor, const eventstore::Log& log) {
  if (cursor.position == Position()) return std::nullopt;
  const auto leaf = log.leaf_hash(cursor.position);
  if (leaf == cursor.leaf_hash) return std::nullopt;
  const auto here = "at position " + std::to_string(cursor.position.value()) +
                    " they have the event with leaf hash " + to_hex(cursor.leaf_hash) + ", and the ledger ";
  return here + (leaf ? "has " + to_hex(*leaf) : "ends at " + std::to_string(log.head().position.value()));
}

// Discards generations, and reports those that disagree with the log.
class Discarding {
 public:
  Discarding(const eventstore::Log& log, const eventstore::LmdbOptions& options, const OnDisagreement& tell)
      : log_(log), options_(options), tell_(tell) {}

  void discard(const GenerationDirectory& one) const {
    const auto why = find_disagreement(one.path, log_, options_);
    if (why) mark_disagreement(one.path, *why);
    auto kept = discard_generation(one.path);
    if (why && tell_) tell_({one.path.filename().string(), *why, std::move(kept)});
  }

  void discard_earlier_sets(const fs::path& views) const {
    for (const auto& one : find_generations(views)) {
      if (one.set_version < kViewSetVersion) discard(one);
    }
  }

 private:
  const eventstore::Log& log_;
  const eventstore::LmdbOptions& options_;
  const OnDisagreement& tell_;
};

}  // namespace

Generation::Generation(const fs::path& directory, const eventstore::Log& log,
                       const eventstore::LmdbOptions& options)
    : directory_(directory),
      identity_(log.identity()),
      database_(std::make_unique<ViewDatabase>(directory, options)) {}

void Generation::load_lists(const eventstore::Log& log) {
  database_->load_lists(log);
  is_loaded_ = true;
}

void Generation::make_checkpoint() {
  if (checkpoints_)
    checkpoints_->make();
  else
    checkpoints_ = std::make_unique<eventstore::DerivedCheckpoints>(database_->environment(), identity_);
}

void Generation::save_lists() {
  database_->save_lists([this] { make_checkpoint(); });
}

void Generation::close() {
  save_lists();
  checkpoints_.reset();
  is_loaded_ = false;
}

Generation::~Generation() {
  try {
    if (is_loaded_ && !retired_) close();
    checkpoints_.reset();
    database_.reset();
    if (retired_) discard_generation(directory_);
  } catch (const std::exception&) {
    // The next start goes back to an earlier checkpoint, or deletes what could not be deleted.
  }
}

std::unique_ptr<Generation> Generation::open(const GenerationDirectory& directory, const eventstore::Log& log,
                                             eventstore::LmdbOptions options) {
  if (!directory.is_complete()) return nullptr;
  try {
    return eventstore::read_or_damaged([&]() -> std::unique_ptr<Generation> {
      const auto opening = eventstore::begin_derived_opening(directory.path, log.identity(), options);
      if (!opening || difference(peek_cursor(directory.path, options), log)) return nullptr;
      std::unique_ptr<Generation> generation(new Generation(directory.path, log, opening->options));
      generation->make_checkpoint();
      generation->load_lists(log);
      return generation;
    });
  } catch (const DataDamaged&) {
    return nullptr;
  }
}

std::unique_ptr<Generation> Generation::open_unfinished(const fs::path& directory, const eventstore::Log& log,
                                                        eventstore::LmdbOptions options) {
  std::unique_ptr<Generation> generation(new Generation(directory, log, without_sync(options)));
  generation->load_lists(log);
  return generation;
}

std::unique_ptr<Generation> Generation::open_or_build(const fs::path& views, const eventstore::Log& log,
                                                      const eventstore::LmdbOptions& options,
                                                      const BuildProgress& progress,
                                                      const OnDisagreement& on_disagreement) {
  const Discarding others(log, options, on_disagreement);
  fs::create_directories(views);
  std::uint64_t next_number = 1;
  for (const auto& one : find_own_generations(views)) next_number = std::max(next_number, one.number + 1);
  remove_unfinished(views);
  std::unique_ptr<Generation> opened;
  for (const auto& candidate : find_own_generations(views)) {
    if (!candidate.is_complete()) continue;
    if (opened) {
      // The rebuild of its successor has compared the two, and has marked it if it must be kept. Its pages
      // are not read here: damaged ones would crash the server.
      discard_generation(candidate.path);
    } else if (auto trusted = open(candidate, log, options)) {
      opened = std::move(trusted);
    } else {
      others.discard(candidate);
    }
  }
  if (opened) {
    catch_up(*opened->database_, log, progress);
    others.discard_earlier_sets(views);
    return opened;
  }
  UnfinishedGeneration unfinished(views, next_number);
  auto built = open_unfinished(unfinished.path(), log, options);
  catch_up(*built->database_, log, progress);
  built->make_checkpoint();
  unfinished.complete();
  others.discard_earlier_sets(views);
  return built;
}

std::optional<fs::path> find_trusted_generation(const fs::path& views,
                                                const eventstore::LogIdentity& identity) {
  for (const auto& candidate : find_own_generations(views)) {
    if (candidate.is_complete() && eventstore::is_derived_readable(candidate.path, identity))
      return candidate.path;
  }
  return std::nullopt;
}

std::optional<std::string> find_disagreement(const fs::path& generation, const eventstore::Log& log,
                                             const eventstore::LmdbOptions& options) {
  if (!eventstore::is_derived_readable(generation, log.identity())) return std::nullopt;
  try {
    return difference(peek_cursor(generation, options), log);
  } catch (const DataDamaged&) {
    return std::nullopt;
  }
}

std::uint64_t catch_up(ViewDatabase& database, const eventstore::Log& log, const BuildProgress& progress,
                       Position end) {
  auto position = database.cursor().position;
  std::uint64_t applied = 0;
  const auto goal = std::min(end, log.head().position);
  if (goal <= position) return 0;
  const auto total = goal.value() - position.value();
  auto batches = eventstore::read_events_ahead(log, position, end);
  while (const auto* batch = batches.next()) {
    position = batch->events.back().position;
    database.apply(batch->events, log.leaf_hash(position).value());
    applied += batch->events.size();
    if (progress) progress(applied, total);
  }
  return applied;
}

}  // namespace pixledger::projections
