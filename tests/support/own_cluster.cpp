#include "tests/support/own_cluster.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/servers/process.h"

namespace pixledger::tests {
namespace {

ProcessResult run_script(const char* action, const std::filesystem::path& told) {
  return run_process(source_file("tests/postgres/cluster"), {action, told.string()});
}

}  // namespace

OwnCluster::OwnCluster() {
  const auto started = run_script("start", told());
  INFO(started.err);
  REQUIRE(started.code == 0);
}

OwnCluster::~OwnCluster() { run_script("stop", told()); }

void OwnCluster::stop_standby() const { REQUIRE(run_script("stop-standby", told()).code == 0); }

eventstore::LedgerUri OwnCluster::uri_in(const char* file) const {
  std::ifstream in(told() / file);
  std::string text;
  REQUIRE(std::getline(in, text));
  return eventstore::LedgerUri::parse(text).value();
}

}  // namespace pixledger::tests
