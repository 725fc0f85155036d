#pragma once

#include <string>
#include <string_view>

#include "tools/accounting/statement.h"

// The formats of statements, and what they share. Each throws UsageError, as read_statement does.
namespace pixledger::tools {

Statement read_csv_statement(std::istream& in);
Statement read_ofx_statement(std::string_view text, const eventstore::TimeZone& zone);
Statement read_pix_json_statement(std::string_view text);

// "the statement's line 7: …"
[[noreturn]] void refuse_line(std::size_t line, const std::string& problem);

// Cents of "19.90", "19,90", "+19.9" or "-19"; nullopt for anything else, such as separated thousands.
std::optional<std::int64_t> parse_reais(std::string_view text);

}  // namespace pixledger::tools
