#include <catch2/catch.hpp>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// As if a release with another layout of the databases had written it.
void raise_format(const std::filesystem::path& data) {
  const auto options = tests::one_gigabyte();
  const eventstore::LmdbLog log(data / "ledger", options);
  eventstore::LmdbWrite write(log.environment());
  eventstore::lmdb_put(write.get(), log.databases().meta, "format",
                       eventstore::big_endian(std::uint64_t{eventstore::kCopyFormatVersion} + 1));
  eventstore::seal_meta(write.get(), log.databases());
  write.commit();
}

}  // namespace

TEST_CASE("no program touches a ledger that a newer release wrote, and each says why") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  raise_format(pixledger.data());
  const auto refusal = [&](const std::string& program, const std::vector<std::string>& arguments) {
    INFO(program << (arguments.empty() ? "" : " " + arguments.front()));
    const auto result = run_process(built_program(program), pixledger.arguments(arguments));
    CHECK(result.code == 3);
    CHECK_THAT(result.err, Catch::Contains("written by a newer release (format 3, this release knows 2): "
                                           "upgrade pixledger"));
  };
  refusal("pixledger-server", {"--listen", "127.0.0.1:0"});
  refusal("pixledger-webhooks", {});
  refusal("pixledger-emails", {});
  refusal("pixledger-expiry", {});
  refusal("pixledger-providers", {});
  refusal("pixledger", {"project", "list"});
  refusal("pixledger", {"events"});
  refusal("pixledger", {"verify"});
  refusal("pixledger", {"report"});
  refusal("pixledger", {"checkpoint"});
  refusal("pixledger", {"up", "--listen", "127.0.0.1:0"});
}
