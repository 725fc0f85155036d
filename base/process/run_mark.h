#pragma once

#include <filesystem>
#include <string_view>

namespace pixledger {

// Reports at a service's start how its last run on a data directory ended. Requires the service's lock.
class RunMark {
 public:
  // Reads the last run's mark in `directory`, which must exist, and marks this run as running.
  explicit RunMark(const std::filesystem::path& directory);
  RunMark(const RunMark&) = delete;
  RunMark& operator=(const RunMark&) = delete;

  // For messages: "ended cleanly", "did not end cleanly" (killed, crashed, or ended by a fault), "unknown"
  // (no earlier run, or one by a release without marks).
  std::string_view last_run() const { return last_run_; }

  // Call when the service has finished its work. Any other end counts as unclean.
  void end_cleanly();

 private:
  void note(std::string_view mark) const;

  std::filesystem::path file_;
  std::string_view last_run_;
};

}  // namespace pixledger
