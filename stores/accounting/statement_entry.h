#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stores/accounting/statement.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {

// What statements of accounts share: each line is money that came or went, and most of it is no Pix.

// "the statement's line 7: PROBLEM: "TEXT""
[[noreturn]] void refuse_line(std::size_t line, const std::string& problem, std::string_view text);

// Whether an entry surely is something beside payments by Pix, by how one of its texts begins (a fee, a
// balance) or what it has (a transfer of another kind). `texts`: those that do not name a person, in
// words_of, in their order: a word of somebody's name says nothing.
bool is_beside_payments(const std::vector<std::string>& texts);
// Whether it may be a total, which then is what the entries before it come to.
bool may_be_total(const std::vector<std::string>& texts);

struct StatementEntry {
  std::size_t line;
  std::string_view text;  // to be shown
  std::optional<domain::EndToEndId> end_to_end_id;
  std::string return_id;
  std::string txid;
  std::int64_t cents = 0;  // negative: it went
  StatementTime time{};
  std::vector<std::string> texts{};  // what it says, each in words_of, without the names of people
  bool describes = true;  // the source says of entries what they are; otherwise all of them are payments
};

// Sorts entries into payments, returns and what is neither.
class StatementEntries {
 public:
  explicit StatementEntries(StatementFormat format) { statement_.format = format; }

  void add(const StatementEntry& entry);
  void ignore() { ++statement_.ignored; }
  // Whether the entries so far come to a total that the source states, all of them or those since the last
  // total: what came, what went, both, or the payments alone.
  bool come_to(std::int64_t cents);
  // The same of how many there are.
  bool are_as_many_as(std::int64_t count);
  std::int64_t payments_cents() const { return sums_[0].payments; }
  // The source is of an account, whose debits it has, also where there are none.
  void has_debits() { statement_.has_returns = Statement::Returns::kOfDays; }
  Statement finish();

 private:
  struct Sums {
    std::int64_t payments = 0, credits = 0, debits = 0;
    std::int64_t payment_count = 0, credit_count = 0, count = 0;
  };
  bool fits_sums(std::int64_t cents) const;
  void add_credit(const StatementEntry& entry);
  void add_debit(const StatementEntry& entry);

  Statement statement_;
  std::array<Sums, 2> sums_;  // of all entries, and since the last total
};

// The formats of statements, of text in UTF-8. Each throws StatementRefused.

Statement read_csv_statement(std::string_view text, const TimeZone& zone);
Statement read_ofx_statement(std::string_view text, const TimeZone& zone);
Statement read_pix_json_statement(std::string_view text, const TimeZone& zone);

}  // namespace pixledger::stores
