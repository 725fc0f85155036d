#include "eventstore/keys/key_uses.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"
#include "base/values/civil_date.h"

namespace pixledger::eventstore {
namespace {

// A file with more than twice as many lines as keys is rewritten, unless it is this short.
constexpr std::size_t kShortLines = 1'000;
// The number of lines is unknown, and the last may be cut off: the next use rewrites the file.
constexpr std::size_t kLinesUnknown = std::numeric_limits<std::size_t>::max();

std::string line_of(const std::string& key, std::int64_t day) {
  return key + " " + to_iso8601(Timestamp(day * kDayMs)).substr(0, 10) + "\n";
}

void append(const std::filesystem::path& file, const std::string& line) {
  const Descriptor appended(file, O_WRONLY | O_APPEND | O_CREAT);
  if (!appended) fail_on(file, "open");
  const auto written = ::write(appended.number(), line.data(), line.size());
  if (written >= 0) errno = ENOSPC;
  if (written != static_cast<ssize_t>(line.size())) fail_on(file, "write");
}

}  // namespace

KeyUses read_key_uses(const std::filesystem::path& file) {
  KeyUses uses;
  std::istringstream lines(read_if_there(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const auto key = domain::ApiKeyId::parse(line.substr(0, blank));
    const auto midnight = parse_date(line.substr(blank + 1));
    if (!key || !midnight) continue;
    auto& day = uses[key->text()];
    day = std::max(day, midnight->millis() / kDayMs);
  }
  return uses;
}

KeyUseRecorder::KeyUseRecorder(std::filesystem::path file, std::function<void(const std::string&)> log_fault)
    : file_(std::move(file)), log_fault_(std::move(log_fault)), lines_(kLinesUnknown) {
  if (file_.empty()) return;
  const std::lock_guard lock(file_mutex_);
  try {
    read();
  } catch (const std::exception& error) {
    log_fault_(error.what());
  }
}

void KeyUseRecorder::read() {
  const auto kept = read_key_uses(file_);
  is_read_ = true;
  const std::unique_lock lock(mutex_);
  for (const auto& [key, day] : kept) {
    auto& known = uses_[key];
    known = std::max(known, day);
  }
}

void KeyUseRecorder::note(const domain::ApiKeyId& key, Timestamp now) {
  const auto day = now.millis() / kDayMs;
  if (is_news(key.text(), day)) write(key.text(), day);
}

std::optional<std::int64_t> KeyUseRecorder::last_day(const domain::ApiKeyId& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = uses_.find(key.text());
  return found == uses_.end() ? std::nullopt : std::optional(found->second);
}

bool KeyUseRecorder::is_news(const std::string& key, std::int64_t day) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = uses_.find(key);
    if (found != uses_.end() && found->second >= day) return false;
  }
  const std::unique_lock lock(mutex_);
  auto& known = uses_[key];
  return std::exchange(known, std::max(known, day)) < day;
}

void KeyUseRecorder::write(const std::string& key, std::int64_t day) {
  if (file_.empty()) return;
  const std::lock_guard lock(file_mutex_);
  try {
    if (!is_read_) read();
    const auto keys = size();
    if (lines_ < 2 * keys + kShortLines) {
      append(file_, line_of(key, day));
      ++lines_;
    } else {
      write_durably(file_, all());
      lines_ = keys;
    }
  } catch (const std::exception& error) {
    lines_ = kLinesUnknown;
    log_fault_(error.what());
  }
}

std::size_t KeyUseRecorder::size() const {
  const std::shared_lock lock(mutex_);
  return uses_.size();
}

std::string KeyUseRecorder::all() const {
  const std::shared_lock lock(mutex_);
  std::string text;
  for (const auto& [key, day] : uses_) text += line_of(key, day);
  return text;
}

}  // namespace pixledger::eventstore
