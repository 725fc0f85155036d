#include "projections/generations/list_saver.h"

namespace pixledger::projections {

ListSaver::ListSaver(const CurrentViews& views, const Projector& projector,
                     std::function<void(const std::string&)> on_fault, ListSaverOptions options)
    : views_(views),
      projector_(projector),
      on_fault_(std::move(on_fault)),
      options_(options),
      saved_(projector.applied()),
      saved_at_(std::chrono::steady_clock::now()) {
  thread_ = std::thread([this] { run(); });
}

ListSaver::~ListSaver() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void ListSaver::run() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, options_.look_every, [this] { return stopping_; })) {
    if (!is_due(std::chrono::steady_clock::now())) continue;
    lock.unlock();
    save();
    lock.lock();
  }
}

void ListSaver::save() {
  saved_ = projector_.applied();
  saved_at_ = std::chrono::steady_clock::now();
  try {
    views_.database()->save_lists();
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
