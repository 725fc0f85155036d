#include "tools/cli/early_writer.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <system_error>

#include "tests/support/temporary_directory.h"

namespace pixledger::tests {
namespace {

void append(const std::filesystem::path& file, std::size_t mebibytes) {
  std::ofstream(file, std::ios::binary | std::ios::app) << std::string(mebibytes << 20, 'x');
}

}  // namespace

TEST_CASE("a growing file is written back on each request, and keeps its content") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  append(file, 1);
  tools::EarlyWriter writer(file);
  writer.finish();
  append(file, 2);
  writer.begin();
  append(file, 2);
  writer.begin();
  writer.finish();
  writer.finish();
  CHECK(std::filesystem::file_size(file) == 5 << 20);
}

TEST_CASE("an early writer of a file may stop at any time, and throws for a missing file") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  CHECK_THROWS_AS(tools::EarlyWriter(file), std::system_error);
  append(file, 20);
  { const tools::EarlyWriter idle(file); }
  {
    tools::EarlyWriter busy(file);
    busy.begin();
  }
  CHECK(std::filesystem::file_size(file) == 20 << 20);
}

}  // namespace pixledger::tests
