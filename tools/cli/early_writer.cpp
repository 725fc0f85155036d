#include "tools/cli/early_writer.h"

#include <chrono>
#include <fcntl.h>
#include <unistd.h>

#include "base/platform/durable_files.h"

namespace pixledger::tools {
namespace {

constexpr off_t kPieceBytes = 1 << 20;
constexpr std::chrono::microseconds kWorthAPause{100};  // the piece had data to write

}  // namespace

EarlyWriter::EarlyWriter(const std::filesystem::path& file) : descriptor_(file, O_RDONLY) {
  if (!descriptor_) fail_on(file, "open");
  thread_ = std::thread([this] { run(); });
}

EarlyWriter::~EarlyWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EarlyWriter::begin() {
  {
    const std::lock_guard lock(mutex_);
    ++asked_;
  }
  changed_.notify_all();
}

void EarlyWriter::finish() {
  begin();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_ == asked_; });
}

void EarlyWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || done_ != asked_; });
    if (stopping_) return;
    const auto asked = asked_;
    lock.unlock();
    write();
    lock.lock();
    done_ = asked;
    changed_.notify_all();
  }
}

void EarlyWriter::write() {
  constexpr unsigned kAndWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const auto end = ::lseek(descriptor_.number(), 0, SEEK_END);
  for (off_t from = 0; from < end && !is_stopping(); from += kPieceBytes) {
    const auto started = std::chrono::steady_clock::now();
    ::sync_file_range(descriptor_.number(), from, kPieceBytes, kAndWait);
    const auto took = std::chrono::steady_clock::now() - started;
    if (took > kWorthAPause) std::this_thread::sleep_for(took);
  }
}

bool EarlyWriter::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

}  // namespace pixledger::tools
