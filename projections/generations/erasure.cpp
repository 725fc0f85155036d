#include "projections/generations/erasure.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_scrub.h"
#include "eventstore/reading/log_scan.h"
#include "projections/generations/generation_directory.h"

namespace pixledger::projections {
namespace {

constexpr const char* kRequestFile = "erase";  // beside the generations: number, position
constexpr const char* kDoneFile = "erased";    // in a generation: number

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{20};

// Generations of a newer format, which may contain any data.
std::optional<fs::path> find_newer_generation(const fs::path& views) {
  const auto all = find_generations(views);
  if (all.empty() || all.front().set_version <= kViewSetVersion) return std::nullopt;
  return all.front().path;
}

template <class Choose>
void remove_generations(const fs::path& views, Choose choose) {
  for (const auto& entry : fs::directory_iterator(views)) {
    if (entry.is_directory() && choose(entry.path())) fs::remove_all(entry.path());
  }
}

// A restarted node may have to read this many events again.
constexpr std::uint64_t kNoteEveryEvents = 10'000;

std::string no_room(const std::exception& fault) {
  return std::string(
             "there is no room to overwrite what is removed: give all programs a larger --map-size (") +
         fault.what() + ")";
}

}  // namespace

std::uint64_t request_erasure(const std::filesystem::path& views, Position erased) {
  const auto number = last_erasure_request(views).number + 1;
  write_durably(views / kRequestFile, std::to_string(number) + " " + std::to_string(erased.value()) + "\n");
  return number;
}

ErasureRequest last_erasure_request(const std::filesystem::path& views) {
  std::uint64_t number = 0;
  std::uint64_t position = 0;
  std::istringstream file(read_if_there(views / kRequestFile).value_or(""));
  if (!(file >> number >> position)) return {};
  return {number, Position(position)};
}

bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  std::uint64_t done = 0;
  std::istringstream file(read_if_there(generation / kDoneFile).value_or(""));
  if (!(file >> done)) done = 0;
  return done >= request;
}

void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  write_durably(generation / kDoneFile, std::to_string(request) + "\n");
}

bool wait_until(std::chrono::milliseconds patience, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

void erase_from_views(const fs::path& views, Position erased, std::chrono::milliseconds patience) {
  if (!fs::is_directory(views)) return;
  // A rebuild may have read the data before its removal, and no server uses its result yet.
  const auto rebuilds = views / kRebuildLock;
  std::unique_ptr<OwnerLock> no_rebuild;
  if (!wait_until(patience, [&] { return (no_rebuild = OwnerLock::try_take(rebuilds)) != nullptr; }))
    throw ErasureHeldUp("the read models are being rebuilt (" + OwnerLock::holder_of(rebuilds) + ")",
                        "Wait until that is done");
  const auto request = request_erasure(views, erased);
  const auto is_clear = [&] {
    if (const auto owner = OwnerLock::try_take(views / "lock")) {
      // Read models are rebuilt from the ledger, which no longer contains the customer.
      remove_generations(views, [](const fs::path& path) { return !is_kept_generation(path); });
      return true;
    }
    // An exchanged generation remains until its last reader has gone.
    const auto all = find_own_generations(views);
    return !all.empty() && std::all_of(all.begin(), all.end(),
                                       [&](const auto& one) { return is_erasure_done(one.path, request); });
  };
  const bool is_done = wait_until(patience, is_clear);
  if (const auto newer = find_newer_generation(views))
    throw ErasureHeldUp(
        newer->string() + " is of a newer release, and may name them",
        "Remove that directory, which is made again when it is needed; or, while a server of that release "
        "runs, use its own pixledger");
  if (!is_done)
    throw ErasureHeldUp(
        "the server (" + OwnerLock::holder_of(views / "lock") + ") has not removed it from its read models",
        "See what its log says, or stop it");
  // Generations of an older release, which no process opens any more.
  for (const auto& one : find_generations(views))
    if (one.set_version < kViewSetVersion) fs::remove_all(one.path);
  if (const auto kept = find_kept_generations(views); !kept.empty())
    throw ErasureHeldUp(
        kept.front().path.string() + " is kept because it disagreed with the ledger, and may name them",
        "Find out which of the two is right, and remove that directory");
}

std::vector<Position> erasures_between(const eventstore::Log& log, Position after, Position last) {
  std::vector<Position> found;
  eventstore::for_each_event(log, after, last, [&](const domain::RecordedEvent& event) {
    const auto* const change = std::get_if<domain::CustomerEvent>(&event.event);
    if (change && std::holds_alternative<domain::CustomerErased>(*change)) found.push_back(event.position);
  });
  return found;
}

PendingErasures pending_erasures(const eventstore::Log& log, const eventstore::Cluster& cluster) {
  PendingErasures pending{.erasures = {}, .up_to = log.head().position};
  for (const auto position : erasures_between(log, cluster.erased(), pending.up_to))
    pending.erasures.push_back(eventstore::erasure_at(log, position));
  return pending;
}

ErasureFollower::ErasureFollower(DataDirectory data, eventstore::LedgerLog& log, eventstore::Cluster& cluster,
                                 std::function<void(const std::string&)> on_fault,
                                 ErasureFollowerOptions options)
    : data_(std::move(data)),
      log_(log),
      cluster_(cluster),
      on_fault_(std::move(on_fault)),
      options_(options),
      thread_(Periodic::kAtOnce, [this] { return look(); }) {}

Periodic::Wait ErasureFollower::look() {
  try {
    const auto head = log_.head().position;
    if (!has_looked_ || is_note_lost() || !erasures_between(log_, looked_at_, head).empty() ||
        head.value() >= looked_at_.value() + kNoteEveryEvents)
      do_part();
    else
      looked_at_ = std::max(looked_at_, head);
    return options_.look_every;
  } catch (const eventstore::LogUnavailable&) {
    // The log reports the fault, and the requester of an erasure sees which nodes have not done their part.
    return options_.look_every;
  } catch (const std::exception& fault) {
    on_fault_(fault.what());
    return options_.retry_every;
  }
}

bool ErasureFollower::is_note_lost() const {
  const auto seen = cluster_.seen_erased();
  return seen && seen->looked_at > noted_at_ && seen->position < noted_;
}

void ErasureFollower::do_part() {
  // A command on this node may have done it already, or may be doing it.
  const auto turn = OwnerLock::take_within(data_.erasing_lock(), options_.patience);
  const auto pending = pending_erasures(log_, cluster_);
  if (!pending.erasures.empty()) {
    log_.remove_personal(eventstore::records_erased_by(log_, pending.erasures).positions);
    erase_from_views(data_.views(), pending.erasures.back().erased, options_.patience);
    log_.scrub(options_.patience);
  }
  cluster_.note_erased(pending.up_to);
  noted_ = pending.up_to;
  noted_at_ = std::chrono::steady_clock::now();
  has_looked_ = true;
  looked_at_ = pending.up_to;
}

ErasureKeeper::ErasureKeeper(const CurrentViews& views, std::function<void()> forget,
                             std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options)
    : views_(views),
      forget_(std::move(forget)),
      on_fault_(std::move(on_fault)),
      options_(options),
      thread_(options_.look_every, [this] { return look(); }) {}

Periodic::Wait ErasureKeeper::look() {
  try {
    // The generation in use may have been exchanged for one made before the erasure.
    const auto generation = views_.in_use();
    const auto& directory = generation->directory();
    const auto request = last_erasure_request(directory.parent_path());
    if (!is_erasure_done(directory, request.number) &&
        generation->database().cursor().position >= request.position)
      finish(*generation, request.number);
    return options_.look_every;
  } catch (const Stopped&) {
    // The next owner of these views starts again.
    return options_.look_every;
  } catch (const eventstore::LmdbError& fault) {
    on_fault_(fault.code() == MDB_MAP_FULL ? no_room(fault) : fault.what());
  } catch (const eventstore::LogUnavailable& fault) {
    on_fault_(no_room(fault));
  } catch (const std::exception& fault) {
    on_fault_(fault.what());
  }
  return options_.retry_every;
}

void ErasureKeeper::finish(Generation& generation, std::uint64_t request) {
  const auto& database = generation.database();
  const auto check = [this] {
    if (thread_.wait_for_stop(std::chrono::milliseconds(0))) throw Stopped();
  };
  const eventstore::InWrite in_write = [&](const auto& work) {
    check();
    eventstore::LmdbWrite write(database.environment());
    work(write);
  };
  forget_();
  eventstore::scrub_page_buffers(in_write);
  eventstore::scrub_unused_bytes(database.environment(), in_write, options_.patience, check,
                                 [&] { generation.make_checkpoint(); });
  check();
  generation.save_lists();
  note_erasure_done(generation.directory(), request);
}

}  // namespace pixledger::projections
