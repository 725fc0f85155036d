#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_heading.h"
#include "stores/accounting/statement_size.h"
#include "stores/accounting/statement_state.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"
#include "stores/accounting/table_sizes.h"

// Tables as banks, acquirers and spreadsheets write them: columns of many names in any order, among others,
// with lines before them, balances and totals between and behind them.
namespace pixledger::stores {
namespace {

using Fields = std::vector<std::string>;

constexpr std::size_t kHeadingLinesMax = 50;
constexpr std::string_view kSeparators = ";,\t|";

// Splits a line with another separator.
Fields parts_of(std::string_view text, char separator) {
  Fields parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    auto part = trimmed(text.substr(0, end));
    if (part.starts_with('"')) part.remove_prefix(1);
    if (part.ends_with('"')) part.remove_suffix(1);
    parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

class CsvStatement {
 public:
  CsvStatement(std::string_view text, const TimeZone& zone, char separator)
      : reader_(text, separator), zone_(zone) {}

  // Returns whether a line names the columns; it is the last line read then.
  bool find_heading() {
    for (std::size_t i = 0; i < kHeadingLinesMax; ++i) {
      const auto cells = reader_.next();
      if (!cells) return false;
      heading_ = heading_of(*cells, reader_.line(), reader_.record());
      if (heading_.is_whole()) {
        begin_table();
        return true;
      }
      add_sizes(*cells, words_of(reader_.record()), false);
      if (may_be_entry(*cells, row_of(*cells))) warn_unread();
    }
    return false;
  }

  Statement read() {
    while (const auto cells = reader_.next()) read_row(*cells);
    sizes_.finish();
    return entries_.finish();
  }

 private:
  std::string_view cell(const Fields& cells, std::size_t place) const {
    return place < cells.size() ? trimmed(cells[place]) : std::string_view();
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    refuse_line(reader_.line(), problem, reader_.record());
  }
  [[noreturn]] void refuse_time() const {
    refuse(heading_.column(heading_.time) + " " + std::string(kStatementTimeRule));
  }

  struct Row {
    std::string words;
    std::vector<std::string> texts;
    std::optional<domain::EndToEndId> id{};
    std::string bad_id{};  // an invalid id in the id's column
    std::string return_id{};
    std::variant<std::int64_t, BadAmount> amount = BadAmount::kNone;
    bool says_came = false;  // the amount is a credit, by a mark or its column
    std::optional<StatementTime> time{};
    bool is_none = false;   // it states that it is no payment
    bool says_pix = false;  // or its table has only payments
  };

  Row row_of(const Fields& cells) const {
    Row row{.words = words_of(reader_.record()), .texts = texts_of(cells)};
    row.is_none = is_beside_payments(row.texts) || may_be_total(row.texts);
    return row;
  }

  // Begins the table that heading_ is of, which the last line names.
  void begin_table() {
    heading_words_ = words_of(reader_.record());
    sizes_.begin_table();
    if (heading_.debit != kAbsent) entries_.has_debits();
    last_time_.reset();
    cells_min_ = kAbsent;
    last_forms_.clear();
    find_signs();
  }
  // If a line names the columns of another table than this.
  std::optional<StatementHeading> other_heading(const Fields& cells, const CsvReader& reader) const {
    if (cells.size() < 2 || has_digit(reader.record())) return std::nullopt;
    auto heading = heading_of(cells, reader.line(), reader.record());
    const bool is_other = heading.is_whole() && words_of(reader.record()) != heading_words_;
    return is_other ? std::optional(std::move(heading)) : std::nullopt;
  }

  // Finds out whether any entry's amount has a sign, or the column beside it, in this table and its pages.
  void find_signs() {
    has_amount_signs_ = heading_.cents == kAbsent && heading_.amount == kAbsent;
    bool has_signs = has_amount_signs_;
    for (auto ahead = reader_; !has_amount_signs_;) {
      const auto cells = ahead.next();
      if (!cells || other_heading(*cells, ahead)) break;
      for (const auto column : heading_.signs)
        has_signs = has_signs || way_of(cell(*cells, column)) != Way::kUnsaid;
      bool says_came = false;
      const auto amount = amount_of(*cells, says_came);
      const auto* cents = std::get_if<std::int64_t>(&amount);
      if (!cents || *cents == 0 || (*cents > 0 && !says_came)) continue;
      const auto texts = texts_of(*cells);
      has_amount_signs_ = !are_balance(texts) && !may_be_total(texts);
    }
    entries_.set_signs(has_signs || has_amount_signs_);
  }

  void read_row(const Fields& cells) {
    const auto is_blank = [](const std::string& text) { return trimmed(text).empty(); };
    if (std::all_of(cells.begin(), cells.end(), is_blank)) return;
    auto row = row_of(cells);
    if (row.words == heading_words_) return sizes_.begin_table();  // of a further page or account
    if (auto heading = other_heading(cells, reader_)) {
      heading_ = std::move(*heading);
      return begin_table();
    }
    row.id = id_of(cells, row);
    row.return_id = return_id_of(cells);
    row.amount = amount_of(cells, row.says_came);
    row.time = time_of(cells);
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    // Lines below it are no entries.
    is_in_summary_ = row.words.starts_with("resumo") || (is_in_summary_ && !(cents && row.time));
    if (is_in_summary_) last_time_.reset();
    row.says_pix = may_say_pix(row.texts) || (heading_.texts == 0 && heading_.kinds.empty());
    const bool has_value = cents || row.time;
    const auto state = row.is_none ? MoneyState::kUnsaid : state_of(cells);
    const bool is_unmoved = state == MoneyState::kNotMoved;
    const bool names_money =
        row.id || !row.return_id.empty() || (!row.bad_id.empty() && !row.is_none && has_value);
    if (cents && !row.time && !is_unmoved && (names_money || may_be_undated(row))) take_day_above(cells, row);
    refuse_cut_off(cells, row);
    const bool is_in_place = row.time && (cents || (row.says_pix && !row.is_none));
    if (names_money || is_in_place || is_unmoved || may_be_entry(cells, row)) refuse_more_cells(cells);
    if (is_unmoved)
      return entries_.add_unmoved(reader_.line(), row.texts, cents ? *cents : 0, row.id.has_value());
    if (!names_money && (!cents || !row.time)) {
      if (!row.is_none && is_told_unreadable(cells, row)) return entries_.ignore();
      if (row.is_none && !may_be_total(row.texts) && row.time && !cents && has_digit(amounts_in(cells)))
        entries_.ignore_unread(reader_.line());
      if (row.is_none && cents && row.says_came) entries_.warn_ignored_pix(reader_.line(), row.texts, true);
      return take_total(cells, row);
    }
    if (!row.bad_id.empty() && !(cents && *cents < 0)) {
      if (may_be_total(row.texts)) return take_total(cells, row);
      if (row.is_none) {
        if (cents && *cents > 0) entries_.warn_ignored_pix(reader_.line(), row.texts, row.says_came);
        return entries_.ignore();
      }
      refuse(heading_.column(heading_.id) + " " + std::string(domain::EndToEndId::kRule));
    }
    if (!cents && heading_.id == kAbsent && !has_digit(amounts_in(cells))) {
      warn_unread();
      return entries_.ignore();
    }
    if (!cents) refuse(amount_problem(cells, row));
    if (heading_.cents != kAbsent && *cents == 0 && row.id)
      refuse(heading_.column(heading_.cents) + " must not be 0");
    if (!row.time) refuse_time();
    const auto foreign = std::find_if_not(heading_.currencies.begin(), heading_.currencies.end(),
                                          [&](std::size_t column) { return is_real(cell(cells, column)); });
    if (foreign != heading_.currencies.end()) {
      if (names_money || row.says_pix)
        refuse(heading_.column(*foreign) + " must be BRL: other currencies are not compared");
      warn_unread();
      return entries_.ignore();
    }
    warn_cut_amount(cells);
    last_time_ = row.time;
    cells_min_ = std::min(cells_min_, cells.size());
    auto txid = heading_.txid == kAbsent ? charge_txid_in(reader_.record()) : name_in(cells, heading_.txid);
    const auto way = way_of_row(cells, row, *cents, row.id || !txid.empty());
    entries_.add({.line = reader_.line(),
                  .text = reader_.record(),
                  .end_to_end_id = row.id,
                  .return_id = std::move(row.return_id),
                  .txid = std::move(txid),
                  .cents = *cents,
                  .way = way,
                  .guess = guess_of_row(cells, way, *cents),
                  .time = *row.time,
                  .texts = std::move(row.texts),
                  .describes = describes(cells),
                  .state = state});
  }

  // A row about several entries, or none.
  static bool is_summary(const Row& row) {
    constexpr std::array<std::string_view, 12> kSummaries{
        "total",    "totais",    "soma",         "resumo",     "limite",   "saldo",
        "enviados", "recebidos", "recebimentos", "pagamentos", "enviadas", "recebidas"};
    return std::any_of(kSummaries.begin(), kSummaries.end(),
                       [&row](std::string_view word) { return has_words(row.words, word); });
  }
  // May lack a day if the table writes it once for several rows; a summary has none either.
  static bool may_be_undated(const Row& row) {
    return say_pix(row.texts) && !row.is_none && !is_summary(row);
  }
  static bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), is_ascii_digit);
  }
  std::string amounts_in(const Fields& cells) const {
    std::string amounts;
    for (const auto column : {heading_.cents, heading_.amount, heading_.credit, heading_.debit})
      amounts += cell(cells, column);
    return amounts;
  }

  void take_day_above(const Fields& cells, Row& row) {
    if (!cell(cells, heading_.time).empty() || !last_time_) return;
    row.time = last_time_->has_time ? parse_statement_time(date_text(zone_.day_of(last_time_->moment)), zone_)
                                    : last_time_;
    if (!has_told_day_) entries_.warn(reader_.line(), "has no day, and that of the entry above it is taken");
    has_told_day_ = true;
  }

  static bool has_day_and_amount(const Fields& cells, const TimeZone& zone) {
    const auto is_day = [&zone](const std::string& text) {
      return parse_statement_time(trimmed(text), zone).has_value();
    };
    const auto is_amount = [](const std::string& text) {
      return std::holds_alternative<std::int64_t>(parse_amount(trimmed(text)));
    };
    return std::any_of(cells.begin(), cells.end(), is_day) &&
           std::any_of(cells.begin(), cells.end(), is_amount);
  }
  // Returns whether it mentions Pix and has a day and an amount, in any columns; or all of it in one cell, if
  // its export has another separator than this table.
  bool may_be_entry(const Fields& cells, const Row& row) const {
    if (!may_be_undated(row)) return false;
    if (cells.size() > 1) return has_day_and_amount(cells, zone_);
    return std::any_of(kSeparators.begin(), kSeparators.end(), [&](char separator) {
      return has_day_and_amount(parts_of(cells.front(), separator), zone_);
    });
  }

  // It is unknown which cell is extra, so no cell surely is in its column. Empty cells at the end come from a
  // separator at the end of each row.
  void refuse_more_cells(const Fields& cells) const {
    auto count = cells.size();
    while (count > heading_.columns && trimmed(cells[count - 1]).empty()) --count;
    if (count > heading_.columns)
      refuse("has " + std::to_string(count) + " cells, and the heading names " +
             std::to_string(heading_.columns) +
             ": put what holds the separator in quotes, or name the last column in the heading, too");
  }

  // Throws for an unreadable amount or day of a row that may be a Pix. Returns whether it warned of another
  // one.
  bool is_told_unreadable(const Fields& cells, const Row& row) {
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    return cents      ? is_told_undated(cells, row)
           : row.time ? is_told_without_amount(cells, row)
                      : is_told_without_both(cells, row);
  }
  bool is_told_without_amount(const Fields& cells, const Row& row) {
    const auto amounts = amounts_in(cells);
    const bool may_be_received = row.says_pix && !say_sent(row.texts);
    if (says_nothing(amounts)) {
      if (say_pix(row.texts) && say_received(row.texts)) refuse(amount_problem(cells, row));
      if (say_pix(row.texts) && may_be_received && !say_return(row.texts)) return warn_unread();
      entries_.note_unread();
      return false;
    }
    const bool is_ambiguous = std::get<BadAmount>(row.amount) == BadAmount::kAmbiguous;
    const bool is_unmoved = money_state_of(amounts) == MoneyState::kNotMoved;  // "Pendente"
    if ((may_be_received && !is_unmoved) || is_ambiguous) refuse(amount_problem(cells, row));
    return warn_unread();
  }
  // A label in the day's place may mention Pix itself.
  bool is_told_undated(const Fields& cells, const Row& row) {
    const auto day = cell(cells, heading_.time);
    const bool has_label = has_words(words_of(day), "pix") || is_summary(row) || is_in_summary_;
    const bool is_scheduled = std::any_of(row.texts.begin(), row.texts.end(), [](const std::string& text) {
      return money_state_of(text) == MoneyState::kNotMoved;
    });
    if (std::get<std::int64_t>(row.amount) == 0) return false;
    const bool may_be_day = !says_nothing(day) || may_be_undated(row);
    if (may_be_day && row.says_pix && !has_label && !is_scheduled) refuse_time();
    const bool is_told = says_nothing(day) ? may_be_undated(row) && !is_summary(row)
                                           : has_digit(day) || heading_.texts == 0 || may_be_undated(row);
    return is_told && warn_unread();
  }
  bool is_told_without_both(const Fields& cells, const Row& row) {
    const auto day = cell(cells, heading_.time);
    const auto amounts = amounts_in(cells);
    const bool is_day = day.empty() || is_ascii_digit(day.front());
    const bool has_amount = !says_nothing(amounts) && !is_summary(row) && !has_words(words_of(day), "pix");
    if (has_amount && is_day && row.says_pix && !is_in_summary_ && has_digit(amounts))
      refuse(amount_problem(cells, row));
    const bool is_told = may_be_entry(cells, row) || (has_amount && may_be_undated(row));
    return is_told && warn_unread();
  }
  bool warn_unread() {
    entries_.warn(reader_.line(), "its amount or day cannot be read: it is ignored");
    entries_.note_unread();
    return true;
  }

  // Checks a last row that has no end of line or lacks cells: a part of it is missing, and maybe rows after
  // it.
  void refuse_cut_off(const Fields& cells, const Row& row) {
    const bool has_entries = cells_min_ != kAbsent;
    const auto cells_min = has_entries ? cells_min_ : heading_.columns;
    if (row.is_none || !row.time || cells.size() >= cells_min) return;
    if (reader_.has_line_end()) {
      if (has_entries && cells.size() > 1 && reader_.is_last())
        entries_.warn(reader_.line(), "is the last one and has fewer cells than others, as if cut off");
      return;
    }
    if (has_entries && cells.size() > 1 && !std::holds_alternative<std::int64_t>(row.amount))
      refuse(
          "is cut off: it has no end of line, and fewer cells than those before it. Fetch the statement "
          "again; where it is whole, end its last line");
    entries_.warn(reader_.line(), "has no end of line and fewer cells than others, as if cut off");
  }

  // Compares the number in the last cell of a row without an end with those of the rows above.
  void warn_cut_amount(const Fields& cells) {
    constexpr std::size_t kDecimals = 2;
    const auto form = number_form_of(trimmed(cells.back()));
    const auto others = last_forms_.size() == 1 ? *last_forms_.begin() : std::nullopt;
    if (!reader_.has_line_end() && others && others->first == kDecimals && form != others)
      entries_.warn(reader_.line(),
                    "has no end of line and a number of another form than others, as if cut off");
    constexpr std::size_t kFormsMax = 2;
    if (last_forms_.size() < kFormsMax) last_forms_.insert(form);
  }
  // The number of decimals, and whether a mark follows them; absent if it is no number.
  static std::optional<std::pair<std::size_t, bool>> number_form_of(std::string_view text) {
    const auto last = text.find_last_of("0123456789"), point = text.find_last_of(".,");
    if (last == std::string_view::npos || !std::holds_alternative<std::int64_t>(parse_amount(text)))
      return std::nullopt;
    const bool has_decimals = point != std::string_view::npos && point < last;
    return std::pair(has_decimals ? last - point : 0, last + 1 < text.size());
  }

  // Two columns that contradict each other say nothing that is known.
  MoneyState state_of(const Fields& cells) const {
    auto found = MoneyState::kUnsaid;
    for (const auto column : heading_.states) {
      const auto state = money_state_of(cell(cells, column));
      // "Estado" may be a payer's, such as São Paulo.
      const auto name = words_of(heading_.names[column]);
      const bool is_place = state == MoneyState::kUnknown && (name == "estado" || name == "state");
      if (state == MoneyState::kUnsaid || is_place) continue;
      found = found == MoneyState::kUnsaid || found == state ? state : MoneyState::kUnknown;
    }
    return found;
  }

  // Returns whether the row states its kind, beside its direction.
  bool describes(const Fields& cells) const {
    return heading_.texts > 0 ||
           std::any_of(heading_.kinds.begin(), heading_.kinds.end(), [&](std::size_t column) {
             return !cell(cells, column).empty() && way_word_in(cell(cells, column)) == Way::kUnsaid;
           });
  }

  std::vector<std::string> texts_of(const Fields& cells) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i < heading_.parties.size() && heading_.parties[i]) continue;
      auto text = entry_words_of(cells[i]);
      const auto is_state = [&] {
        return std::find(heading_.states.begin(), heading_.states.end(), i) != heading_.states.end();
      };
      if (!is_state() || describes_pix(text)) texts.push_back(std::move(text));
    }
    return texts;
  }
  // "Pix recebido" and "Pix enviado" in a column of states.
  static bool describes_pix(const std::string& text) {
    if (!say_pix({text})) return false;
    const auto state = money_state_of(text);
    return state == MoneyState::kMoved || state == MoneyState::kUnknown;
  }

  std::optional<domain::EndToEndId> id_of(const Fields& cells, Row& row) const {
    if (heading_.id == kAbsent) return end_to_end_id_in(reader_.record());
    const auto text = cell(cells, heading_.id);
    auto id = domain::EndToEndId::parse(text);
    if (id) {
      // An id that is recognised by its form gets the usual spelling; any other is kept.
      auto usual = end_to_end_id_in(text);
      return usual ? usual : id;
    }
    id = end_to_end_id_in(text);
    if (!id && !says_nothing(text) && return_id_in(text).empty()) row.bad_id = std::string(text);
    return id;
  }

  std::string amount_problem(const Fields& cells, const Row& row) const {
    if (heading_.cents != kAbsent)
      return heading_.column(heading_.cents) + " must be an integer from 1 to " +
             std::to_string(domain::kAmountCentsMax);
    return heading_.column(amount_column(cells)) + " " +
           std::string(rule_of(std::get<BadAmount>(row.amount)));
  }
  // Of two columns the one that cannot be read.
  std::size_t amount_column(const Fields& cells) const {
    if (heading_.amount != kAbsent) return heading_.amount;
    const auto credit = cell(cells, heading_.credit);
    const bool is_debit =
        heading_.debit != kAbsent &&
        (says_nothing(credit) || std::holds_alternative<std::int64_t>(parse_amount(credit)));
    return is_debit || heading_.credit == kAbsent ? heading_.debit : heading_.credit;
  }

  std::variant<std::int64_t, BadAmount> amount_of(const Fields& cells, bool& says_came) const {
    if (heading_.cents != kAbsent) {
      const auto cents = whole_number<std::int64_t>(cell(cells, heading_.cents));
      if (!cents) return BadAmount::kNone;
      return *cents;
    }
    if (heading_.amount != kAbsent) return parse_amount(cell(cells, heading_.amount), &says_came);
    // Two columns, one of which is empty or zero.
    const auto credit = cell(cells, heading_.credit), debit = cell(cells, heading_.debit);
    const auto came = says_nothing(credit) ? std::variant<std::int64_t, BadAmount>(0) : parse_amount(credit);
    auto went = says_nothing(debit) ? std::variant<std::int64_t, BadAmount>(0) : parse_amount(debit);
    const auto *in = std::get_if<std::int64_t>(&came), *out = std::get_if<std::int64_t>(&went);
    if (!in) return came;
    if (!out) return went;
    if (says_nothing(credit) && says_nothing(debit)) return BadAmount::kNone;
    if (*in != 0 && *out != 0) return BadAmount::kAmbiguous;
    says_came = *in > 0;
    return *in != 0 ? *in : -std::abs(*out);
  }

  // Some tables have amounts without a sign, and a column for the direction.
  Way way_of_row(const Fields& cells, const Row& row, std::int64_t cents, bool has_name) {
    auto found = row.says_came ? Way::kCame : Way::kUnsaid;
    std::size_t unknown = kAbsent;
    for (const auto column : heading_.signs) {
      const auto way = way_of(cell(cells, column));
      if (way == Way::kUnsaid && !cell(cells, column).empty()) unknown = column;
      tell_both(found, way);
      if (found == Way::kUnsaid) found = way;
    }
    if (cents <= 0 || found != Way::kUnsaid || unknown == kAbsent || row.is_none) return found;
    const auto problem =
        heading_.column(unknown) + " must say whether the money came in or went, such as C or D";
    const bool is_said = say_received(row.texts) || say_sent(row.texts) || say_return(row.texts);
    if (!has_name && row.says_pix && !is_said && !has_amount_signs_) refuse(problem);
    entries_.warn(reader_.line(), problem);
    return Way::kUnsaid;
  }
  // Columns for the kind may state it, too.
  Way guess_of_row(const Fields& cells, Way way, std::int64_t cents) {
    auto found = Way::kUnsaid;
    for (const auto column : heading_.kinds) {
      if (cents <= 0) break;
      const auto kind = way_of_kind(cell(cells, column));
      tell_both(found != Way::kUnsaid ? found : way, kind);
      if (found == Way::kUnsaid) found = kind;
    }
    return found;
  }
  void tell_both(Way one, Way other) {
    if (one != Way::kUnsaid && other != Way::kUnsaid && one != other)
      entries_.warn(reader_.line(), "says in one column that money came in, in another that it went");
  }

  std::optional<StatementTime> time_of(const Fields& cells) const {
    auto text = std::string(cell(cells, heading_.time));
    if (heading_.clock != kAbsent && !cell(cells, heading_.clock).empty()) {
      auto whole = parse_statement_time(text + " " + std::string(cell(cells, heading_.clock)), zone_);
      if (whole) return whole;
    }
    return parse_statement_time(text, zone_);
  }

  std::string return_id_of(const Fields& cells) const {
    return heading_.return_id == kAbsent ? return_id_in(reader_.record())
                                         : name_in(cells, heading_.return_id);
  }

  std::string name_in(const Fields& cells, std::size_t place) const {
    const auto text = cell(cells, place);
    return says_nothing(text) ? std::string() : std::string(text);
  }

  // A line that is no entry of the table. What it states about entries has to match.
  void take_total(const Fields& cells, const Row& row) {
    entries_.ignore();
    add_sizes(cells, row.words, !row.time && !(row.is_none && say_pix(row.texts)));
  }
  // `may_sum`: its amounts may be sums, whatever its words.
  void add_sizes(const Fields& cells, const std::string& words, bool may_sum) {
    const auto stated = stated_sizes_of(cells, heading_);
    for (const auto& size : stated.sizes) sizes_.add(reader_.line(), reader_.record(), size);
    for (const auto cents : stated.amounts)
      if (may_sum) entries_.compare_amount(reader_.line(), cents);
    if (const auto page = stated_page_of(words)) sizes_.add(reader_.line(), *page);
    if (says_continued(words)) sizes_.add_continued(reader_.line());
  }

  CsvReader reader_;
  const TimeZone& zone_;
  StatementHeading heading_;
  std::string heading_words_;
  bool has_amount_signs_ = false;  // or columns for both ways
  StatementEntries entries_{StatementFormat::kCsv};
  TableSizes sizes_{entries_};
  std::optional<StatementTime> last_time_;
  bool is_in_summary_ = false;
  bool has_told_day_ = false;
  std::size_t cells_min_ = kAbsent;                                   // of the entries
  std::set<std::optional<std::pair<std::size_t, bool>>> last_forms_;  // of the last cells of entries
};

}  // namespace

Statement read_csv_statement(std::string_view text, const TimeZone& zone) {
  if (trimmed(text).empty()) throw StatementRefused("the statement is empty");
  std::optional<StatementRefused> refused;
  for (const char separator : kSeparators) {
    CsvStatement candidate(text, zone, separator);
    bool has_heading = false;
    try {
      has_heading = candidate.find_heading();
    } catch (const StatementRefused& error) {
      refused = error;
    }
    if (has_heading) return candidate.read();
  }
  if (refused) throw *refused;
  const auto first = text.substr(0, text.find('\n'));
  refuse_line(1,
              "no line names the columns. One has to have endToEndId, amountCents (or a valor in reais) and "
              "paidAt (or a data), "
              "separated by ; or , or tabs",
              first);
}

}  // namespace pixledger::stores
