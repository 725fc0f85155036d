#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/process/at_most_every.h"
#include "base/process/logging.h"

namespace pixledger::http {

// What cannot be read costs its own metrics alone, since the others may be what shows why. The first fault of
// each source is logged, and one in every kPause from then on. Thread-safe.
class MetricFaults {
 public:
  static constexpr std::chrono::minutes kPause{10};

  // The logger outlives it.
  explicit MetricFaults(Logger& logger) : logger_(logger) {}

  // Runs `read`, whatever it throws. `source` is one of few.
  void attempt(const std::string& source, const std::function<void()>& read);

 private:
  void log(const std::string& source, const std::string& fault);

  Logger& logger_;
  std::mutex mutex_;
  std::map<std::string, AtMostEvery> pauses_;  // by source
};

}  // namespace pixledger::http
