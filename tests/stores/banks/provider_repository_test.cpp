#include "stores/banks/provider_repository.h"

#include <catch2/catch.hpp>

#include "base/platform/faults.h"
#include "stores/sql/sqlite_database.h"
#include "stores/status/provider_state.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

eventstore::LogCursor cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, Position(position), {}};
}
domain::ChargeId charge(unsigned number) {
  return parsed<domain::ChargeId>("ccharge00000000000000000" + std::to_string(number));
}
domain::StreamName stream(unsigned number) { return domain::charge_stream(charge(number)); }
Timestamp at(std::int64_t seconds) { return kStart.plus_millis(seconds * 1'000); }

struct Fixture {
  Fixture() {
    std::filesystem::create_directories(workers / "providers");
    repository = std::make_unique<ProviderRepository>(workers / "providers" / kProvidersFile);
    repository->apply({BankNoted{sample_bank_id(), sample_project_id(), kStart}}, cursor(1));
  }
  WorkBegun begun(BankWorkKind kind, unsigned number, std::int64_t since_s, unsigned bank = 1) {
    return {.id = {kind, stream(number)}, .connection = sample_bank_id(bank), .since = at(since_s)};
  }

  TemporaryDirectory directory;
  const std::filesystem::path workers = directory.path() / "workers";
  std::unique_ptr<ProviderRepository> repository;
};

}  // namespace

TEST_CASE("open work comes by its kind and age, of each connection its share, and ends with its event") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  repository.apply(
      {fixture.begun(BankWorkKind::kRefund, 1, 0), fixture.begun(BankWorkKind::kMakeCode, 3, 2),
       fixture.begun(BankWorkKind::kMakeCode, 2, 1), fixture.begun(BankWorkKind::kRefund, 4, 0, 2)},
      cursor(5));
  CHECK(repository.cursor() == cursor(5));
  const auto due = repository.due(at(10), 2);
  REQUIRE(due.size() == 3);
  CHECK(due[0].id.about == stream(2));
  CHECK(due[1].id.about == stream(3));
  CHECK(due[2].connection == sample_bank_id(2));
  repository.postpone(due[0], at(20));
  CHECK(repository.due(at(10), 1).front().id.about == stream(3));
  CHECK(repository.next_due(at(10)) == at(20));
  CHECK(repository.due(at(20), 1).front().attempts == 1);
  repository.apply({WorkEnded{{BankWorkKind::kMakeCode, stream(2)}}}, cursor(6));
  CHECK(repository.due(at(20), 10).size() == 3);
  repository.drop(due[1]);
  CHECK(repository.due(at(20), 10).size() == 2);
}

TEST_CASE("postponed work is due at once when its bank is reconfigured, or another worker takes over") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  repository.apply(
      {fixture.begun(BankWorkKind::kRefund, 1, 0), fixture.begun(BankWorkKind::kRefund, 2, 0, 2)}, cursor(5));
  for (const auto& work : repository.due(at(1), 10)) repository.postpone(work, at(3'600));
  REQUIRE(repository.due(at(2), 10).empty());
  repository.apply({stores::WorkHastened{sample_bank_id()}}, cursor(6));
  const auto due = repository.due(at(2), 10);
  REQUIRE(due.size() == 1);
  CHECK(due.front().connection == sample_bank_id());
  CHECK(due.front().attempts == 1);
  repository.make_all_due();
  CHECK(repository.due(at(2), 10).size() == 2);
}

TEST_CASE("work that is made due during an attempt is not postponed by that attempt") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  repository.apply({fixture.begun(BankWorkKind::kRefund, 1, 0)}, cursor(5));
  for (std::uint64_t round = 0; round < 2; ++round) {
    const auto under_way = repository.due(at(1), 1).front();
    repository.apply({stores::WorkHastened{sample_bank_id()}}, cursor(6 + round));
    repository.postpone(under_way, at(3'600));
    REQUIRE(repository.due(at(1), 1).size() == 1);
    CHECK(repository.due(at(1), 1).front().attempts == round + 1);
  }
}

TEST_CASE("work that began again is neither dropped nor postponed by an earlier attempt") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  repository.apply({fixture.begun(BankWorkKind::kTakeBack, 1, 0)}, cursor(2));
  const auto before = repository.due(at(1), 1).front();
  repository.apply({WorkEnded{before.id}, fixture.begun(BankWorkKind::kTakeBack, 1, 5)}, cursor(4));
  repository.drop(before);
  repository.postpone(before, at(100));
  REQUIRE(repository.due(at(5), 1).size() == 1);
  CHECK(repository.due(at(5), 1).front().attempts == 0);
}

TEST_CASE("the database outlives its worker, and a bank's clock that was ahead leaves no trace") {
  Fixture fixture;
  fixture.repository->note_looked(sample_bank_id(), at(100));
  fixture.repository->note_looked(sample_bank_id(), at(50));
  fixture.repository = std::make_unique<ProviderRepository>(fixture.workers / "providers" / kProvidersFile);
  CHECK(fixture.repository->cursor() == cursor(1));
  CHECK(fixture.repository->looked_up_to(sample_bank_id()) == at(50));
  CHECK(fixture.repository->banks().front().project == sample_project_id());
}

TEST_CASE("payments are kept once, read by their time, and of each connection some") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  const auto keep = [&](unsigned bank, std::vector<domain::EndToEndId> ids, std::int64_t due_s) {
    return repository.keep_payments(sample_bank_id(bank), ids, ReadReason::kCalledBack, at(0), at(due_s));
  };
  const auto id = [](unsigned number) { return sample_end_to_end_id(number); };
  CHECK(keep(1, {id(1), id(2), id(1)}, 5) == 2);
  CHECK(keep(1, {id(2), id(3)}, 0) == 1);
  CHECK(keep(2, {id(1)}, 0) == 1);
  // A payment reported again is read when the later report says.
  CHECK(repository.payments_due(at(0), 10).size() == 3);
  CHECK(repository.payments_due(at(5), 2).size() == 3);
  const auto first = repository.payments_due(at(5), 10).front();
  repository.postpone(first, ReadReason::kInFuture, at(50));
  CHECK(repository.payments_due(at(5), 10).size() == 3);
  CHECK(repository.payments_due(at(50), 10).back().reason == ReadReason::kInFuture);
  CHECK(repository.payments_due(at(50), 10).back().attempts == 1);
  repository.drop(repository.payments_due(at(50), 10).back());
  CHECK(repository.payments_due(at(50), 10).size() == 3);
}

TEST_CASE(
    "a payment that is told of while it is read is read again, and what it was told of before is done") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  const auto tell = [&](ReadReason reason) {
    return repository.keep_payments(sample_bank_id(), {sample_end_to_end_id()}, reason, at(0), at(0));
  };
  const auto due = [&] { return repository.payments_due(at(0), 10); };
  CHECK(tell(ReadReason::kCalledBack) == 1);
  const auto in_reading = due().front();
  CHECK(tell(ReadReason::kCalledBack) == 0);
  repository.drop(in_reading);
  repository.postpone(in_reading, ReadReason::kInFuture, at(1'000));
  REQUIRE(due().size() == 1);
  CHECK(due().front().attempts == 0);
  CHECK(due().front().reason == ReadReason::kCalledBack);
  // Seeing it at the account again changes nothing.
  const auto again = due().front();
  CHECK(tell(ReadReason::kInFuture) == 0);
  repository.drop(again);
  CHECK(due().empty());
}

TEST_CASE("the time of the last request is kept until the work ends, also for the next worker") {
  Fixture fixture;
  fixture.repository->apply({fixture.begun(BankWorkKind::kRefund, 1, 0)}, cursor(2));
  const auto work = [&] { return fixture.repository->due(at(100), 1).front(); };
  CHECK_FALSE(work().sent_at);
  fixture.repository->note_sent(work(), at(7));
  fixture.repository->postpone(work(), at(50));
  fixture.repository = std::make_unique<ProviderRepository>(fixture.workers / "providers" / kProvidersFile);
  CHECK(work().sent_at == at(7));
  fixture.repository->note_sent(work(), std::nullopt);
  CHECK_FALSE(work().sent_at);
}

TEST_CASE("a connection is quiet while it has no open work and its bank calls back") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  const auto is_quiet = [&] { return repository.is_quiet(sample_bank_id(), at(0)); };
  CHECK_FALSE(is_quiet());
  repository.note_called_back(sample_bank_id(), at(1));
  CHECK(is_quiet());
  repository.apply({ChargeWaits{charge(1), sample_bank_id()}}, cursor(2));
  CHECK_FALSE(is_quiet());
  repository.apply({ChargeClosed{charge(1)}, ChargeClosed{charge(2)}}, cursor(3));
  CHECK(is_quiet());
  repository.apply({fixture.begun(BankWorkKind::kRemoveCode, 1, 0)}, cursor(4));
  CHECK_FALSE(is_quiet());
  repository.apply({WorkEnded{{BankWorkKind::kRemoveCode, stream(1)}}}, cursor(5));
  repository.keep_payments(sample_bank_id(), {sample_end_to_end_id()}, ReadReason::kInFuture, at(0), at(9));
  CHECK_FALSE(is_quiet());
  repository.drop(repository.payments_due(at(9), 1).front());
  CHECK(is_quiet());
  CHECK_FALSE(repository.is_quiet(sample_bank_id(), at(2)));
}

TEST_CASE("the state of banks is readable from other processes, and codes are counted again for a new log") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  CHECK(bank_states(fixture.directory.path()).banks.empty());
  repository.apply({fixture.begun(BankWorkKind::kRefund, 1, 3), fixture.begun(BankWorkKind::kRefund, 2, 1),
                    CodeDecided{sample_bank_id(), "static"}, CodeDecided{sample_bank_id(), "static"}},
                   cursor(2));
  repository.note_clock(sample_bank_id(), -1'500);
  repository.note_certificate(sample_bank_id(), at(1'000));
  const BankCount request{sample_bank_id().text(), BankCounter::kRequests, "get_pix", "done", 2};
  repository.add({request});
  repository.add({request});
  write_open_breakers(fixture.workers / "providers", {sample_bank_id().text()});
  const auto states = bank_states(fixture.workers);
  REQUIRE(states.banks.size() == 1);
  CHECK(states.banks.front().ahead_ms == -1'500);
  CHECK(states.banks.front().certificate_ends_at == at(1'000));
  CHECK_FALSE(states.banks.front().looked_up_to);
  // No worker is running.
  CHECK_FALSE(states.banks.front().is_left_alone);
  REQUIRE(states.backlogs.size() == 1);
  CHECK(states.backlogs.front().kind == "refund");
  CHECK(states.backlogs.front().open == 2);
  CHECK(states.backlogs.front().oldest == at(1));
  REQUIRE(states.counts.size() == 2);
  CHECK(states.counts.front().second == "done");
  CHECK(states.counts.front().value == 4);
  CHECK(states.counts.back().value == 2);
  repository.note_certificate(sample_bank_id(), std::nullopt);
  CHECK_FALSE(bank_states(fixture.workers).banks.front().certificate_ends_at);
  repository.begin_anew(cursor(0));
  CHECK(bank_states(fixture.workers).banks.empty());
  CHECK(bank_states(fixture.workers).counts.size() == 1);
}

TEST_CASE("an older release's database is made again, and a newer one's is left alone") {
  Fixture fixture;
  const auto file = fixture.workers / "providers" / kProvidersFile;
  fixture.repository.reset();
  const auto run = [&](const char* statement) { open_sqlite(file, "rw")->run(statement); };
  run("PRAGMA user_version = 1");
  run("ALTER TABLE work DROP COLUMN sent_at");
  fixture.repository = std::make_unique<ProviderRepository>(file);
  CHECK_FALSE(fixture.repository->cursor());
  CHECK(fixture.repository->banks().empty());
  fixture.repository->apply({fixture.begun(BankWorkKind::kRefund, 1, 0)}, cursor(1));
  const auto work = fixture.repository->due(at(1), 1).front();
  fixture.repository->note_sent(work, at(1));
  CHECK(fixture.repository->due(at(1), 1).front().sent_at == at(1));
  fixture.repository.reset();
  run("PRAGMA user_version = 1000");
  CHECK_THROWS_AS(ProviderRepository(file), DataDamaged);
}

TEST_CASE("work without an event is begun once, and beginning it again changes nothing") {
  Fixture fixture;
  auto& repository = *fixture.repository;
  repository.begin(fixture.begun(BankWorkKind::kRemoveCode, 1, 0));
  repository.postpone(repository.due(at(1), 1).front(), at(5));
  repository.begin(fixture.begun(BankWorkKind::kRemoveCode, 1, 2));
  CHECK(repository.due(at(4), 1).empty());
  CHECK(repository.due(at(5), 1).front().attempts == 1);
}
