#pragma once

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/pix/end_to_end_id.h"
#include "domain/values/cents.h"
#include "domain/values/timestamp.h"
#include "eventstore/platform/time_zone.h"

namespace pixledger::tools {

// A payment as an acquirer's statement has it.
struct StatementLine {
  std::size_t line;  // in the file: 1, 2, 3…; in JSON, which has no lines, the number of the payment
  domain::EndToEndId end_to_end_id;
  domain::Cents amount;
  domain::Timestamp paid_at;
  std::string txid;  // empty when the statement does not name it
};

struct Statement {
  std::vector<StatementLine> lines;
  std::size_t ignored = 0;  // entries that are no payment by Pix to the account: debits, and those without id
};

enum class StatementFormat {
  kCsv,      // a heading that names endToEndId, amountCents, paidAt and perhaps txid, in any order and among
             // others; separated by commas or by semicolons
  kOfx,      // OFX 1 or 2 of a bank account; the end-to-end id is in FITID, REFNUM or MEMO
  kPixJson,  // what the API Pix answers to GET /pix, all pages one after the other
};
std::optional<StatementFormat> parse_statement_format(std::string_view name);

// `zone` is whose times they are where the file does not say it (OFX). Throws UsageError that names the line,
// or in JSON the field, when something is not what it must be.
Statement read_statement(std::istream& in, StatementFormat format, const eventstore::TimeZone& zone = {});

}  // namespace pixledger::tools
