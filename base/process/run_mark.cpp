#include "base/process/run_mark.h"

#include <string>
#include <system_error>

#include "base/platform/durable_files.h"

namespace pixledger {
namespace {

constexpr std::string_view kEndedCleanly = "ended cleanly";

}  // namespace

RunMark::RunMark(const std::filesystem::path& directory) : file_(directory / "run") {
  const auto left = read_if_there(file_);
  last_run_ = !left ? "unknown" : *left == kEndedCleanly ? kEndedCleanly : "did not end cleanly";
  note("running");
}

void RunMark::end_cleanly() { note(kEndedCleanly); }

// A full disk must not stop the service. Without a mark no false result is reported.
void RunMark::note(std::string_view mark) const {
  try {
    write_durably(file_, std::string(mark));
  } catch (const std::system_error&) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
}

}  // namespace pixledger
