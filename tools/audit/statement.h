#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "domain/values/cents.h"
#include "domain/values/end_to_end_id.h"
#include "domain/values/timestamp.h"

namespace pixledger::tools {

// A payment as an acquirer's statement has it.
struct StatementLine {
  std::size_t line;  // in the file: 1, 2, 3…
  domain::EndToEndId end_to_end_id;
  domain::Cents amount;
  domain::Timestamp paid_at;
  std::string txid;  // empty when the statement does not name it
};

// Reads CSV with a heading that names endToEndId, amountCents, paidAt and perhaps txid, in any order and
// among others. Throws UsageError that names the line when something is not what it must be.
std::vector<StatementLine> read_statement(std::istream& in);

}  // namespace pixledger::tools
