#pragma once

#include <filesystem>
#include <string_view>

namespace pixledger {

// Says at a service's start how its last run on a data directory ended. Only who holds the service's lock
// makes one.
class RunMark {
 public:
  // Reads what the last run left in `directory`, which must be there, and marks this one as running.
  explicit RunMark(const std::filesystem::path& directory);
  RunMark(const RunMark&) = delete;
  RunMark& operator=(const RunMark&) = delete;

  // For people: "ended cleanly", "did not end cleanly" (killed, crashed, or ended by a fault), "unknown"
  // (there was none, or one of a release that left no mark).
  std::string_view last_run() const { return last_run_; }

  // The service has finished what it does. What ends without this call has not ended cleanly.
  void end_cleanly();

 private:
  void note(std::string_view mark) const;

  std::filesystem::path file_;
  std::string_view last_run_;
};

}  // namespace pixledger
