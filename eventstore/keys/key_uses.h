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

// On which day each API key was last used, for operators who ask which can go. No fact of the ledger: a small
// file that the server keeps beside it, and that may be lost.
namespace pixledger::eventstore {

// By the key's id: days since 1970-01-01, UTC.
using KeyUses = std::unordered_map<std::string, std::int64_t>;

// Of a file (DataDirectory::key_uses) with a line for each key and day, "KEYID 2026-11-22"; the last of a key
// counts. Nothing where there is no file; lines that are none, such as what a crash cut off, are left out.
// Throws std::system_error when it cannot be read.
KeyUses read_key_uses(const std::filesystem::path& file);

// What one server keeps. Thread-safe; a key that was used this day already costs a look-up.
class KeyUseRecorder {
 public:
  // `log_fault` is told when the file cannot be read or written, which keeps nobody from using a key; it is
  // not written before it could be read. Without a name of a file nothing is kept.
  KeyUseRecorder(std::filesystem::path file, std::function<void(const std::string&)> log_fault);

  void note(const domain::ApiKeyId& key, Timestamp now);
  // Days since 1970-01-01, UTC; nothing of a key that was never used here, as far as is known.
  std::optional<std::int64_t> last_day(const domain::ApiKeyId& key) const;

 private:
  void read();  // file_mutex_ is held
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
