#pragma once

#include <string_view>

#include "stores/accounting/statement.h"

// The formats of statements, of text in UTF-8. Each throws StatementRefused.
namespace pixledger::stores {

Statement read_csv_statement(std::string_view text, const TimeZone& zone);
Statement read_ofx_statement(std::string_view text, const TimeZone& zone);
Statement read_pix_json_statement(std::string_view text, const TimeZone& zone);

}  // namespace pixledger::stores
