#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace pixledger::tools {

// How far a long command has come: share, rate and time left, on one line of the terminal. Writes nothing
// when stderr is no terminal. Not for several threads.
class ProgressBar {
 public:
  // `unit` is what is counted: "events".
  ProgressBar(std::string label, std::string unit);
  // Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::uint64_t done, std::uint64_t total);

 private:
  const std::string label_;
  const std::string unit_;
  const bool is_seen_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
};

// "verify  [#####.....]  50 %  512,000 events/s  12 s left"
std::string progress_line(const std::string& label, const std::string& unit, std::uint64_t done,
                          std::uint64_t total, std::chrono::milliseconds elapsed);

}  // namespace pixledger::tools
