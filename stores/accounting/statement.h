#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cents.h"

namespace pixledger::stores {

// The statement is unreadable as a whole. The text states the line and the fault, and shows the content.
class StatementRefused : public std::runtime_error {
 public:
  explicit StatementRefused(const std::string& problem) : StatementRefused(problem, {}) {}
  // `content`: the statement's text there, which may be a person's name or document.
  StatementRefused(const std::string& problem, const std::string& content)
      : std::runtime_error(content.empty() ? problem : problem + ": " + content), problem_(problem) {}

  // Without the statement's content.
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

enum class StatementFormat {
  kCsv,      // a bank's or acquirer's table, with a line that names the columns
  kOfx,      // OFX 1 or 2 of a bank account
  kPixJson,  // the API Pix's answers to GET /pix: all pages of one window or of several
};
std::optional<StatementFormat> parse_statement_format(std::string_view name);
std::string_view to_string(StatementFormat format);  // "pix-json"
// Guesses from the file's content.
StatementFormat guess_statement_format(std::string_view bytes);

// Money received by Pix, or possibly by Pix.
struct StatementLine {
  std::size_t line;  // in the file: 1, 2, 3…; in JSON, which has no lines, the number of the payment
  std::optional<domain::EndToEndId> end_to_end_id;  // as the statement spells it, in any case
  domain::Cents amount;
  Timestamp paid_at;
  std::string txid{};     // empty if the statement does not state it
  bool names_pix = true;  // false: it has no id and may be another kind of credit
  bool has_time = true;   // false: only the day is known, and `paid_at` is its begin
  bool came = false;      // a sign or column says that the money came in
};

// A returned payment.
struct StatementReturn {
  std::size_t line;
  std::optional<domain::EndToEndId> of_payment;
  std::string id;         // the devolução's, chosen by its requester; may be empty
  std::string return_id;  // the payments system's ("D…", rtrId); may be empty
  domain::Cents amount;
  Timestamp at;
  bool is_done = true;       // false: the bank has not sent it yet
  bool names_return = true;  // false: a debit by Pix, which may be a payment to a third party
  // Its words that have the form of the ledger's ids of returns.
  std::vector<std::string> names{};
  bool by_names_alone = false;  // nothing else in it mentions a return or a Pix
};

// Money that came in by a sign or column, and is left out; no balance.
struct IgnoredCredit {
  std::size_t line;
  domain::Cents amount;
};

// Days or times that a statement claims to cover.
struct StatementWindow {
  Timestamp from;
  Timestamp until;  // exclusive
};

struct Statement {
  StatementFormat format = StatementFormat::kCsv;
  std::vector<StatementLine> lines{};
  std::vector<StatementReturn> returns{};
  std::size_t ignored = 0;  // entries that are neither payments by Pix to the account nor returns
  std::vector<IgnoredCredit> ignored_credits{};  // those of them that came in
  // Whether it includes returns: of its own payments (API Pix), or of its days (an account's debits).
  enum class Returns { kNone, kOfPayments, kOfDays } has_returns = Returns::kNone;
  bool counts_held = false;                // the source's stated size matches; false: it states none
  std::vector<StatementWindow> windows{};  // in the file's order; none: not stated
  // Possible faults, the first ones, without content.
  std::vector<std::string> warnings{};
};

// `zone` applies to times and days without one in the file. Throws StatementRefused.
Statement read_statement(std::string_view bytes, StatementFormat format, const TimeZone& zone);

}  // namespace pixledger::stores
