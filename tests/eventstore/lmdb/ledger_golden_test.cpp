#include <catch2/catch.hpp>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/eventstore/codec/golden_file.h"
#include "tests/eventstore/keys/keyring_fixture.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

// Printable ASCII as it is, other bytes as \xHH.
std::string shown(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const bool plain = byte > ' ' && byte <= '~' && byte != '\\';
    text += plain ? std::string(1, byte) : "\\x" + to_hex(std::string_view(&byte, 1));
  }
  return text;
}

std::string entries_of(const LmdbRead& read, MDB_dbi database) {
  std::string text;
  LmdbCursor cursor(read.get(), database);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT))
    text += shown(cursor.key()) + " = " + shown(cursor.value()) + "\n";
  return text;
}

MDB_dbi open_existing(const LmdbRead& read, const char* name) {
  MDB_dbi database = 0;
  check_lmdb(mdb_dbi_open(read.get(), name, 0, &database), "mdb_dbi_open");
  return database;
}

// Every database of the environment with every key and value.
std::string everything_in(const LmdbEnvironment& environment) {
  std::string text;
  const LmdbRead read(environment);
  LmdbCursor names(read.get(), open_existing(read, nullptr));
  for (bool more = names.move(MDB_FIRST); more; more = names.move(MDB_NEXT)) {
    const std::string name(names.key());
    const auto database = open_existing(read, name.c_str());
    unsigned flags = 0;
    check_lmdb(mdb_dbi_flags(read.get(), database, &flags), "mdb_dbi_flags");
    text += "[" + name + "] flags " + std::to_string(flags) + "\n" + entries_of(read, database);
  }
  return text;
}

// The first golden event of each type that claims names, with short bytes in place of the event's own.
Batch batch_of_claims() {
  Batch batch{tests::golden::kRecordedAt, 1'000'000, {}, {}};
  for (const auto& [file, event] : tests::golden_events()) {
    auto claims = domain::claims_of({event.stream, event.project, event.event});
    if (claims.empty() || file.find('-') != std::string::npos) continue;
    // Both payments of the golden events have one end-to-end id, which only one stream can hold.
    // A deletion or a reversal is not the first event of its stream. The ledger is as made by the first
    // release, which had neither unmatched payments nor teams.
    if (file == "PaymentLeftUnapplied" || file == "ChannelDeleted" || file == "PaymentReversed" ||
        file == "PaymentUnmatched" || file == "MemberAdded")
      continue;
    const auto number = batch.records.size() + 1;
    batch.records.push_back({event.stream, 1, "envelope of " + file,
                             number % 2 == 0 ? "personal of " + file : "", std::move(claims)});
  }
  batch.idempotency = {{sha256("a key"), "a record"}};
  return batch;
}

}  // namespace

TEST_CASE("the ledger's databases hold exactly the golden keys and values") {
  const tests::TemporaryDirectory directory;
  tests::SeededEntropy entropy(42);
  LmdbLog::create(directory.path() / "ledger", entropy, tests::one_gigabyte());
  LmdbLog log(directory.path() / "ledger", tests::one_gigabyte());
  const auto write = log.begin_write();
  write->append(batch_of_claims());
  write->commit();
  log.accept_clock({"6f9619ff-8b86-4011-b42d-00c04fc964ff", 1'760'000'000'123});

  const auto text = everything_in(log.environment());
  CHECK(text == tests::golden_text("ledger.txt", text));
}

TEST_CASE("a ledger that is bound to its keys holds exactly the golden keys and values") {
  const tests::NewKeys made;
  const auto keyring = Keyring::open(made.keys);
  const tests::TemporaryDirectory directory;
  tests::SeededEntropy entropy(42);
  LmdbLog::create(directory.path() / "ledger", entropy, tests::one_gigabyte(), &keyring);
  const LmdbLog log(directory.path() / "ledger", tests::one_gigabyte());

  const auto text = everything_in(log.environment());
  CHECK(text == tests::golden_text("ledger-bound.txt", text));
}

TEST_CASE("the key of an event in its stream is the name, a zero byte and the version in four bytes") {
  const auto stream = StreamName::parse("charge-c12345678").value();
  CHECK(shown(stream_key(stream, 0x01020304)) == "charge-c12345678\\x00\\x01\\x02\\x03\\x04");
}
