#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>

#include "stores/accounting/statement_text.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/exports/export_rows.h"
#include "stores/exports/table.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/list_oracle.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/pixledger_command.h"
#include "tools/accounting/export_rows.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::Cells;
using stores::Columns;
using tools::ChargeFilterOptions;
using tools::ExportQuery;
using tools::Period;

namespace {

using Record = std::vector<std::string>;

std::vector<Record> read_csv(const std::string& text) {
  const auto plain = stores::text_of_file(text);
  stores::CsvReader reader(plain, ',');
  std::vector<Record> records;
  while (const auto record = reader.next()) records.push_back(*record);
  return records;
}

std::string write_csv(const Columns& columns, const std::vector<Cells>& rows) {
  std::string text;
  const auto writer = stores::csv_writer(columns);
  writer->begin(text);
  for (const auto& row : rows) writer->add(row, text);
  CHECK_FALSE(writer->end(text));
  return text;
}

ExportQuery everything() { return {{}, Period({}, TimeZone()), tools::ChargeFilter({})}; }

template <class Export>
std::vector<Cells> rows_of(Export run) {
  std::vector<Cells> rows;
  run([&rows](const Cells& row) { rows.push_back(row); });
  return rows;
}

std::string text_at(const Cells& row, const Columns& columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return stores::csv_cell(row[i]);
  }
  throw std::logic_error("no such column");
}

// A log to which others append, as of an earlier head.
class EndsAt final : public ForwardingLog {
 public:
  EndsAt(eventstore::Log& inner, Head head) : ForwardingLog(inner), head_(std::move(head)) {}
  Head head() const override { return head_; }

 private:
  const Head head_;
};

}  // namespace

TEST_CASE("any text survives CSV, except formulas") {
  const auto seed = seed_from_environment(51);
  INFO("PIXLEDGER_SEED=" << seed);
  RandomNumbers random(seed);
  const std::vector<std::string> pieces = {"=", "+", "-", "@", "\t", "\r", "\n", "\"",   ",",
                                           ";", "'", " ", "a", "é",  "1",  "|",  "\"\"", "\r\n"};
  std::vector<Cells> rows;
  std::vector<Record> expected = {{"first", "second", "third"}};
  for (int i = 0; i < 5'000; ++i) {
    Cells row;
    Record shown;
    for (int column = 0; column < 3; ++column) {
      std::string text = column == 0 ? "x" : "";
      for (auto length = random.below(5); length > 0; --length) text += random.one_of(pieces);
      row.emplace_back(text);
      static const std::regex kFormula("(^|[;\r\n])( *[-=+@\t])");
      static const std::regex kFirstBreak("^( *[\r\n])");
      shown.push_back(std::regex_replace(std::regex_replace(text, kFormula, "$1'$2"), kFirstBreak, "'$1"));
    }
    rows.push_back(row);
    expected.push_back(shown);
  }
  const auto read = read_csv(write_csv({"first", "second", "third"}, rows));
  CHECK(read == expected);
  for (const auto& record : read) {
    for (const auto& value : record)
      REQUIRE((value.empty() || std::string("=+-@\t\r\n").find(value[0]) == std::string::npos));
  }
}

TEST_CASE(
    "no part of a cell is a formula to a spreadsheet that separates by semicolons or looks behind blanks") {
  CHECK(stores::csv_cell(std::string("Camiseta;=cmd|' /C calc'!A0")) == "Camiseta;'=cmd|' /C calc'!A0");
  CHECK(stores::csv_cell(std::string(" =1+1")) == "' =1+1");
  CHECK(stores::csv_cell(std::string("a;  @b;c")) == "a;'  @b;c");
  CHECK(stores::csv_cell(std::string("a\n=b")) == "\"a\n'=b\"");
  CHECK(stores::csv_cell(std::string("a = b; c")) == "a = b; c");
}

TEST_CASE("a cell of CSV begins no formula behind any blank, nor with a full-width sign") {
  for (const std::string blank :
       {"\u00a0", "\u1680", "\u2000", "\u2003", "\u2007", "\u200a", "\u200b", "\u200e", "\u2028", "\u202e",
        "\u202f", "\u205f", "\u2060", "\u2800", "\u3000", "\ufeff", "\u00ad", " \u00a0 \ufeff"})
    for (const std::string sign : {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
      CHECK(stores::csv_cell(blank + sign + "1").find("'") != std::string::npos);
      CHECK(stores::csv_cell("a;" + blank + sign + "1").find("'") != std::string::npos);
    }
  CHECK(stores::csv_cell(std::string("\u00a0=1")) == "'\u00a0=1");
  CHECK(stores::csv_cell(std::string("\uff1d1")) == "'\uff1d1");
  CHECK(stores::csv_cell(std::string("\u3000Camiseta")) == "\u3000Camiseta");
  CHECK(stores::csv_cell(std::string("a\u00a0=1")) == "a\u00a0=1");
}

TEST_CASE("invisible characters are escapes in tables for people, and exact in JSON") {
  CHECK(stores::csv_cell(std::string("Maria\u202e 99")) == "Maria\\u202e 99");
  CHECK(stores::csv_cell(std::string("\u200b=1")) == "'\\u200b=1");
  const Columns columns{{"a", stores::Column::Kind::kText, {"A", "A"}}};
  const std::vector<Cells> rows{{std::string("Maria\u2066")}};
  const auto written = [&rows](std::unique_ptr<stores::TableWriter> writer) {
    std::string text;
    writer->begin(text);
    for (const auto& row : rows) writer->add(row, text);
    writer->end(text);
    return text;
  };
  CHECK(written(stores::brazilian_csv_writer(columns, stores::Language::kPortuguese))
            .ends_with("A\r\nMaria\\u2066\r\n"));
  CHECK(written(stores::json_lines_writer(columns)) == "{\"a\":\"Maria\u2066\"}\n");
}

TEST_CASE("CSV has a heading, ends its lines with CR LF, and leaves numbers alone") {
  CHECK(write_csv({"a", "b"},
                  {{std::int64_t{-5}, std::monostate{}}, {std::string("-5"), std::string("x,\"y")}}) ==
        "a,b\r\n-5,\r\n'-5,\"x,\"\"y\"\r\n");
  CHECK(write_csv({"a"}, {}) == "a\r\n");
}

TEST_CASE("charges are exported in the order of their creation, as they are now") {
  const auto seed = seed_from_environment(52);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 1'500);
  const ListOracle oracle(ledger.log());
  const auto rows = rows_of(
      [&](const tools::RowHandler& handle) { tools::export_charges(ledger.log(), everything(), handle); });
  REQUIRE(rows.size() == oracle.all_charges().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& charge = oracle.all_charges()[i];
    const auto at = [&](std::string_view name) {
      return text_at(rows[i], stores::charge_table().table.columns, name);
    };
    REQUIRE(at("transactionId") == charge.id.text());
    REQUIRE(at("status") == domain::to_string(charge.status));
    REQUIRE(at("amountCents") == std::to_string(charge.amount.value()));
    REQUIRE(at("refundedCents") == std::to_string(charge.refunded.value()));
    REQUIRE(at("createdAt") == to_iso8601(charge.created_at));
    REQUIRE(at("endToEndId") == (charge.payment ? charge.payment->end_to_end_id.text() : ""));
  }
}

TEST_CASE("the filters of an export mean what they mean in the API's lists") {
  const auto seed = seed_from_environment(53);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 1'500);
  const ListOracle oracle(ledger.log());
  RandomNumbers random(seed);
  const auto projects = ledger.projects();
  std::size_t found = 0;
  for (int i = 0; i < 150; ++i) {
    const auto& some = oracle.all_charges()[random.below(oracle.all_charges().size())];
    ChargeFilterOptions options;
    projections::ChargeQuery query;
    if (random.one_in(3)) {
      query.status = some.status;
      options.status = std::string(domain::to_string(some.status));
    }
    if (random.one_in(5)) query.is_partly_refunded = options.partly_refunded = true;
    if (random.one_in(3)) {
      query.environment = some.environment;
      options.environment = std::string(domain::to_string(some.environment));
    }
    if (random.one_in(5)) {
      query.connection = some.connection;
      options.connection = some.connection.text();
    }
    if (random.one_in(5)) {
      query.origin_host = some.origin_host;
      options.origin_host = some.origin_host.text();
    }
    if (random.one_in(4)) {
      query.customer = some.customer;
      options.customer = some.customer.text();
    }
    if (random.one_in(4)) {
      query.customer_email = EmailAddress::parse("ANA@example.com");
      options.customer_email = "ANA@example.com";
    }
    if (random.one_in(4)) {
      query.amount_min = some.amount;
      options.amount_min = some.amount.value();
    }
    if (random.one_in(4)) {
      query.amount_max = some.amount;
      options.amount_max = some.amount.value();
    }
    if (random.one_in(4)) {
      const std::vector<std::string> searches = {"ana", "SOUZA", "example", some.id.text(), "zzz"};
      query.search = random.one_of(searches);
      options.search = *query.search;
    }
    std::optional<std::string> from;
    std::optional<std::string> to;
    if (random.one_in(4)) {
      query.created_from = some.created_at;
      from = to_iso8601(some.created_at);
    }
    if (random.one_in(4)) {
      query.created_to = parse_date(to_iso8601(some.created_at).substr(0, 10))->plus_millis(kDayMs - 1);
      to = to_iso8601(some.created_at).substr(0, 10);
    }
    const auto& project = random.one_of(projects);
    const ExportQuery asked{project, Period(tools::parse_period(from, to, {}), TimeZone()),
                            tools::ChargeFilter(options)};
    Record ids;
    tools::export_charges(ledger.log(), asked, [&](const Cells& row) {
      ids.insert(ids.begin(), text_at(row, stores::charge_table().table.columns, "transactionId"));
    });
    REQUIRE(ids == oracle.charges(project, query));
    found += ids.size();
  }
  CHECK(found > 300);
}

TEST_CASE("payments and refunds add up to the charges' sums") {
  const auto seed = seed_from_environment(54);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 2'000);
  const ListOracle oracle(ledger.log());
  std::map<std::string, std::int64_t> paid;
  std::map<std::string, std::int64_t> refunded;
  std::map<std::string, std::size_t> open;
  tools::export_payments(ledger.log(), everything(), [&](const Cells& row) {
    const auto at = [&](std::string_view name) {
      return text_at(row, stores::payment_table().table.columns, name);
    };
    if (at("outcome") == "applied") paid[at("transactionId")] += std::stoll(at("amountCents"));
    if (at("outcome") == "unapplied") ++open[at("transactionId")];
  });
  tools::export_refunds(ledger.log(), everything(), [&](const Cells& row) {
    const auto at = [&](std::string_view name) {
      return text_at(row, stores::refund_table().table.columns, name);
    };
    refunded[at("transactionId")] += std::stoll(at("amountCents"));
  });
  CHECK(paid.size() > 20);
  CHECK(refunded.size() > 5);
  for (const auto& charge : oracle.all_charges()) {
    const auto& id = charge.id.text();
    REQUIRE(paid[id] == (charge.payment ? charge.payment->amount.value() : 0));
    REQUIRE(refunded[id] == charge.refunded.value());
    REQUIRE(open[id] == charge.unapplied.size());
  }
}

TEST_CASE("the command exports every table in both formats, also when there is nothing in it") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  for (const char* what : {"charges", "payments", "refunds", "deliveries", "sessions"}) {
    CHECK(lines_of(pixledger.done({"export", "--format", "csv", "--what", what})).size() == 1);
    CHECK(pixledger.done({"export", "--format", "jsonl", "--what", what}).empty());
  }
  LedgerWithCharges(pixledger.data()).create_charge(project);
  const auto charge = pixledger.done({"export", "--format", "jsonl", "--timezone", "America/Sao_Paulo"});
  CHECK(json_at(charge, "/status") == "waiting_payment");
  CHECK(json_at(charge, "/amountCents") == "10000");
  CHECK(json_at(charge, "/paidAt") == "null");
  CHECK(json_at(charge, "/createdAt").substr(23) == "-03:00");
  CHECK(read_csv(pixledger.done({"export", "--format", "csv"})).size() == 2);
  CHECK(read_csv(pixledger.done({"export", "--format", "csv", "--status", "paid"})).size() == 1);
  CHECK(pixledger.run({"export"}).code == 2);
  CHECK(pixledger.run({"export", "--format", "ods"}).code == 2);
  CHECK(pixledger.run({"export", "--format", "csv", "--status", "nice"}).code == 2);
  CHECK(pixledger.run({"export", "--format", "csv", "--project", "cabcdefghijkl"}).code == 1);
}

TEST_CASE("deliveries of charges that were created since an export began are left out of it") {
  LedgerInMemory ledger;
  const auto before = ledger.create_charge();
  const EndsAt as_it_began(ledger.log, ledger.log.head());
  const auto since = ledger.create_charge();
  stores::DeliveryRepository store(ledger.directory.path() / stores::kDeliveriesFile);
  auto first = sample_delivery(as_it_began.head().position.value());
  first.charge = before;
  auto second = sample_delivery(ledger.log.head().position.value());
  second.charge = since;
  store.add({first, second}, eventstore::cursor_at(ledger.log, second.position));
  const auto reader = stores::DeliveryReader::open(ledger.directory.path() / stores::kDeliveriesFile);
  for (const std::string environment : {"sandbox", ""}) {
    ChargeFilterOptions options;
    if (!environment.empty()) options.environment = environment;
    const ExportQuery query{{}, Period({}, TimeZone()), tools::ChargeFilter(options)};
    const auto rows = rows_of([&](const tools::RowHandler& handle) {
      tools::export_deliveries(as_it_began, *reader, query, handle);
    });
    REQUIRE(rows.size() == 1);
    CHECK(text_at(rows[0], stores::delivery_table().columns, "transactionId") == before.text());
  }
}

TEST_CASE("deliveries are exported as the worker's store has them") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  const auto directory = pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(directory);
  {
    LedgerWithCharges ledger(pixledger.data());
    stores::DeliveryRepository store(directory / stores::kDeliveriesFile);
    const auto head = ledger.log().head();
    std::vector<stores::DeliveryChange> deliveries;
    for (int i = 0; i < 1'200; ++i) {
      const auto id = domain::DeliveryId::parse("cdelivery" + std::to_string(10'000 + i));
      deliveries.push_back(stores::NewDelivery{
          *id, sample_channel_id(), i % 2 == 0 ? project : other_project_id(), sample_charge_id(),
          domain::Environment::kSandbox, domain::WebhookEvent::kTransactionPaid, domain::WebhookVersion::kV2,
          head.position, static_cast<std::uint32_t>(i + 1), head.time, head.time});
    }
    store.add(deliveries, eventstore::cursor_at(ledger.log(), head.position));
  }
  const auto csv = read_csv(pixledger.done({"export", "--format", "csv", "--what", "deliveries"}));
  REQUIRE(csv.size() == 1'201);
  CHECK(csv[1][0] == "cdelivery10000");
  CHECK(csv[1200][0] == "cdelivery11199");
  CHECK(csv[1][5] == "transaction.paid");
  CHECK(csv[1][9] == "pending");
  const auto mine =
      pixledger.done({"export", "--format", "jsonl", "--what", "deliveries", "--project", project.text()});
  CHECK(lines_of(mine).size() == 600);
}

TEST_CASE("an export ends quietly when its reader closes the pipe") {
  const PixledgerCommand pixledger;
  const auto project = parsed<domain::ProjectId>(json_at(pixledger.create_project(), "/projectId"));
  {
    LedgerWithCharges ledger(pixledger.data());
    for (int i = 0; i < 400; ++i) ledger.create_charge(project);
  }
  // More than a pipe takes, so that it is still writing when its reader goes.
  Process exporting(built_program("pixledger"), pixledger.arguments({"export", "--format", "jsonl"}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (exporting.unread_out() < 60'000 && std::chrono::steady_clock::now() < deadline) {
  }
  REQUIRE(exporting.unread_out() >= 60'000);
  exporting.close_out();
  CHECK(exporting.wait() == 0);
  CHECK(exporting.err().empty());
}
