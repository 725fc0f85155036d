#include "tools/accounting/report_rows.h"

namespace pixledger::tools {
namespace {

using domain::Cents;
using stores::CalendarDay;
using stores::Cell;
using stores::Cells;

std::string text(std::string_view view) { return std::string(view); }

Cell name_of(const ConnectionNames& names, const domain::ConnectionId& connection) {
  const auto found = names.find(connection);
  return found == names.end() ? Cell() : Cell(found->second);
}

Cells statement_row(Cell day, const MoneyStatement::Account& account, const ConnectionNames& names,
                    Cents opening, const MoneyMoved& moved) {
  return {std::move(day),
          text(domain::to_string(account.environment)),
          name_of(names, account.connection),
          account.connection.text(),
          opening.value(),
          moved.in.value(),
          moved.fees.value(),
          moved.refunds.value(),
          moved.returned.value(),
          (opening + moved.balance()).value()};
}

}  // namespace

ConnectionNames connection_names(const std::vector<domain::Project>& projects) {
  ConnectionNames names;
  for (const auto& project : projects)
    for (const auto& connection : project.connections) names[connection.id] = connection.alias.text();
  return names;
}

void each_row(const Report& report, const ConnectionNames& names, const AddRow& add) {
  for (const auto& [key, sums] : report.rows) {
    const auto& [day, part] = key;
    add({CalendarDay{day}, text(domain::to_string(part.kind.first)), name_of(names, part.connection),
         part.connection.text(), text(domain::to_string(part.kind.second)),
         static_cast<std::int64_t>(sums.count), sums.amount.value(), sums.paid.value(), sums.refunded.value(),
         sums.fees.value(), Cell()});
  }
  for (const auto& [of, sums] : report.aside)
    add({CalendarDay{of.day}, text(domain::to_string(of.environment)), name_of(names, of.connection),
         of.connection.text(), text(to_string(of.aside)), static_cast<std::int64_t>(sums.count), Cell(),
         Cell(), Cell(), Cell(), sums.amount.value()});
}

void each_row(const MoneyStatement& statement, const Month& month, const ConnectionNames& names,
              const AddRow& add) {
  for (const auto& [account, movements] : statement.accounts) {
    auto opening = movements.opening;
    for (const auto& [day, moved] : movements.days) {
      add(statement_row(CalendarDay{day}, account, names, opening, moved));
      opening = opening + moved.balance();
    }
    if (movements.days.empty())
      add(statement_row(CalendarDay{month.first_day()}, account, names, opening, {}));
  }
}

void each_total(const MoneyStatement& statement, const ConnectionNames& names, const AddRow& add) {
  for (const auto& [account, movements] : statement.accounts)
    add(statement_row(Cell(), account, names, movements.opening, movements.total()));
}

}  // namespace pixledger::tools
