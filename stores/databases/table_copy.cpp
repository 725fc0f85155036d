#include "stores/databases/table_copy.h"

#include <sstream>
#include <string>

namespace pixledger::stores {
namespace {

constexpr std::size_t kRowsAtOnce = 1'000;

std::string names_of(const CopiedTable& table, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names.append(i == 0 ? "" : ", ").append(table.columns[i]);
  return names;
}

std::string places(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text.append(i == 1 ? "$" : ", $").append(std::to_string(i));
  return text;
}

void copy_rows(const CopiedTable& table, SqlDatabase& from, SqlDatabase& to) {
  const auto keys = names_of(table, table.keys);
  std::ostringstream first, next, insert;
  const auto select = "SELECT " + names_of(table, table.columns.size()) + " FROM " + table.name;
  const auto order = " ORDER BY " + keys + " LIMIT " + std::to_string(kRowsAtOnce);
  first << select << order;
  next << select << " WHERE (" << keys << ") > (" << places(table.keys) << ")" << order;
  insert << "INSERT INTO " << table.name << " (" << names_of(table, table.columns.size()) << ") VALUES ("
         << places(table.columns.size()) << ")";
  auto found = from.run(first.str());
  while (!found.rows.empty()) {
    std::vector<SqlValues> rows;
    for (const auto& row : found.rows) {
      auto& values = rows.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) values.push_back(row.value(i));
    }
    to.run_each(insert.str(), rows);
    if (found.rows.size() < kRowsAtOnce) return;
    auto last = rows.back();
    last.resize(table.keys);
    found = from.run(next.str(), last);
  }
}

}  // namespace

void copy_tables(const std::vector<CopiedTable>& tables, SqlDatabase& from, SqlDatabase& to) {
  for (const auto& table : tables) {
    // One row may be there from the beginning.
    to.run("DELETE FROM " + std::string(table.name));
    copy_rows(table, from, to);
  }
}

}  // namespace pixledger::stores
