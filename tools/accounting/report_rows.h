#pragma once

#include <functional>
#include <map>
#include <string>

#include "domain/aggregates/project.h"
#include "stores/exports/table.h"
#include "tools/accounting/money_statement.h"
#include "tools/accounting/report.h"

namespace pixledger::tools {

// What connections are called. Nothing of what the ledger does not have any more.
using ConnectionNames = std::map<domain::ConnectionId, std::string>;
ConnectionNames connection_names(const std::vector<domain::Project>& projects);

using AddRow = std::function<void(const stores::Cells& row)>;

// Of report_table(): charges first, then what is to be settled.
void each_row(const Report& report, const ConnectionNames& names, const AddRow& add);

// Of statement_table(): by account, and within by day. An account where nothing moved has its first day.
void each_row(const MoneyStatement& statement, const Month& month, const ConnectionNames& names,
              const AddRow& add);
// The same of whole accounts, without a day.
void each_total(const MoneyStatement& statement, const ConnectionNames& names, const AddRow& add);

}  // namespace pixledger::tools
