// Tables for people, and by day of payment.
#include <catch2/catch.hpp>
#include <set>

#include "stores/exports/export_rows.h"
#include "stores/exports/table.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tools/accounting/export_rows.h"
#include "tools/accounting/report_rows.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::Cells;
using stores::Columns;
using tools::ExportQuery;
using tools::Period;

namespace {

std::int64_t number_at(const Cells& row, const Columns& columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return std::get<std::int64_t>(row[i]);
  throw std::logic_error("no such column");
}

}  // namespace

TEST_CASE("CSV for Brazilian spreadsheets loses no digit and no cent") {
  using Kind = stores::Column::Kind;
  const Columns columns = {{"a", Kind::kText, {"Texto", "Text"}},
                           {"b", Kind::kCents, {"Valor", "Amount"}},
                           {"c", Kind::kDocument, {"CPF", "CPF"}},
                           {"d", Kind::kTime, {"Quando", "When"}},
                           {"e", Kind::kNumber}};
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const stores::LocalTime time{parse_iso8601("2026-01-01T02:59:58.007Z").value(), zone};
  const auto writer = stores::brazilian_csv_writer(columns, stores::Language::kPortuguese);
  std::string text;
  writer->begin(text);
  const std::int64_t number = 7;
  writer->add({std::string("00012"), std::int64_t{123'456'789}, std::string("01234567890"), time, number},
              text);
  writer->add(
      {std::string("=1;2"), std::int64_t{-5}, std::string("12ABC34501DE35"), Cells::value_type(), number},
      text);
  for (const std::string like_number : {"1E5", "2026-01", "3/4", "12:30", "1.234,5", "10%"})
    writer->add({like_number, Cells::value_type(), Cells::value_type(), Cells::value_type(), number}, text);
  writer->add({std::string("E12"), Cells::value_type(), Cells::value_type(), stores::CalendarDay{0}, number},
              text);
  CHECK(text ==
        "\xef\xbb\xbfTexto;Valor;CPF;Quando\r\n"
        "'00012;1234567,89;012.345.678-90;31/12/2025 23:59:58\r\n"
        "\"'=1;2\";-0,05;12.ABC.345/01DE-35;\r\n"
        "'1E5;;;\r\n'2026-01;;;\r\n'3/4;;;\r\n'12:30;;;\r\n'1.234,5;;;\r\n'10%;;;\r\n"
        "E12;;;01/01/1970\r\n");
}

TEST_CASE("tables for people have statuses in Portuguese, and output for programs the API's words") {
  const auto& columns = stores::payment_table().table.columns;
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const domain::UnmatchedPayment payment{.end_to_end_id = sample_end_to_end_id(1),
                                         .project = sample_project_id(),
                                         .environment = domain::Environment::kLive,
                                         .connection = sample_bank_id(1),
                                         .amount = domain::Cents(3333),
                                         .paid_at = Timestamp(1'700'000'000'000),
                                         .txid = std::nullopt,
                                         .reason = domain::UnmatchedReason::kNoTxid,
                                         .recorded_at = Timestamp(1'700'000'000'000)};
  const auto row = stores::unmatched_row(zone, payment);
  const auto written = [&](const std::unique_ptr<stores::TableWriter>& writer) {
    std::string text;
    writer->add(row, text);
    return text;
  };
  using stores::Language;
  const auto portuguese = written(stores::brazilian_csv_writer(columns, Language::kPortuguese));
  CHECK(portuguese.find(";produção;33,33;") != std::string::npos);
  CHECK(portuguese.find(";sem cobrança;a acertar;") != std::string::npos);
  const auto english = written(stores::brazilian_csv_writer(columns, Language::kEnglish));
  CHECK(english.find(";live;33,33;") != std::string::npos);
  CHECK(english.find(";UNMATCHED;unmatched;") != std::string::npos);
  CHECK(written(stores::csv_writer(columns)).find(",UNMATCHED,unmatched,") != std::string::npos);
}

TEST_CASE("every word that a table has of the service's own is one in Portuguese") {
  const auto said = [](const stores::Table& table, std::string_view name, std::string_view code) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [name](const auto& each) { return each.name == name; });
    REQUIRE(column != table.columns.end());
    INFO(name << " " << code);
    const stores::Cell cell{std::string(code)};
    const auto shown = stores::shown_to_people(*column, stores::Language::kPortuguese, cell);
    CHECK(std::get<std::string>(shown) != code);
  };
  for (const auto* name :
       {"waiting_payment", "processing", "paid", "expired", "cancelled", "refunded", "failed"}) {
    said(stores::charge_table().table, "status", name);
    said(stores::report_table(), "status", name);
  }
  for (const auto* name : {"unapplied", "unmatched"}) said(stores::report_table(), "status", name);
  for (const auto flag : {domain::PaymentFlag::kPaidAfterExpiry, domain::PaymentFlag::kPaidAfterClose,
                          domain::PaymentFlag::kDuplicatePayment, domain::PaymentFlag::kAmountMismatch})
    said(stores::payment_table().table, "flag", domain::to_string(flag));
  for (const auto state : {domain::UnmatchedState::kAssigned, domain::UnmatchedState::kClosed,
                           domain::UnmatchedState::kReturning, domain::UnmatchedState::kReturned})
    said(stores::payment_table().table, "outcome", domain::to_string(state));
  for (const auto* name : {"applied", "unapplied", "unmatched"})
    said(stores::payment_table().table, "outcome", name);
  for (const auto status : {stores::DeliveryStatus::kPending, stores::DeliveryStatus::kDelivered,
                            stores::DeliveryStatus::kFailed, stores::DeliveryStatus::kExhausted})
    said(stores::delivery_table(), "status", to_string(status));
  for (const auto* name : {"open", "complete", "expired", "cancelled"})
    said(stores::session_table(), "status", name);
}

TEST_CASE("the columns of every table have a heading in both languages, each another one") {
  for (const auto* table : {&stores::charge_table().table, &stores::payment_table().table,
                            &stores::refund_table().table, &stores::session_table(),
                            &stores::delivery_table(), &stores::report_table(), &stores::statement_table()}) {
    for (const auto language : {stores::Language::kPortuguese, stores::Language::kEnglish}) {
      CHECK_FALSE(table->title.in(language).empty());
      std::set<std::string_view> headings;
      std::size_t shown = 0;
      for (const auto& column : table->columns) {
        if (column.name == "paidAmountCents") continue;  // another name of paidCents
        headings.insert(column.title.in(language));
        ++shown;
      }
      CHECK(headings.size() == shown);
      CHECK_FALSE(headings.contains(""));
    }
  }
}

TEST_CASE(
    "charges and payments can be asked for by day of payment, which sums to what a report has of that day") {
  const auto seed = seed_from_environment(57);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 2'000);
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  std::int64_t in_all = 0;
  for (const auto& event : ledger.events()) {
    const auto* paid = stores::fact_of<domain::ChargePaid>(event);
    if (!paid) continue;
    const auto day = date_text(zone.day_of(paid->paid_at));
    const Period period(tools::parse_period(day, day, {}), zone);
    const ExportQuery asked{{}, period, tools::ChargeFilter({}), stores::ExportBy::kPaid};
    const auto sum_of = [&](auto run, const Columns& columns, std::string_view name) {
      std::int64_t sum = 0;
      run(ledger.log(), asked, [&](const Cells& row) { sum += number_at(row, columns, name); });
      return sum;
    };
    const auto& charges = stores::charge_table().table.columns;
    std::int64_t reported = 0;
    for (const auto& [part, sums] :
         tools::make_report(ledger.log(), {}, period, ledger.log().head().position, tools::ReportBy::kPaid)
             .totals)
      reported += sums.paid.value();
    REQUIRE(sum_of(tools::export_charges, charges, "paidCents") == reported);
    in_all += reported;
    if (in_all > 1'000'000) break;
  }
  CHECK(in_all > 0);
}
