#include <catch2/catch.hpp>

#include "eventstore/backup/manifest.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// Marks it as written by a release with another layout of the databases.
void raise_format(const std::filesystem::path& data) {
  tests::change_closed_ledger(data / "ledger", [](MDB_txn* transaction, const auto& database_by_name) {
    eventstore::LmdbLog::Databases databases{};
    databases.meta = database_by_name("meta");
    eventstore::lmdb_put(transaction, databases.meta, "format", big_endian(eventstore::kNewestFormat + 1));
    eventstore::seal_meta(transaction, databases);
  });
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
    CHECK_THAT(result.err,
               Catch::Contains("written by a newer release (format " +
                               std::to_string(eventstore::kNewestFormat + 1) + ", this release knows " +
                               std::to_string(eventstore::kNewestFormat) + "): upgrade pixledger"));
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

TEST_CASE(
    "release 0.1.0 reads a ledger's backup until there is an event that it cannot read, and no ledger with a "
    "journal") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto backup = [&](const std::string& name) {
    const auto directory = (pixledger.directory() / name).string();
    pixledger.done({"backup", directory});
    return eventstore::find_manifest(directory).value().format;
  };
  const auto ledger_format = [&] {
    const eventstore::LmdbLog log(pixledger.data() / "ledger", tests::one_gigabyte());
    return log.stored_format();
  };
  CHECK(ledger_format() == eventstore::kJournalFormat);
  CHECK(backup("before") == eventstore::kLedgerFormatVersion);

  pixledger.done({"user", "invite", "--project", project, "--email", "ana@example.com", "--role", "owner"});
  CHECK(ledger_format() == eventstore::kJournalFormat);
  CHECK(backup("after") == eventstore::kLedgerFormat);
}

TEST_CASE("a backup of a restored ledger has the format that the restored events need") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  pixledger.done({"user", "invite", "--project", project, "--email", "ana@example.com", "--role", "owner"});
  const auto directory = pixledger.directory();
  pixledger.done({"backup", (directory / "backup").string(), "--with-keys"});
  const auto format_restored = [&](const std::string& name, const std::vector<std::string>& more) {
    auto arguments = std::vector<std::string>{"restore", (directory / "backup").string(), "--data",
                                              (directory / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(run_process(built_program("pixledger"), arguments).code == 0);
    const auto again = directory / (name + " again");
    CHECK(run_process(built_program("pixledger"),
                      {"backup", again.string(), "--data", (directory / name).string()})
              .code == 0);
    return eventstore::find_manifest(again).value().format;
  };
  CHECK(format_restored("whole", {}) == eventstore::kLedgerFormat);
  CHECK(format_restored("cut", {"--until-position", "1"}) == eventstore::kLedgerFormatVersion);
}
