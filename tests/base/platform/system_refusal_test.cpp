#include <catch2/catch.hpp>
#include <cerrno>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "eventstore/backup/segment.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

constexpr rlim_t kLimit = 4096;
const std::string kWords =
    "a file may not become larger than the file size limit (ulimit -f) of 4096 bytes: raise the limit "
    "(LimitFSIZE, ulimit -f)";

template <class Work>
std::string refusal_under_limit(const Work& work) {
  const FullDisk disk(kLimit);
  try {
    work();
  } catch (const std::system_error& error) {
    return text_of_system_error(error);
  }
  return "";
}

}  // namespace

TEST_CASE("the limit of a file's size is named in bytes, with how to raise it, and may be shown to callers") {
  std::string text;
  {
    const FullDisk disk(kLimit);
    text = describe_refusal(EFBIG).value();
  }
  CHECK(text == kWords);
  CHECK(is_refusal(text));
  CHECK(describe_refusal(EFBIG).value() ==
        "a file may not become larger: the file system has a limit of its own, use another one");
  CHECK_FALSE(is_refusal("the ledger is damaged"));
}

TEST_CASE("a file that cannot be written is named with the cause, and no part of it is left") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  SECTION("a small one") {
    CHECK(refusal_under_limit([&] { write_durably(file, std::string(2 * kLimit, 'x')); }) ==
          "cannot write " + file.string() + ": " + kWords);
  }
  SECTION("one of a backup") {
    CHECK(refusal_under_limit([&] {
            BackupFileWriter writer(file);
            writer.write(std::string(2 * kLimit, 'x'));
            writer.finish();
          }) == "cannot write " + file.string() + ": " + kWords);
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}
