#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/paths.h"

namespace pixledger::tests {

// Compares with tests/eventstore/golden/<name>. These files hold bytes that releases have written, so a
// difference means a release that cannot read older ledgers. With PIXLEDGER_WRITE_GOLDEN=1 in the environment
// the files are written instead, and the test fails so that it is not mistaken for a pass.
inline std::string golden_text(const std::string& name, const std::string& actual) {
  const auto path = std::filesystem::path(source_file("tests/eventstore/golden")) / name;
  const char* write = std::getenv("PIXLEDGER_WRITE_GOLDEN");
  if (write && std::string(write) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
    FAIL_CHECK("wrote " << path
                        << ": look at the difference, then run the test without PIXLEDGER_WRITE_GOLDEN");
    return actual;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) FAIL("there is no golden file " << path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace pixledger::tests
