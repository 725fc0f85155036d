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

// A text of an entry in words_of, and "PIXRECEBIDO" or "BolePix" as the words that it is made of.
std::string entry_words_of(std::string_view text);

// Whether an entry surely is something beside payments by Pix, by how one of its texts begins (a fee, a
// balance) or what it has (a transfer of another kind). `texts`: those that do not name a person, in
// entry_words_of, in their order: a word of somebody's name says nothing.
bool is_beside_payments(const std::vector<std::string>& texts);
// Whether it may be a total, which then is what the entries before it come to.
bool may_be_total(const std::vector<std::string>& texts);

bool are_balance(const std::vector<std::string>& texts);

// Which way money went, as a word beside the amount says it: "C", "Déb.", "-", "D - Débito", "Pix enviado".
enum class Way { kUnsaid, kCame, kWent };
Way way_of(std::string_view text);
// Where the text says nothing else: "D - Débito".
Way way_word_in(std::string_view text);
// Of a text that says what an entry is, behind which a payer's may stand: "Pix enviado ANA".
Way way_of_kind(std::string_view text);
// Whether texts of an entry, as above, are about a Pix; begin by saying that the account's owner sent it, or
// that it came to the account; say that something went back, or did not go at all.
bool say_pix(const std::vector<std::string>& texts);
bool say_sent(const std::vector<std::string>& texts);
bool say_received(const std::vector<std::string>& texts);
bool say_return(const std::vector<std::string>& texts);

struct StatementEntry {
  std::size_t line;
  std::string_view text;  // to be shown
  std::optional<domain::EndToEndId> end_to_end_id;
  std::string return_id;
  std::string txid;
  std::int64_t cents = 0;    // negative: it went
  Way way = Way::kUnsaid;    // as a sign says it apart from the amount, which then may have none
  Way guess = Way::kUnsaid;  // as what it is lets guess, where the source has no signs
  StatementTime time{};
  std::vector<std::string> texts{};  // what it says, each in entry_words_of, without the names of people
  bool describes = true;  // the source says of entries what they are; otherwise all of them are payments
};

// Sorts entries into payments, returns and what is neither.
class StatementEntries {
 public:
  explicit StatementEntries(StatementFormat format) { statement_.format = format; }

  void add(StatementEntry entry);
  void ignore() { ++statement_.ignored; }
  // A doubt that refuses nothing.
  void warn(std::size_t line, const std::string& doubt);
  // The source has signs, of amounts or beside them, so that its words turn no amount.
  void has_signs() { has_signs_ = true; }
  // An entry is left out, as its amount or day is not there.
  void note_unread();
  // Which of the entries so far. A section is what the caller says, such as several pages.
  enum class Part : std::size_t { kAll, kSinceTotal, kTable, kSection };
  // Entries of another table follow.
  void begin_table();
  // A section begins with the table of the last heading.
  void begin_section() { sums_of(Part::kSection) = sums_of(Part::kTable); }
  // How many there are, balances excepted.
  std::int64_t count() const { return sums_of(Part::kAll).count; }
  // Whether the entries so far come to a total that the source states, all of them or a part: what came, what
  // went, both, or the payments alone.
  bool can_come_to(std::int64_t cents) const;
  // Likewise, and begins the next part where they do.
  bool come_to(std::int64_t cents);
  // The same of two columns.
  bool come_to(std::int64_t credits, std::int64_t debits) const;
  // Since a total only where that is in the same table.
  bool are_as_many_as(std::int64_t count, Part part) const;
  // Whether all that is in it is known to be so, and which way it went.
  bool has_clear_sums() const;
  // What the source says of its size fits, or does not.
  void note_size(bool fits) { ++(fits ? sizes_held_ : sizes_failed_); }
  std::int64_t payments_cents() const { return sums_of(Part::kAll).payments; }
  // The source is of an account, whose debits it has, also where there are none.
  void has_debits() { statement_.has_returns = Statement::Returns::kOfDays; }
  Statement finish();

 private:
  struct Sums {
    std::int64_t payments = 0, credits = 0, debits = 0, balances = 0;
    std::int64_t unsigned_fees = 0;  // among the credits, and may have gone
    std::int64_t payment_count = 0, credit_count = 0, count = 0, balance_count = 0, unread = 0;
  };
  Sums& sums_of(Part part) { return sums_.at(static_cast<std::size_t>(part)); }
  const Sums& sums_of(Part part) const { return sums_.at(static_cast<std::size_t>(part)); }
  void add_credit(const StatementEntry& entry, bool is_beside);
  void add_debit(const StatementEntry& entry, bool is_no_entry);

  Statement statement_;
  std::array<Sums, 4> sums_;      // by Part
  bool has_table_total_ = false;  // since the last heading
  std::size_t sizes_held_ = 0, sizes_failed_ = 0;
  bool has_signs_ = false, has_told_guess_ = false, has_told_fee_ = false;
};

// The formats of statements, of text in UTF-8. Each throws StatementRefused.

Statement read_csv_statement(std::string_view text, const TimeZone& zone);
Statement read_ofx_statement(std::string_view text, const TimeZone& zone);
Statement read_pix_json_statement(std::string_view text, const TimeZone& zone);

}  // namespace pixledger::stores
