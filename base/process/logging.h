#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/platform/clock_and_entropy.h"

namespace pixledger {

enum class LogFormat {
  kJson,  // {"time":"2026-01-31T12:00:00.123Z","level":"info","message":"…", fields…}
  kText,  // 2026-01-31T12:00:00.123Z info    message  name=value
};
enum class LogLevel { kInfo, kWarning, kError };

struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, bool> value;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const std::string& text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, bool truth) : name(field), value(truth) {}
  template <class Integer>
  requires std::is_integral_v<Integer> LogField(std::string_view field, Integer number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
};
using LogFields = std::initializer_list<LogField>;

// Writes each entry as one line, atomically, so lines of several threads and processes never mix.
// Thread-safe. Callers must not pass secrets or personal data; texts that look like API keys or webhook
// secrets are masked anyway. Texts that are not UTF-8 lose their non-ASCII bytes. Entries that cannot be
// written, as on a full disk, are lost; the next written entry is preceded by their count.
class Logger {
 public:
  // The clock must outlive the logger; the caller keeps the descriptor.
  Logger(LogFormat format, const Clock& clock, int descriptor = 2)
      : format_(format), clock_(clock), descriptor_(descriptor) {}

  void log(LogLevel level, std::string_view message, LogFields fields);
  void info(std::string_view message, LogFields fields = {}) { log(LogLevel::kInfo, message, fields); }
  void warning(std::string_view message, LogFields fields = {}) { log(LogLevel::kWarning, message, fields); }
  void error(std::string_view message, LogFields fields = {}) { log(LogLevel::kError, message, fields); }

 private:
  const LogFormat format_;
  const Clock& clock_;
  // Returns false if the line was not written completely.
  bool write(const std::string& line);
  std::string line_of(LogLevel level, std::string_view message, LogFields fields) const;

  const int descriptor_;
  std::mutex mutex_;
  std::uint64_t lost_ = 0;
  bool is_cut_off_ = false;  // the last line was written partially
};

// Limits a frequent action, such as a log line, to once per pause. Thread-safe.
class AtMostEvery {
 public:
  using Clock = std::chrono::steady_clock;

  explicit AtMostEvery(std::chrono::milliseconds pause) : pause_(pause) {}

  // True the first time, and then for the first call after each pause.
  bool due(Clock::time_point now = Clock::now()) {
    const std::int64_t now_ns = now.time_since_epoch().count();
    std::int64_t next_ns = next_ns_.load(std::memory_order_relaxed);
    return now_ns >= next_ns &&
           next_ns_.compare_exchange_strong(next_ns, (now + pause_).time_since_epoch().count());
  }

 private:
  const std::chrono::milliseconds pause_;
  std::atomic<std::int64_t> next_ns_{INT64_MIN};
};

}  // namespace pixledger
