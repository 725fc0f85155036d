#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "base/values/timestamp.h"
#include "domain/values/stream_name.h"

// The day on which each API key was last used, for operators who look for unused keys. Not part of the
// ledger: a small file that the server keeps beside it, and that may be lost.
namespace pixledger::eventstore {

// By the key's id: days since 1970-01-01, UTC.
using KeyUses = std::unordered_map<std::string, std::int64_t>;

// Reads a file (DataDirectory::key_uses) with a line for each key and day, "KEYID 2026-11-22"; a key's last
// line counts. Returns nothing if there is no file, and skips invalid lines, such as one that a crash cut
// off. Throws std::system_error if it cannot be read.
KeyUses read_key_uses(const std::filesystem::path& file);

// One server's record of uses. Thread-safe; another use on the same day costs only a look-up.
class KeyUseRecorder {
 public:
  // Calls `log_fault` if the file cannot be read or written; the key's user is not affected. The file is not
  // written before it could be read. Without a file name nothing is kept.
  KeyUseRecorder(std::filesystem::path file, std::function<void(const std::string&)> log_fault);

  void note(const domain::ApiKeyId& key, Timestamp now);
  // Days since 1970-01-01, UTC; nullopt if no use is known.
  std::optional<std::int64_t> last_day(const domain::ApiKeyId& key) const;

 private:
  void read();  // requires file_mutex_
  bool is_news(const std::string& key, std::int64_t day);
  void write(const std::string& key, std::int64_t day);
  std::size_t size() const;
  std::string all() const;

  const std::filesystem::path file_;
  const std::function<void(const std::string&)> log_fault_;
  mutable std::shared_mutex mutex_;
  KeyUses uses_;
  std::mutex file_mutex_;
  bool is_read_ = false;
  std::size_t lines_;  // of the file
};

}  // namespace pixledger::eventstore
