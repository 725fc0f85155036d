#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stores/accounting/statement.h"
#include "stores/accounting/statement_state.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {

// Shared by statements of accounts: each line is money that came or went, and most lines are no Pix.

// "the statement's line 7: PROBLEM: "TEXT""
[[noreturn]] void refuse_line(std::size_t line, const std::string& problem, std::string_view text);

// Returns a text of an entry in words_of, with "PIXRECEBIDO" or "BolePix" split into their words.
std::string entry_words_of(std::string_view text);

// Returns whether an entry surely is no payment by Pix, by the begin of one of its texts (a fee, a balance)
// or by its content (a transfer of another kind). `texts`: those that do not name a person, in
// entry_words_of, in their order: words of a person's name mean nothing.
bool is_beside_payments(const std::vector<std::string>& texts);
// Returns whether it may be a total, which must then equal the entries before it.
bool may_be_total(const std::vector<std::string>& texts);

bool are_balance(const std::vector<std::string>& texts);

// The direction of money, by a word beside the amount: "C", "Déb.", "-", "D - Débito", "Pix enviado".
enum class Way { kUnsaid, kCame, kWent };
Way way_of(std::string_view text);
// If the text states nothing else: "D - Débito".
Way way_word_in(std::string_view text);
// For a text that states an entry's kind, followed by a payer's words: "Pix enviado ANA".
Way way_of_kind(std::string_view text);
// Whether texts of an entry, as above, are about a Pix; begin by stating that the account's owner sent it, or
// that it came to the account; state that something was returned, or not carried out.
bool say_pix(const std::vector<std::string>& texts);
// Likewise, also by an unknown word joined with it, or another name: "PIXX", "pagamento instantâneo".
bool may_say_pix(const std::vector<std::string>& texts);
bool say_sent(const std::vector<std::string>& texts);
bool say_received(const std::vector<std::string>& texts);
bool say_return(const std::vector<std::string>& texts);

struct StatementEntry {
  std::size_t line;
  std::string_view text;  // for messages
  std::optional<domain::EndToEndId> end_to_end_id;
  std::string return_id;
  std::string txid;
  std::int64_t cents = 0;    // negative: it went
  Way way = Way::kUnsaid;    // by a sign apart from the amount, which may have none then
  Way guess = Way::kUnsaid;  // guessed from its kind, if the source has no signs
  StatementTime time{};
  std::vector<std::string> texts{};  // its texts, each in entry_words_of, without names of people
  bool describes = true;             // the source states the kinds of entries; otherwise all are payments
  bool is_kind_of_fee = false;       // the source states that it is a fee
  MoneyState state = MoneyState::kUnsaid;  // but for kNotMoved, which are not added
};

// Sorts entries into payments, returns and others.
class StatementEntries {
 public:
  explicit StatementEntries(StatementFormat format) { statement_.format = format; }

  void add(StatementEntry entry);
  void ignore() { ++statement_.ignored; }
  // Ignores an entry whose state says that no money moved. Stated sizes may include it.
  void add_unmoved(std::size_t line, const std::vector<std::string>& texts, std::int64_t cents, bool has_id);
  // Ignores a fee or balance, by its words, whose amount cannot be read.
  void ignore_unread(std::size_t line);
  // Records a doubt that does not reject the statement.
  void warn(std::size_t line, const std::string& doubt);
  // Records one for an entry that is ignored, if it says Pix and may have been received; without a sign of
  // incoming money only for the first.
  void warn_ignored_pix(std::size_t line, const std::vector<std::string>& texts, bool is_signed);
  // Whether the source, or the table that begins, has signs, in or beside amounts: then words do not change
  // the direction of an amount.
  void set_signs(bool has_signs) {
    has_signs_ = has_signs;
    are_all_signed_ = are_all_signed_ && has_signs;
  }
  // An entry was left out because its amount or day is missing.
  void note_unread();
  // Which of the entries so far. The caller defines a section, such as several pages.
  enum class Part : std::size_t { kAll, kSinceTotal, kTable, kSection };
  // Entries of another table follow.
  void begin_table();
  // A section begins with the table of the last heading.
  void begin_section() { sums_of(Part::kSection) = sums_of(Part::kTable); }
  // The number of entries, without balances.
  std::int64_t count() const { return sums_of(Part::kAll).count; }
  // Returns whether the entries so far, or a part of them, add up to a stated total: credits, debits, both,
  // or only the payments.
  bool can_come_to(std::int64_t cents) const;
  // Likewise, and begins the next part if they do.
  bool come_to(std::int64_t cents);
  // The same for two columns; both without signs.
  bool can_come_to(std::int64_t credits, std::int64_t debits) const;
  bool come_to(std::int64_t credits, std::int64_t debits);
  // Counts since a total only if that is in the same table.
  bool are_as_many_as(std::int64_t count, Part part) const;
  // Returns whether kind and direction of all entries are known.
  bool has_clear_sums() const;
  // Records whether a stated size matches.
  void note_size(bool fits) { ++(fits ? sizes_held_ : sizes_failed_); }
  // Compares an amount of a line that is no entry and says neither what it sums nor that it is a balance.
  void compare_amount(std::size_t line, std::int64_t cents);
  std::int64_t payments_cents() const { return sums_of(Part::kAll).payments; }
  // The source is an account's, which includes debits even if it has none.
  void has_debits() { statement_.has_returns = Statement::Returns::kOfDays; }
  Statement finish();

 private:
  struct Sums {
    std::int64_t payments = 0, credits = 0, debits = 0, balances = 0;
    std::int64_t unsigned_fees = 0;  // among the credits; may be debits
    std::int64_t unmoved = 0;        // of the ignored entries; not among the others
    std::int64_t payment_count = 0, credit_count = 0, count = 0, balance_count = 0, unread = 0;
    std::int64_t unmoved_count = 0;
  };
  Sums& sums_of(Part part) { return sums_.at(static_cast<std::size_t>(part)); }
  const Sums& sums_of(Part part) const { return sums_.at(static_cast<std::size_t>(part)); }
  void add_credit(const StatementEntry& entry, bool has_name, bool came);
  void add_debit(const StatementEntry& entry, bool is_no_entry);
  void begin_next_part();
  void warn_of_lines();

  Statement statement_;
  std::array<Sums, 4> sums_;      // by Part
  bool has_table_total_ = false;  // since the last heading
  std::size_t sizes_held_ = 0, sizes_failed_ = 0;
  // By their states and words, for one warning each.
  DoubtfulLines unmoved_received_, returned_, unknown_, unread_, fees_of_payments_, uncompared_;
  bool has_signs_ = false, are_all_signed_ = true;
  bool has_told_guess_ = false, has_told_fee_ = false, has_told_pix_ = false;
};

// The formats of statements, of text in UTF-8. Each throws StatementRefused.

Statement read_csv_statement(std::string_view text, const TimeZone& zone);
Statement read_ofx_statement(std::string_view text, const TimeZone& zone);
Statement read_pix_json_statement(std::string_view text, const TimeZone& zone);

}  // namespace pixledger::stores
