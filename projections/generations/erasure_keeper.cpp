#include "projections/generations/erasure_keeper.h"

#include "eventstore/lmdb/lmdb_scrub.h"
#include "projections/generations/erasure_request.h"

namespace pixledger::projections {
namespace {

std::string no_room(const std::exception& fault) {
  return std::string(
             "there is no room to overwrite what is removed: give all programs a larger --map-size (") +
         fault.what() + ")";
}

}  // namespace

ErasureKeeper::ErasureKeeper(const CurrentViews& views, std::function<void()> forget,
                             std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options)
    : views_(views), forget_(std::move(forget)), on_fault_(std::move(on_fault)), options_(options) {
  thread_ = std::thread([this] { run(); });
}

ErasureKeeper::~ErasureKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void ErasureKeeper::run() {
  std::unique_lock lock(mutex_);
  auto pause = options_.look_every;
  while (!stop_.wait_for(lock, pause, [this] { return stopping_; })) {
    lock.unlock();
    pause = look();
    lock.lock();
  }
}

void ErasureKeeper::check_not_stopping() {
  const std::lock_guard lock(mutex_);
  if (stopping_) throw Stopped();
}

std::chrono::milliseconds ErasureKeeper::look() {
  try {
    // Those in use may have been exchanged since for others, which were made before the erasure.
    const auto database = views_.database();
    const auto request = last_erasure_request(database->directory().parent_path());
    if (!is_erasure_done(database->directory(), request.number) &&
        database->cursor().position >= request.position)
      finish(*database, request.number);
    return options_.look_every;
  } catch (const Stopped&) {
    // Whoever has these views next begins again.
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

void ErasureKeeper::finish(const ViewDatabase& database, std::uint64_t request) {
  const auto check = [this] { check_not_stopping(); };
  const eventstore::InWrite in_write = [&](const auto& work) {
    check();
    eventstore::LmdbWrite write(database.environment());
    work(write);
  };
  forget_();
  eventstore::scrub_page_buffers(in_write);
  eventstore::scrub_unused_bytes(database.environment(), in_write, options_.patience, check);
  check();
  database.save_lists();
  note_erasure_done(database.directory(), request);
}

}  // namespace pixledger::projections
