#include <catch2/catch.hpp>

#include "eventstore/log/ledger_log.h"
#include "tests/eventstore/lmdb/forked_child.h"

// The format number that tells an older release that a newer one wrote a ledger.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// The test that release 0.1.0 makes before it reads any event.
bool says_newer_in_0_1_0(const LmdbLog& log) { return log.stored_format() > 1; }

// A ledger whose events need the format `needed`.
struct Ledger {
  EmptyLedger empty;
  std::uint32_t needed = kLedgerFormatVersion;
  LmdbLog log{empty.path(), one_gigabyte(), [this](const StoredEvent&) { return needed; }};
};

}  // namespace

TEST_CASE("a ledger's format is newer from the first event that 0.1.0 cannot read, and not before") {
  Ledger ledger;
  append_one(ledger.log);
  CHECK_FALSE(says_newer_in_0_1_0(ledger.log));
  ledger.needed = kLedgerFormat;
  {
    const auto given_up = ledger.log.begin_write();
    given_up->append(next_of_stream(*given_up));
  }
  CHECK_FALSE(says_newer_in_0_1_0(ledger.log));
  append_one(ledger.log);
  CHECK(says_newer_in_0_1_0(ledger.log));
  ledger.needed = kLedgerFormatVersion;
  append_one(ledger.log);
  CHECK(says_newer_in_0_1_0(ledger.log));
  CHECK_FALSE(ledger.log.is_copy());
  CHECK(ledger.log.snapshot()->problem_of_meta() == std::nullopt);
}

TEST_CASE("a ledger that fails to become a copy keeps the format that its events need") {
  for (const auto format : {kLedgerFormatVersion, kLedgerFormat}) {
    Ledger ledger;
    ledger.needed = format;
    append_one(ledger.log);
    CHECK_THROWS_AS(ledger.log.become_copy([]() -> std::uint64_t { throw LogUnavailable("away"); }),
                    LogUnavailable);
    CHECK(ledger.log.stored_format() == format);
    ledger.log.become_copy([] { return 1; });
    CHECK(ledger.log.is_copy());
    CHECK(ledger.log.stored_format() == format_of_copy(format));
    ledger.log.be_no_copy([] {});
    CHECK(ledger.log.stored_format() == format);
  }
}
