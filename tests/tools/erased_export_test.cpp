#include <catch2/catch.hpp>

#include "domain/values/names.h"
#include "stores/exports/export_rows.h"
#include "stores/exports/table.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tools/accounting/export_rows.h"

// Customers who are erased while the command makes a table.
using namespace pixledger;
using namespace pixledger::tests;
using stores::Cells;

namespace {

tools::ExportQuery everything() { return {{}, tools::Period({}, TimeZone()), tools::ChargeFilter({})}; }

// A cell of a row of charges.
std::string text_at(const Cells& row, std::string_view name) {
  const auto& columns = stores::charge_table().table.columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return stores::csv_cell(row[i]);
  throw std::logic_error("no such column");
}

void erase_customer(LedgerInMemory& ledger, const std::string& id) {
  const auto customer = parsed<domain::CustomerId>(id);
  ledger.execute(domain::EraseCustomer{ledger.log.claim_holder(domain::customer_claim(customer)).value(),
                                       customer, domain::Label::parse("asked for it")});
}

}  // namespace

TEST_CASE("a customer who is erased while an export runs is in its further rows no more") {
  LedgerInMemory ledger;
  for (int i = 0; i < 3; ++i) ledger.pay(ledger.create_charge());
  std::vector<std::string> names;
  tools::export_charges(ledger.log, everything(), [&](const Cells& row) {
    names.push_back(text_at(row, "customerName"));
    if (names.size() == 2) erase_customer(ledger, text_at(row, "customerId"));
  });
  CHECK(names.size() == 3);
  CHECK(names[0] != domain::kErasedName);
  CHECK(names[1] == names[0]);
  CHECK(names[2] == domain::kErasedName);
}

TEST_CASE("a table that is kept until it is whole is made again where a customer was erased meanwhile") {
  LedgerInMemory ledger;
  ledger.create_charge();
  std::size_t made = 0;
  std::vector<std::string> names;
  tools::make_without_erased(ledger.log, [&] {
    names.clear();
    std::string customer;
    tools::export_charges(ledger.log, everything(), [&](const Cells& row) {
      names.push_back(text_at(row, "customerName"));
      customer = text_at(row, "customerId");
    });
    if (++made == 1) erase_customer(ledger, customer);
  });
  CHECK(made == 2);
  CHECK(names == std::vector<std::string>{std::string(domain::kErasedName)});
}
