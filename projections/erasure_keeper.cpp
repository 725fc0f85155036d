#include "projections/erasure_keeper.h"

#include <fstream>

#include "eventstore/lmdb_wipe.h"
#include "projections/view_marker.h"

namespace pixledger::projections {
namespace {

constexpr const char* kRequestFile = "erase";  // beside the generations: number, position
constexpr const char* kDoneFile = "erased";    // in a generation: number

struct Request {
  std::uint64_t number = 0;
  std::uint64_t position = 0;
};

Request last_request(const std::filesystem::path& views) {
  Request request;
  std::ifstream file(views / kRequestFile);
  if (!(file >> request.number >> request.position)) return {};
  return request;
}

std::uint64_t last_done(const std::filesystem::path& generation) {
  std::uint64_t number = 0;
  std::ifstream file(generation / kDoneFile);
  if (!(file >> number)) return 0;
  return number;
}

}  // namespace

ErasureKeeper::ErasureKeeper(const CurrentViews& views, std::function<void()> rinse_ledger,
                             std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options)
    : views_(views),
      rinse_ledger_(std::move(rinse_ledger)),
      on_fault_(std::move(on_fault)),
      options_(options) {
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

std::chrono::milliseconds ErasureKeeper::look() {
  try {
    // Those in use may have been exchanged since for others, which were made before the erasure.
    const auto store = views_.store();
    const auto request = last_request(store->directory().parent_path());
    if (request.number > last_done(store->directory()) &&
        store->cursor().position.value() >= request.position)
      finish(*store, request.number);
    return options_.look_every;
  } catch (const std::exception& fault) {
    on_fault_(fault.what());
    return options_.retry_every;
  }
}

void ErasureKeeper::finish(const ViewStore& store, std::uint64_t request) {
  const eventstore::InWrite in_write = [&store](const auto& work) {
    eventstore::LmdbWrite write(store.environment());
    work(write);
  };
  rinse_ledger_();
  eventstore::rinse_page_buffers(in_write);
  eventstore::wipe_unused_bytes(store.environment(), in_write, options_.patience);
  store.save_lists();
  write_file_durably(store.directory() / kDoneFile, std::to_string(request) + "\n");
}

std::uint64_t request_erasure(const std::filesystem::path& views, domain::Position erased) {
  const auto number = last_request(views).number + 1;
  write_file_durably(views / kRequestFile,
                     std::to_string(number) + " " + std::to_string(erased.value()) + "\n");
  return number;
}

bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  return last_done(generation) >= request;
}

}  // namespace pixledger::projections
