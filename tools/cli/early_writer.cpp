#include "tools/cli/early_writer.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace pixledger::tools {
namespace {

constexpr off_t kPieceBytes = 1 << 20;
constexpr std::chrono::microseconds kWorthAPause{100};  // there was something to write

}  // namespace

EarlyWriter::EarlyWriter(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
}

EarlyWriter::~EarlyWriter() { ::close(descriptor_); }

void EarlyWriter::write() {
  constexpr unsigned kAndWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const auto end = ::lseek(descriptor_, 0, SEEK_END);
  for (off_t from = 0; from < end; from += kPieceBytes) {
    const auto started = std::chrono::steady_clock::now();
    ::sync_file_range(descriptor_, from, kPieceBytes, kAndWait);
    const auto took = std::chrono::steady_clock::now() - started;
    if (took > kWorthAPause) std::this_thread::sleep_for(took);
  }
}

}  // namespace pixledger::tools
