#include "eventstore/process/run_mark.h"

#include "eventstore/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kEndedCleanly = "ended cleanly";

}  // namespace

RunMark::RunMark(const std::filesystem::path& directory) : file_(directory / "run") {
  const auto left = read_if_there(file_);
  last_run_ = !left ? "unknown" : *left == kEndedCleanly ? kEndedCleanly : "did not end cleanly";
  write_durably(file_, "running");
}

void RunMark::end_cleanly() { write_durably(file_, std::string(kEndedCleanly)); }

}  // namespace pixledger::eventstore
