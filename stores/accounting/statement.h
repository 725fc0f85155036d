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

// The statement cannot be read as a whole. The text says which line, what is wrong with it, and shows it.
class StatementRefused : public std::runtime_error {
 public:
  explicit StatementRefused(const std::string& problem) : StatementRefused(problem, {}) {}
  // `content`: what the statement has there, which may be somebody's name or document.
  StatementRefused(const std::string& problem, const std::string& content)
      : std::runtime_error(content.empty() ? problem : problem + ": " + content), problem_(problem) {}

  // Without what the statement has there.
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

enum class StatementFormat {
  kCsv,      // a bank's or acquirer's table, of which a line names the columns
  kOfx,      // OFX 1 or 2 of a bank account
  kPixJson,  // what the API Pix answers to GET /pix: all pages of one window or of several
};
std::optional<StatementFormat> parse_statement_format(std::string_view name);
std::string_view to_string(StatementFormat format);  // "pix-json"
// By what the file holds.
StatementFormat guess_statement_format(std::string_view bytes);

// Money that came in by Pix, or may have.
struct StatementLine {
  std::size_t line;  // in the file: 1, 2, 3…; in JSON, which has no lines, the number of the payment
  std::optional<domain::EndToEndId> end_to_end_id;  // as the statement spells it, whose case may be another
  domain::Cents amount;
  Timestamp paid_at;
  std::string txid{};     // empty when the statement does not name it
  bool names_pix = true;  // false: without an id, it may be some other credit
  bool has_time = true;   // false: the statement knows its day alone, and `paid_at` is when that began
};

// Money that went back.
struct StatementReturn {
  std::size_t line;
  std::optional<domain::EndToEndId> of_payment;
  std::string id;         // the devolução's, which who asked for it gave; may be empty
  std::string return_id;  // the payments system's ("D…", rtrId); may be empty
  domain::Cents amount;
  Timestamp at;
  bool is_done = true;       // false: the bank has not sent it yet
  bool names_return = true;  // false: a debit by Pix, which may be a payment of one's own to somebody
  // Words of it that have the form of the ledger's own ids of returns.
  std::vector<std::string> names{};
  bool by_names_alone = false;  // it says nothing else of a return or a Pix
};

// Days or times that a statement says it has all of.
struct StatementWindow {
  Timestamp from;
  Timestamp until;  // the first moment that is not of it
};

struct Statement {
  StatementFormat format = StatementFormat::kCsv;
  std::vector<StatementLine> lines{};
  std::vector<StatementReturn> returns{};
  std::size_t ignored = 0;  // entries that are no payment by Pix to the account, nor one that went back
  // Whether returns are in it: of its own payments (API Pix), or of its days (an account's debits).
  enum class Returns { kNone, kOfPayments, kOfDays } has_returns = Returns::kNone;
  bool counts_held = false;  // what the source says of its own size fits what came; false: it says nothing
  std::vector<StatementWindow> windows{};  // as they come; none: it does not say
  // What may be wrong with it and is not sure to be, the first of it, without what stands there.
  std::vector<std::string> warnings{};
};

// `zone` is whose times and days they are where the file does not say it. Throws StatementRefused.
Statement read_statement(std::string_view bytes, StatementFormat format, const TimeZone& zone);

}  // namespace pixledger::stores
