// `pixledger doctor` on banks and on their worker.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/platform/owner_lock.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/test_certificates.h"
#include "tests/tools/doctor_findings.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

TEST_CASE("the doctor reports on the banks' worker, whose wrong state is made again") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  CHECK(of(pixledger.done({"doctor", "--json"}), "worker providers").find("never run") != std::string::npos);
  const auto directory = pixledger.data() / "workers" / "providers";
  fs::create_directories(directory);
  const auto file = directory / stores::kProvidersFile;
  {
    LedgerWithCharges ledger(pixledger.data());
    stores::ProviderRepository(file).apply({}, eventstore::cursor_at(ledger.log(), Position(1)));
  }
  auto json = pixledger.done({"doctor", "--json"});
  CHECK(is(json, "worker providers", "warning"));
  CHECK(of(json, "worker providers").find("does not run, 2 events behind") != std::string::npos);
  {
    const auto lock = OwnerLock::try_take(directory / "lock");
    CHECK(is(pixledger.done({"doctor", "--json"}), "worker providers", "ok"));
  }
  {
    LedgerWithCharges ledger(pixledger.data());
    auto elsewhere = eventstore::cursor_at(ledger.log(), Position(1));
    ++elsewhere.log.epoch;
    stores::ProviderRepository(file).apply({}, elsewhere);
  }
  const auto ran = pixledger.run({"doctor"});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Catch::Contains("delete " + directory.string() + ": it is made again from the ledger"));

  std::ofstream(file) << std::string(4096, 'x');
  const auto damaged = pixledger.run({"doctor"});
  CHECK(damaged.code == 1);
  CHECK_THAT(damaged.out,
             Catch::Contains("delete " + directory.string() + ": it is made again from the ledger"));
}

TEST_CASE("the doctor reports the state of banks in use, and their unmatched payments") {
  const TestAuthority authority;
  const auto client = authority.issue("Loja");
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto diagnosed = [&] { return pixledger.run({"doctor", "--json"}).out; };
  CHECK_FALSE(fs::exists(pixledger.data() / "workers" / "providers"));
  CHECK(of(diagnosed(), "banks").empty());

  const auto secret = (pixledger.directory() / "secret").string();
  std::ofstream(secret) << "secret";
  const auto connect = [&](const std::string& of_project, const std::string& alias) {
    return json_at(pixledger.done({"connection",
                                   "add",
                                   "--project",
                                   of_project,
                                   "--env",
                                   "live",
                                   "--alias",
                                   alias,
                                   "--provider",
                                   "api-pix",
                                   "--psp",
                                   "efi",
                                   "--pix-key",
                                   "caixa@example.com",
                                   "--client-id",
                                   "c",
                                   "--client-secret-file",
                                   secret,
                                   "--cert",
                                   client.cert_file,
                                   "--key",
                                   client.key_file,
                                   "--json"}),
                   "/connectionId");
  };
  const auto id = connect(project, "banco");
  CHECK(is(diagnosed(), "banks", "warning"));
  CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("nobody speaks to them"));

  const auto directory = pixledger.data() / "workers" / "providers";
  fs::create_directories(directory);
  const auto lock = OwnerLock::try_take(directory / "lock");
  const auto connection = *domain::ConnectionId::parse(id);
  const auto now = SystemClock().now();
  stores::ProviderRepository database(directory / stores::kProvidersFile);
  const auto note = [&](const std::vector<stores::BankChange>& changes) {
    LedgerWithCharges ledger(pixledger.data());
    database.apply(changes, eventstore::cursor_at(ledger.log(), ledger.log().head().position));
  };
  note({stores::BankNoted{connection, *domain::ProjectId::parse(project), now.plus_millis(-600'000)}});
  CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("has not been seen for"));
  database.note_looked(connection, now);
  CHECK(is(diagnosed(), "banks", "ok"));

  SECTION("a bank that does not work") {
    stores::write_open_breakers(directory, {id});
    CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("is left alone"));
  }
  SECTION("a bank that writes times of payments too early") {
    database.note_early(connection, 179 * 60'000 + 1, now);
    CHECK_THAT(of(diagnosed(), "banks"),
               Catch::Contains("payment_before_charge") && Catch::Contains("up to 3 h 0 min too early"));
  }
  SECTION("a look back that stays unread") {
    const stores::AccountLook look{.every_ms = 86'400'000, .back_ms = 100 * 86'400'000LL};
    database.begin_look(connection, look, now.plus_millis(-7'200'000));
    database.end_look(connection, look, "422 PeriodoInvalido", now);
    CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("the last 100d of the account") &&
                                             Catch::Contains("for 2 h ") &&
                                             Catch::Contains("422 PeriodoInvalido"));
    database.end_look(connection, look, std::nullopt, now);
    CHECK(is(diagnosed(), "banks", "ok"));
  }
  SECTION("two projects with one key") {
    const auto other = json_at(pixledger.create_project(), "/projectId");
    const auto later = connect(other, "outro");
    const auto said = pixledger.run({"doctor"}).out;
    CHECK_THAT(said, Catch::Contains("banco (" + id + ") and the bank of connection outro (" + later +
                                     ") have one Pix key"));
    pixledger.done({"connection", "disable", "--project", other, "--connection", "outro"});
    CHECK_THAT(pixledger.run({"doctor"}).out, !Catch::Contains("have one Pix key"));
  }
  SECTION("a clock that is off") {
    database.note_clock(connection, 20'000);
    CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("20 seconds ahead of"));
  }
  SECTION("a cancellation that is long in coming") {
    note({stores::WorkBegun{
        .id = {stores::BankWorkKind::kTakeBack,
               domain::charge_stream(parsed<domain::ChargeId>("ccharge000000000000000001"))},
        .connection = connection,
        .since = now.plus_millis(-600'000)}});
    CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("1 of kind cancel open"));
  }
  SECTION("a payment that fits no charge") {
    LedgerWithCharges(pixledger.data())
        .execute(domain::RecordUnmatchedPayment{.project = *domain::ProjectId::parse(project),
                                                .connection = connection,
                                                .end_to_end_id = sample_end_to_end_id(),
                                                .amount = domain::Cents(100),
                                                .paid_at = now,
                                                .txid = std::nullopt,
                                                .reason = domain::UnmatchedReason::kNoTxid});
    CHECK_THAT(pixledger.run({"doctor"}).out, Catch::Contains("1 payments arrived that fit no charge"));
  }
  SECTION("a bank whose payments name no charge") {
    LedgerWithCharges(pixledger.data())
        .execute(domain::RecordUnmatchedPayment{.project = *domain::ProjectId::parse(project),
                                                .connection = connection,
                                                .end_to_end_id = sample_end_to_end_id(),
                                                .amount = domain::Cents(100),
                                                .paid_at = now,
                                                .txid = std::nullopt,
                                                .reason = domain::UnmatchedReason::kNoTxid});
    database.note_misfit({.connection = id, .kind = "no_txid", .payments = 5, .at = now});
    const auto unsure = pixledger.run({"doctor"}).out;
    CHECK_THAT(unsure, Catch::Contains("whether payments of charges have one is not known") &&
                           Catch::Contains("--pay") && !Catch::Contains("ask the bank for the txid"));
    database.end_misfit(connection, "no_txid");
    database.note_misfit({.connection = id, .kind = "no_txid", .payments = 6, .found = 5, .at = now});
    const auto told = pixledger.run({"doctor"}).out;
    CHECK_THAT(told, Catch::Contains("no_txid") && Catch::Contains("6 so far") &&
                         Catch::Contains("of 5 it told the charge") &&
                         Catch::Contains("1 that name no charge are not settled"));
    CHECK_THAT(told, !Catch::Contains("payments arrived that fit no charge"));
    database.end_misfit(connection, "no_txid");
    CHECK_THAT(pixledger.run({"doctor"}).out, Catch::Contains("1 payments arrived that fit no charge"));
  }
  SECTION("a bank whose payments cannot be read") {
    for (const auto* kind : {"unreadable_payment", "unreadable_return", "unreadable_time", "uncounted_pages",
                             "unread_list", "missing_payments", "other_key", "told_otherwise"}) {
      database.note_misfit(
          {.connection = id, .kind = kind, .payments = 1, .at = now, .detail = "pix[0].valor is missing"});
      CHECK_THAT(diagnosed(), Catch::Contains(kind));
    }
    CHECK_THAT(diagnosed(), Catch::Contains("pix[0].valor is missing"));
  }
  SECTION("faults that were settled later") {
    const stores::AccountLook day{.every_ms = 600'000, .back_ms = 86'400'000};
    const stores::AccountLook all{.every_ms = 86'400'000, .back_ms = 100 * 86'400'000LL};
    const auto noted_at = now.plus_millis(-3 * 86'400'000LL);
    for (const auto& look : {day, all}) database.begin_look(connection, look, noted_at);
    database.note_misfit({.connection = id, .kind = "unreadable_payment", .payments = 1, .at = noted_at});
    // A shorter query may not reach it; the long one has failed since.
    database.end_look(connection, day, std::nullopt, now);
    database.end_look(connection, all, std::nullopt, noted_at);
    CHECK_THAT(diagnosed(), Catch::Contains("unreadable_payment"));
    database.end_look(connection, all, std::nullopt, now);
    CHECK(is(diagnosed(), "banks", "ok"));

    database.note_misfit({.connection = id, .kind = "refused_payment", .payments = 1, .at = now});
    database.keep_payments(connection, {sample_end_to_end_id()}, stores::ReadReason::kRefused, now, now);
    CHECK_THAT(diagnosed(), Catch::Contains("refused_payment"));
    // The bank calls back again about it, and later about others.
    const auto call_back = [&](unsigned number, Timestamp at) {
      database.keep_payments(connection, {sample_end_to_end_id(number)}, stores::ReadReason::kCalledBack, at,
                             at);
    };
    call_back(1, now);
    CHECK_THAT(diagnosed(), Catch::Contains("refused_payment"));
    database.drop(database.payments_due(now, 1).at(0));
    CHECK(of(diagnosed(), "banks").find("refused_payment") == std::string::npos);
    call_back(2, now.plus_millis(1));
    CHECK(of(diagnosed(), "banks").find("refused_payment") == std::string::npos);
    database.drop(database.payments_due(now.plus_millis(1), 1).at(0));
    CHECK(is(diagnosed(), "banks", "ok"));

    database.note_misfit({.connection = id, .kind = "double_return", .payments = 1, .at = noted_at});
    CHECK_THAT(diagnosed(), Catch::Contains("last on " + to_iso8601(noted_at)) &&
                                Catch::Contains("also once it is settled"));
  }
  SECTION("a fault that is too old for the longest look is shown for 30 days") {
    const stores::AccountLook day{.every_ms = 600'000, .back_ms = 86'400'000};
    const auto noted_at = now.plus_millis(-3 * 86'400'000LL);
    database.begin_look(connection, day, noted_at);
    database.note_misfit({.connection = id, .kind = "missing_payments", .payments = 1, .at = noted_at});
    database.end_look(connection, day, std::nullopt, now);
    CHECK_THAT(diagnosed(), Catch::Contains("missing_payments"));
  }
  SECTION("a connection that is not in use") {
    pixledger.done({"connection", "disable", "--project", project, "--connection", "banco"});
    CHECK(of(diagnosed(), "banks").empty());
    // Its open work is still to be done.
    note({stores::WorkBegun{
        .id = {stores::BankWorkKind::kRemoveCode,
               domain::charge_stream(parsed<domain::ChargeId>("ccharge000000000000000001"))},
        .connection = connection,
        .since = now}});
    CHECK_THAT(of(diagnosed(), "banks"), Catch::Contains("1 of kind removal open") &&
                                             Catch::Contains("banco") &&
                                             Catch::Contains("which is disabled"));
    database.keep_payments(connection, {sample_end_to_end_id()}, stores::ReadReason::kCalledBack, now, now);
    CHECK_THAT(pixledger.run({"doctor"}).out, Catch::Contains("1 of kind callback open"));
  }
}
