#include "base/targets/directory_target.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>

#include "base/process/options.h"
#include "base/targets/open_target.h"
#include "tests/base/targets/target_contract.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
namespace fs = std::filesystem;

namespace {

TargetFault fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const TargetError& error) {
    return error.fault();
  }
  FAIL("it did not fail");
  return TargetFault::kOther;
}

}  // namespace

TEST_CASE("a directory is a target") {
  const tests::TemporaryDirectory directory;
  SECTION("that is there") {
    DirectoryTarget target(directory.path());
    tests::check_target_contract(target);
  }
  SECTION("that is made") {
    DirectoryTarget target(directory.path() / "new");
    tests::check_target_contract(target);
    CHECK(fs::is_directory(directory.path() / "new"));
  }
}

TEST_CASE("a directory in a missing one is unreachable, and is not made") {
  const tests::TemporaryDirectory directory;
  DirectoryTarget target(directory.path() / "not-mounted" / "backup");
  CHECK(fault_of([&] { target.list(""); }) == TargetFault::kUnreachable);
  CHECK(fault_of([&] { write_text(target, "LEDGER", "x"); }) == TargetFault::kUnreachable);
  CHECK_FALSE(fs::exists(directory.path() / "not-mounted"));
}

TEST_CASE("a full directory keeps what it had") {
  const tests::TemporaryDirectory directory;
  DirectoryTarget target(directory.path());
  write_text(target, "LEDGER", "before");
  {
    const tests::FullDisk full(100'000);
    CHECK(fault_of([&] { write_text(target, "LEDGER", std::string(200'000, 'x')); }) == TargetFault::kFull);
  }
  CHECK(read_whole(target, "LEDGER") == "before");
  CHECK(target.list("") == std::vector<TargetObject>{{"LEDGER", 6}});
}

TEST_CASE("what a killed writer left is no object, and goes with the next write; a living one's stays") {
  const tests::TemporaryDirectory directory;
  const auto left = directory.path() / ".unfinished-killed";
  const auto in_use = directory.path() / ".unfinished-living";
  std::ofstream(left) << "half";
  const Descriptor living(in_use, O_WRONLY | O_CREAT);
  REQUIRE(::flock(living.number(), LOCK_EX) == 0);
  DirectoryTarget target(directory.path());
  CHECK(target.list("").empty());
  write_text(target, "LEDGER", "x");
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(in_use));
  CHECK(target.list("") == std::vector<TargetObject>{{"LEDGER", 1}});
}

TEST_CASE("a target's URI names a directory by an absolute path") {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path().string();
  CHECK(open_target(path)->uri() == path);
  CHECK(open_target(path + "/")->uri() == path);
  CHECK(open_target("file://" + path)->uri() == path);
  for (const auto* const malformed : {"", "/", "backup", "file://", "file://backup", "ftp://host/x"})
    CHECK_THROWS_AS(open_target(malformed), UsageError);
}
