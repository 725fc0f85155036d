#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/power_loss/checked_recording.h"
#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger::tests;

namespace {

struct Probe {
  explicit Probe(const std::string& call) {
    std::filesystem::create_directory(data);
    recording.add_directory();
    ran = run_process(PIXLEDGER_POWER_LOSS_PROBE, {call, data.string()}, recording.environment(),
                      std::chrono::seconds(60));
  }

  TemporaryDirectory directory;
  std::filesystem::path data = directory.path() / "data";
  Recording recording{directory.path() / "recording", data, 0};
  ProcessResult ran;
};

}  // namespace

TEST_CASE("the recorded directory is the real one, whichever calls have changed it") {
  for (const auto* call : {"pwrite", "pwritev", "pwritev2", "pwritev2 at the position", "truncate", "O_TRUNC",
                           "creat", "fallocate", "fallocate that keeps the size", "a hole", "renameat2",
                           "linkat", "copy_file_range", "a mapped file of locks"}) {
    INFO(call);
    const Probe probe(call);
    INFO(probe.ran.err);
    CHECK(probe.ran.code == 0);
    CHECK_NOTHROW(CheckedRecording(probe.recording, 1));
  }
}

TEST_CASE("a write with RWF_DSYNC is a sync of its range") {
  const Probe probe("pwritev2");
  CHECK(CheckedRecording(probe.recording, 1).cuts().size() == 2);
}

TEST_CASE("a call that cannot be recorded ends the process and the recording") {
  for (const auto* call :
       {"pwritev2 that appends", "a collapsed range", "an exchange", "a way out", "a file without a name",
        "a temporary file", "a symbolic link", "a mapped file", "io_uring"}) {
    INFO(call);
    const Probe probe(call);
    CHECK(probe.ran.code < 0);
    CHECK(probe.ran.err.find("the recorder cannot record ") != std::string::npos);
    CHECK_THROWS_WITH(probe.recording.records(), Catch::StartsWith("the recorder cannot record "));
  }
}

TEST_CASE("a write that the recorder has missed is found in the directory") {
  const Probe probe("fwrite");
  CHECK(probe.ran.code == 0);
  CHECK_THROWS_WITH(CheckedRecording(probe.recording, 1), Catch::Contains("has missed a write to "));
}
