#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_size.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

// Tables as banks, acquirers and spreadsheets write them: columns of many names in any order, among others,
// with lines before them, balances and totals between and behind them.
namespace pixledger::stores {
namespace {

inline constexpr std::size_t kAbsent = SIZE_MAX;

// Where a table has what, by what its columns are called: of many names, in any order, among others.
struct StatementHeading {
  std::size_t id = kAbsent, cents = kAbsent, amount = kAbsent, credit = kAbsent, debit = kAbsent,
              time = kAbsent, clock = kAbsent, txid = kAbsent, return_id = kAbsent, balance = kAbsent;
  std::vector<std::size_t> signs{};  // columns that say which way money went
  std::vector<std::size_t> kinds{};  // columns that may say it, or what it was
  std::size_t columns = 0;
  std::size_t texts = 0;        // of the columns, those of none of these
  std::vector<bool> parties{};  // which columns name somebody

  bool has_amount() const {
    return cents != kAbsent || amount != kAbsent || credit != kAbsent || debit != kAbsent;
  }
  bool is_whole() const { return has_amount() && time != kAbsent; }
};

using Names = std::vector<std::string_view>;

// What columns are called, in words_of; what stands first goes before what stands behind.
const Names kIdNames{"endtoendid",
                     "end to end id",
                     "end to end",
                     "e2eid",
                     "e2e id",
                     "e2e",
                     "id e2e",
                     "id end to end",
                     "endtoend",
                     "id endtoend",
                     "identificador end to end",
                     "codigo end to end",
                     "id da transacao pix",
                     "id transacao pix",
                     "id pix"};
const Names kCentsNames{"amountcents", "amount cents", "valor em centavos", "valor centavos", "centavos"};
const Names kAmountNames{"amount",
                         "valor",
                         "valor r",
                         "valor rs",
                         "valor brl",
                         "valor pago",
                         "valor recebido",
                         "valor da transacao",
                         "valor transacao",
                         "valor do lancamento",
                         "valor lancamento",
                         "valor do pix",
                         "valor pix",
                         "valor bruto",
                         "quantia",
                         "montante",
                         "value"};
const Names kCreditNames{"credito",  "creditos",  "credito r",     "entrada",
                         "entradas", "entrada r", "valor credito", "credit"};
const Names kDebitNames{"debito", "debitos", "debito r",     "saida",
                        "saidas", "saida r", "valor debito", "debit"};
const Names kTimeNames{"paidat",
                       "paid at",
                       "data hora",
                       "data e hora",
                       "datahora",
                       "horario",
                       "data hora do pagamento",
                       "data hora da transacao",
                       "data hora transacao",
                       "data do pagamento",
                       "data pagamento",
                       "data de pagamento",
                       "data da transacao",
                       "data transacao",
                       "data do lancamento",
                       "data lancamento",
                       "data movimento",
                       "data do movimento",
                       "data mov",
                       "data",
                       "dt lancamento",
                       "date",
                       "datetime",
                       "date time",
                       "paid on"};
const Names kClockNames{"hora", "horario", "time"};
const Names kTxidNames{"txid", "tx id", "id da cobranca", "id cobranca", "identificador da cobranca"};
const Names kReturnNames{"returnid", "return id", "rtrid", "rtr id", "id devolucao", "id da devolucao"};
const Names kBalanceNames{"saldo",
                          "saldo r",
                          "saldo rs",
                          "saldo brl",
                          "saldo apos",
                          "saldo apos lancamento",
                          "saldo apos o lancamento",
                          "saldo apos transacao",
                          "saldo em conta",
                          "saldo da conta",
                          "saldo parcial",
                          "balance",
                          "running balance"};
const Names kSignNames{"c d",
                       "d c",
                       "dc",
                       "cd",
                       "d ou c",
                       "c ou d",
                       "credito debito",
                       "debito credito",
                       "debito ou credito",
                       "credito ou debito",
                       "deb cred",
                       "cred deb",
                       "debcred",
                       "creddeb",
                       "indicador d c",
                       "indicador dc",
                       "sinal",
                       "sentido",
                       "direcao",
                       "natureza",
                       "natureza da operacao",
                       "natureza do lancamento",
                       "entrada saida",
                       "entrada ou saida",
                       "e s"};
const Names kKindNames{"tipo",
                       "type",
                       "tipo de lancamento",
                       "tipo lancamento",
                       "tipo do lancamento",
                       "tipo de operacao",
                       "tipo operacao",
                       "tipo da operacao",
                       "tipo de movimento",
                       "tipo movimento",
                       "tipo de movimentacao",
                       "tipo movimentacao",
                       "tipo de transacao",
                       "tipo transacao",
                       "tipo da transacao",
                       "operacao",
                       "movimentacao",
                       "movimento"};

// Where somebody is named, in whose name any word may be.
const Names kPartyNames{"nome",
                        "nome do pagador",
                        "nome pagador",
                        "pagador",
                        "payer",
                        "payer name",
                        "name",
                        "customer",
                        "customer name",
                        "cliente",
                        "nome do cliente",
                        "nome cliente",
                        "nome completo",
                        "comprador",
                        "devedor",
                        "nome do devedor",
                        "sacado",
                        "remetente",
                        "nome do remetente",
                        "nome remetente",
                        "contraparte",
                        "nome da contraparte",
                        "nome contraparte",
                        "favorecido",
                        "nome do favorecido",
                        "nome favorecido",
                        "beneficiario",
                        "nome do beneficiario",
                        "destinatario",
                        "nome do destinatario",
                        "origem",
                        "origem destino",
                        "remetente destinatario",
                        "pagador recebedor",
                        "titular",
                        "participante",
                        "pessoa",
                        "razao social",
                        "nome razao social",
                        "from",
                        "counterparty"};

// Throws StatementRefused where two columns have one name, as nobody can tell which is meant.
std::size_t find(const std::vector<std::string>& words, const Names& names, std::size_t line,
                 std::string_view text) {
  for (const auto name : names) {
    const auto found = std::find(words.begin(), words.end(), name);
    if (found == words.end()) continue;
    if (std::find(found + 1, words.end(), name) != words.end())
      refuse_line(line, "two columns are called " + std::string(name) + ": keep one of them", text);
    return static_cast<std::size_t>(found - words.begin());
  }
  return kAbsent;
}

bool is_one_of(std::string_view word, const Names& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::vector<std::string> words_of_cells(const std::vector<std::string>& cells) {
  std::vector<std::string> words;
  for (const auto& cell : cells) words.push_back(words_of(cell));
  return words;
}

// Of a line that may name the columns: `text`, as it stands there. Throws StatementRefused where two columns
// have one name, as nobody can tell which is meant.
StatementHeading heading_of(const std::vector<std::string>& cells, std::size_t line, std::string_view text) {
  const auto words = words_of_cells(cells);
  const auto place = [&](const Names& names) { return find(words, names, line, text); };
  StatementHeading heading{.id = place(kIdNames),
                           .cents = place(kCentsNames),
                           .amount = place(kAmountNames),
                           .credit = place(kCreditNames),
                           .debit = place(kDebitNames),
                           .time = place(kTimeNames),
                           .txid = place(kTxidNames),
                           .return_id = place(kReturnNames),
                           .balance = place(kBalanceNames)};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_one_of(words[i], kSignNames)) heading.signs.push_back(i);
    if (is_one_of(words[i], kKindNames)) heading.kinds.push_back(i);
  }
  if (heading.time != kAbsent) heading.clock = place(kClockNames);
  if (heading.clock == heading.time) heading.clock = kAbsent;
  heading.columns = words.size();
  while (heading.columns > 0 && words[heading.columns - 1].empty()) --heading.columns;
  std::size_t known = heading.signs.size() + heading.kinds.size();
  for (const auto at : {heading.id, heading.cents, heading.amount, heading.credit, heading.debit,
                        heading.time, heading.clock, heading.txid, heading.return_id})
    if (at != kAbsent) ++known;
  heading.texts = heading.columns > known ? heading.columns - known : 0;
  for (const auto& name : words) heading.parties.push_back(is_one_of(name, kPartyNames));
  return heading;
}

using Fields = std::vector<std::string>;

constexpr std::size_t kHeadingLinesMax = 50;
constexpr std::string_view kSeparators = ";,\t|";
// "D", "DB": more letters are a word, which may say what an entry is.
constexpr std::size_t kCodeSizeMax = 2;

// A cell that says that there is nothing.
bool says_nothing(std::string_view cell) {
  const auto text = trimmed(cell);
  if (std::none_of(text.begin(), text.end(), is_ascii_alnum) && text.find('\xC3') == std::string_view::npos)
    return true;
  const auto words = words_of(text);
  return words == "0" || words == "n a" || words == "na" || words == "null" || words == "none" ||
         words == "nao informado" || words == "nao se aplica";
}

class CsvStatement {
 public:
  CsvStatement(std::string_view text, const TimeZone& zone, char separator)
      : reader_(text, separator), zone_(zone) {}

  // Whether a line names the columns, which is then the last one that was read.
  bool find_heading() {
    for (std::size_t i = 0; i < kHeadingLinesMax; ++i) {
      const auto cells = reader_.next();
      if (!cells) return false;
      heading_ = heading_of(*cells, reader_.line(), reader_.record());
      if (heading_.is_whole()) {
        heading_text_ = trimmed(reader_.record());
        return true;
      }
      note_size(stated_size_of(joined(*cells)), false);
    }
    return false;
  }
  std::size_t heading_line() const { return reader_.line(); }

  Statement read() {
    if (heading_.debit != kAbsent) entries_.has_debits();
    while (const auto cells = reader_.next()) read_row(*cells);
    hold_sizes();
    auto statement = entries_.finish();
    statement.counts_held = statement.counts_held || is_held_;
    return statement;
  }

 private:
  std::string_view cell(const Fields& cells, std::size_t place) const {
    return place < cells.size() ? trimmed(cells[place]) : std::string_view();
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    refuse_line(reader_.line(), problem, reader_.record());
  }

  struct Row {
    std::string words;
    std::vector<std::string> texts;
    std::optional<domain::EndToEndId> id{};
    std::string bad_id{};  // what stands in the id's column and is none
    std::string return_id{};
    std::variant<std::int64_t, BadAmount> amount = BadAmount::kNone;
    std::optional<StatementTime> time{};
    bool is_beside = false;
  };

  void read_row(const Fields& cells) {
    const auto is_blank = [](const std::string& text) { return trimmed(text).empty(); };
    if (std::all_of(cells.begin(), cells.end(), is_blank)) return;
    if (trimmed(reader_.record()) == heading_text_) return;  // of a further page
    Row row{.words = words_of(reader_.record()), .texts = texts_of(cells)};
    row.id = id_of(cells, row);
    row.return_id = return_id_of(cells);
    row.amount = amount_of(cells);
    row.time = time_of(cells);
    row.is_beside = is_beside_payments(row.texts);
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    const bool is_none =
        row.is_beside || may_be_total(row.texts) || (!cents && !row.time && states_size(cells));
    const bool names_money = row.id || !row.return_id.empty() || (!row.bad_id.empty() && !is_none);
    if (!is_none) refuse_cut_off(cells, row);
    if (!names_money && !may_be_money(cells, row, is_none) && (!cents || !row.time))
      return take_total(cells, row);
    if (cells.size() > heading_.columns &&
        !std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(heading_.columns), cells.end(), is_blank))
      refuse("has " + std::to_string(cells.size()) + " cells, and the heading " +
             std::to_string(heading_.columns) + ": put what holds the separator in quotes");
    if (!row.bad_id.empty() && !(cents && *cents < 0)) {
      if (may_be_total(row.texts)) return take_total(cells, row);
      if (row.is_beside) return entries_.ignore();
      refuse("column " + std::to_string(heading_.id + 1) + ", endToEndId, " +
             std::string(domain::EndToEndId::kRule));
    }
    if (!cents) refuse(amount_problem(row));
    if (heading_.cents != kAbsent && *cents == 0 && row.id)
      refuse(std::string(amount_name()) + " must not be 0");
    if (!row.time)
      refuse("column " + std::to_string(heading_.time + 1) + ", paidAt, " + std::string(kStatementTimeRule));
    const auto way = way_of_row(cells, row, *cents);
    const auto signed_cents =
        entries_.add({.line = reader_.line(),
                      .text = reader_.record(),
                      .end_to_end_id = row.id,
                      .return_id = row.return_id,
                      .txid = heading_.txid == kAbsent ? charge_txid_in(reader_.record()) : txid_of(cells),
                      .cents = *cents,
                      .way = way,
                      .time = *row.time,
                      .texts = row.texts,
                      .describes = describes(cells)});
    const bool is_sure = signed_cents < 0 || !row.is_beside || way != Way::kUnsaid;
    note_balance(cells, row, is_sure ? std::optional(signed_cents) : std::nullopt);
  }

  // Balances of their own lines stand beside no entry, but for the one before all of them.
  void note_balance(const Fields& cells, const Row& row, std::optional<std::int64_t> cents) {
    if (heading_.balance == kAbsent) return;
    const auto begin_with = [&row](std::string_view words) {
      return std::any_of(row.texts.begin(), row.texts.end(),
                         [words](const std::string& text) { return text.starts_with(words); });
    };
    const bool is_first = begin_with("saldo anterior") || begin_with("saldo inicial");
    if (begin_with("saldo") && (!is_first || cents)) return;
    const auto balance = parse_amount(cell(cells, heading_.balance));
    const auto* found = std::get_if<std::int64_t>(&balance);
    if (cents)
      balance_.add(reader_.line(), *cents, found ? std::optional(*found) : std::nullopt);
    else if (is_first && found)
      balance_.add(reader_.line(), 0, *found);
    else if (!is_first)
      balance_.interrupt();
  }

  static std::string joined(const Fields& cells) {
    std::string line;
    for (const auto& each : cells)
      if (!trimmed(each).empty()) line += (line.empty() ? "" : " ") + std::string(trimmed(each));
    return line;
  }

  static bool states_size(const Fields& cells) {
    const auto size = stated_size_of(joined(cells));
    return size.count || size.cents || size.page;
  }

  // What a line says of the size of the table. What does not fit what came so far may fit all of it.
  void note_size(const StatedSize& size, bool is_behind) {
    if (size.page) {
      pages_.insert(size.page->first);
      if (size.page->second > page_count_) page_count_ = size.page->second, page_line_ = reader_.line();
    }
    if (!size.count && !size.cents) return;
    if (is_behind && fits(size))
      is_held_ = true;
    else
      sizes_.push_back({reader_.line(), std::string(reader_.record()), size});
  }
  bool fits(const StatedSize& size) {
    return (size.count && entries_.are_as_many_as(*size.count)) ||
           (size.cents && entries_.come_to(*size.cents));
  }

  void hold_sizes() {
    constexpr std::string_view kMissing = ": a part of the statement is missing, or is in it twice";
    for (const auto& [line, text, size] : sizes_) {
      if (fits(size)) {
        is_held_ = true;
        continue;
      }
      if (size.cents)
        refuse_line(line,
                    "states a total, and the payments before it come to " +
                        domain::to_decimal(domain::Cents(entries_.payments_cents())) + std::string(kMissing),
                    text);
      refuse_line(line, "states how many lines there are, and there are others" + std::string(kMissing),
                  text);
    }
    for (std::int64_t page = 1; page <= page_count_; ++page)
      if (pages_.count(page) == 0)
        throw StatementRefused("the statement's line " + std::to_string(page_line_) +
                               ": says that there are " + std::to_string(page_count_) + " pages, and page " +
                               std::to_string(page) + " is not here: put all of them into one file");
    if (const auto line = balance_.jump())
      throw StatementRefused(
          "the statement's line " + std::to_string(*line) +
          ": the balance moves by something else than the entry: a part of the statement is "
          "missing. Fetch it with all entries of the account, or take the balances out");
    if (page_count_ > 1 || balance_.moves()) is_held_ = true;
  }

  // An amount or a day that is there and cannot be read, of what may be a payment: of any row where the other
  // of both can be read, and where the row says Pix, or the table says of no row what it is, of all that has
  // either.
  bool may_be_money(const Fields& cells, const Row& row, bool is_none) const {
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    const bool is_ambiguous = !cents && std::get<BadAmount>(row.amount) == BadAmount::kAmbiguous;
    if (is_ambiguous && row.time && !row.is_beside) return true;
    if (is_none || (cents && (row.time || *cents == 0))) return false;
    std::string amounts;
    for (const auto column : {heading_.cents, heading_.amount, heading_.credit, heading_.debit})
      amounts += cell(cells, column);
    const auto has_digit = [](std::string_view text) {
      return std::any_of(text.begin(), text.end(), is_ascii_digit);
    };
    const auto says_pix = [](const std::string& text) { return has_words(text, "pix"); };
    if (heading_.texts == 0 || std::any_of(row.texts.begin(), row.texts.end(), says_pix))
      return cents || row.time || has_digit(amounts);
    return cents ? *cents > 0 && has_digit(cell(cells, heading_.time)) : row.time && has_digit(amounts);
  }

  // The last row, where it does not end: a part of it is missing, and maybe rows behind it.
  void refuse_cut_off(const Fields& cells, const Row& row) const {
    if (reader_.has_line_end()) return;
    const bool has_day_first = heading_.time == 0 && !row.time;
    const auto begin = trimmed(reader_.record());
    const bool is_note = cells.size() == 1 && has_day_first && !is_ascii_digit(begin.front());
    const bool ends_empty = heading_.id + 1 == heading_.columns && cells.size() == heading_.columns &&
                            cells.back().empty() && row.time &&
                            std::holds_alternative<std::int64_t>(row.amount);
    if ((cells.size() >= heading_.columns || is_note) && !ends_empty) return;
    refuse("is cut off: it has no end of line, and the heading has " + std::to_string(heading_.columns) +
           " cells. Fetch the statement again; where it is whole, end its last line");
  }

  // Whether the row says what it is, beside which way its money went.
  bool describes(const Fields& cells) const {
    return heading_.texts > 0 ||
           std::any_of(heading_.kinds.begin(), heading_.kinds.end(), [&](std::size_t column) {
             return !cell(cells, column).empty() && way_of(cell(cells, column)) == Way::kUnsaid;
           });
  }

  std::vector<std::string> texts_of(const Fields& cells) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (i >= heading_.parties.size() || !heading_.parties[i]) texts.push_back(words_of(cells[i]));
    return texts;
  }

  std::optional<domain::EndToEndId> id_of(const Fields& cells, Row& row) const {
    if (heading_.id == kAbsent) return end_to_end_id_in(reader_.record());
    const auto text = cell(cells, heading_.id);
    auto id = domain::EndToEndId::parse(text);
    if (id) {
      // What is named by its form is spelt as such ids are; any other is kept as it is.
      auto usual = end_to_end_id_in(text);
      return usual ? usual : id;
    }
    id = end_to_end_id_in(text);
    if (!id && !says_nothing(text) && return_id_in(text).empty()) row.bad_id = std::string(text);
    return id;
  }

  std::string_view amount_name() const { return heading_.cents != kAbsent ? "amountCents" : "the amount"; }
  std::string amount_problem(const Row& row) const {
    if (heading_.cents != kAbsent)
      return "amountCents must be an integer from 1 to " + std::to_string(domain::kAmountCentsMax);
    const auto column = (heading_.amount != kAbsent ? heading_.amount : heading_.credit) + 1;
    return "column " + std::to_string(column) + ", the amount, " +
           std::string(rule_of(std::get<BadAmount>(row.amount)));
  }

  std::variant<std::int64_t, BadAmount> amount_of(const Fields& cells) const {
    if (heading_.cents != kAbsent) {
      const auto text = cell(cells, heading_.cents);
      std::int64_t cents = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cents);
      if (error != std::errc() || end != text.data() + text.size()) return BadAmount::kNone;
      return cents;
    }
    if (heading_.amount != kAbsent) return parse_amount(cell(cells, heading_.amount));
    // Two columns, one of which is empty or zero.
    const auto credit = cell(cells, heading_.credit), debit = cell(cells, heading_.debit);
    const auto came = credit.empty() ? std::variant<std::int64_t, BadAmount>(0) : parse_amount(credit);
    auto went = debit.empty() ? std::variant<std::int64_t, BadAmount>(0) : parse_amount(debit);
    const auto *in = std::get_if<std::int64_t>(&came), *out = std::get_if<std::int64_t>(&went);
    if (!in) return came;
    if (!out) return went;
    if (credit.empty() && debit.empty()) return BadAmount::kNone;
    if (*in != 0 && *out != 0) return BadAmount::kAmbiguous;
    return *in != 0 ? *in : -std::abs(*out);
  }

  // Some tables have amounts without a sign, and a column that says which way it went. A word for neither way
  // may hide money that was sent among what came.
  Way way_of_row(const Fields& cells, const Row& row, std::int64_t cents) const {
    if (cents < 0) return Way::kWent;
    if (heading_.cents == kAbsent && heading_.amount == kAbsent) return Way::kCame;
    const bool matters = cents > 0 && !row.is_beside && !may_be_total(row.texts);
    auto found = Way::kUnsaid;
    const auto take = [&](std::size_t column, bool has_to_say) {
      const auto way = way_of(cell(cells, column));
      if (way == Way::kUnsaid && has_to_say && matters)
        refuse("column " + std::to_string(column + 1) +
               " must say whether the money came in or went, such as C or D");
      if (way != Way::kUnsaid && found != Way::kUnsaid && way != found)
        refuse("says in one column that the money came in, and in another that it went");
      if (way != Way::kUnsaid) found = way;
    };
    for (const auto column : heading_.signs) take(column, true);
    if (found != Way::kUnsaid) return found;
    for (const auto column : heading_.kinds) {
      const auto words = words_of(cell(cells, column));
      take(column, !words.empty() && words.size() <= kCodeSizeMax);
    }
    return found;
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
    if (heading_.return_id == kAbsent) return return_id_in(reader_.record());
    const auto text = cell(cells, heading_.return_id);
    return says_nothing(text) ? std::string() : std::string(text);
  }

  std::string txid_of(const Fields& cells) const {
    const auto text = cell(cells, heading_.txid);
    return says_nothing(text) ? std::string() : std::string(text);
  }

  // A line that is no entry of the table. What it says of the others has to fit them.
  void take_total(const Fields& cells, const Row& row) {
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    auto size = stated_size_of(joined(cells));
    const bool is_sum = say_sum(row.words) && !say_other_sum(row.words);
    // An amount of no day and no kind is a sum as well.
    const bool is_bare = cents && *cents > 0 && cell(cells, heading_.time).empty() && !row.is_beside &&
                         !say_other_sum(row.words);
    if (!size.count && !size.cents && !size.page && cents && (is_sum || is_bare)) size.cents = *cents;
    note_size(size, true);
    if (!size.cents && !cents && is_sum) {
      // Sums of both columns.
      for (const auto column : {heading_.credit, heading_.debit}) {
        const auto amount = parse_amount(cell(cells, column));
        if (const auto* sum = std::get_if<std::int64_t>(&amount)) note_size({.cents = std::abs(*sum)}, true);
      }
    }
    note_balance(cells, row, std::nullopt);
    entries_.ignore();
  }

  CsvReader reader_;
  const TimeZone& zone_;
  StatementHeading heading_;
  std::string_view heading_text_;
  StatementEntries entries_{StatementFormat::kCsv};
  struct Claim {
    std::size_t line;
    std::string text;
    StatedSize size;
  };
  std::vector<Claim> sizes_;  // that are to be held against all that came
  std::set<std::int64_t> pages_;
  std::int64_t page_count_ = 0;
  std::size_t page_line_ = 0;
  RunningBalance balance_;
  bool is_held_ = false;
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
