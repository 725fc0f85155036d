#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "stores/accounting/statement_entry.h"
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
              time = kAbsent, clock = kAbsent, txid = kAbsent, return_id = kAbsent, kind = kAbsent;
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
const Names kKindNames{
    "c d",      "d c",           "dc",   "cd",   "credito debito",     "debito credito", "sinal",
    "natureza", "entrada saida", "tipo", "type", "tipo de lancamento", "tipo lancamento"};

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
                           .kind = place(kKindNames)};
  if (heading.time != kAbsent) heading.clock = place(kClockNames);
  if (heading.clock == heading.time) heading.clock = kAbsent;
  heading.columns = words.size();
  while (heading.columns > 0 && words[heading.columns - 1].empty()) --heading.columns;
  std::size_t known = 0;
  for (const auto at : {heading.id, heading.cents, heading.amount, heading.credit, heading.debit,
                        heading.time, heading.clock, heading.txid, heading.return_id, heading.kind})
    if (at != kAbsent) ++known;
  heading.texts = heading.columns > known ? heading.columns - known : 0;
  for (const auto& name : words)
    heading.parties.push_back(std::find(kPartyNames.begin(), kPartyNames.end(), name) != kPartyNames.end());
  return heading;
}

using Fields = std::vector<std::string>;

constexpr std::size_t kHeadingLinesMax = 50;
constexpr std::string_view kSeparators = ";,\t|";

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
    }
    return false;
  }
  std::size_t heading_line() const { return reader_.line(); }

  Statement read() {
    if (heading_.debit != kAbsent) entries_.has_debits();
    while (const auto cells = reader_.next()) read_row(*cells);
    return entries_.finish();
  }

 private:
  std::string_view cell(const Fields& cells, std::size_t place) const {
    return place < cells.size() ? trimmed(cells[place]) : std::string_view();
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    refuse_line(reader_.line(), problem, reader_.record());
  }

  void read_row(const Fields& cells) {
    const auto is_blank = [](const std::string& text) { return trimmed(text).empty(); };
    if (std::all_of(cells.begin(), cells.end(), is_blank)) return;
    if (trimmed(reader_.record()) == heading_text_) return;  // of a further page
    Row row{.words = words_of(reader_.record()), .texts = texts_of(cells)};
    row.id = id_of(cells, row);
    row.return_id = return_id_of(cells);
    row.amount = amount_of(cells);
    row.time = time_of(cells);
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    const bool is_beside = is_beside_payments(row.texts);
    const bool is_none = is_beside || may_be_total(row.texts);
    const bool names_money = row.id || !row.return_id.empty() || (!row.bad_id.empty() && !is_none);
    const auto* bad = std::get_if<BadAmount>(&row.amount);
    const bool may_matter = bad && *bad == BadAmount::kAmbiguous && row.time && !is_beside;
    if (!names_money && !may_matter && (!cents || !row.time)) return take_total(row);
    if (cells.size() > heading_.columns &&
        !std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(heading_.columns), cells.end(), is_blank))
      refuse("has " + std::to_string(cells.size()) + " cells, and the heading " +
             std::to_string(heading_.columns) + ": put what holds the separator in quotes");
    if (!row.bad_id.empty() && !(cents && *cents < 0)) {
      if (may_be_total(row.texts)) return take_total(row);
      if (is_beside) return entries_.ignore();
      refuse("column " + std::to_string(heading_.id + 1) + ", endToEndId, " +
             std::string(domain::EndToEndId::kRule));
    }
    if (!cents) refuse(amount_problem(row));
    if (heading_.cents != kAbsent && *cents == 0 && row.id)
      refuse(std::string(amount_name()) + " must not be 0");
    if (!row.time)
      refuse("column " + std::to_string(heading_.time + 1) + ", paidAt, " + std::string(kStatementTimeRule));
    entries_.add({.line = reader_.line(),
                  .text = reader_.record(),
                  .end_to_end_id = row.id,
                  .return_id = row.return_id,
                  .txid = heading_.txid == kAbsent ? charge_txid_in(reader_.record()) : txid_of(cells),
                  .cents = signed_cents(*cents, cells),
                  .time = *row.time,
                  .texts = row.texts,
                  .describes = heading_.texts > 0});
  }

  struct Row {
    std::string words;
    std::vector<std::string> texts;
    std::optional<domain::EndToEndId> id{};
    std::string bad_id{};  // what stands in the id's column and is none
    std::string return_id{};
    std::variant<std::int64_t, BadAmount> amount = BadAmount::kNone;
    std::optional<StatementTime> time{};
  };

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

  // Some tables have amounts without a sign, and a column that says which way it went.
  std::int64_t signed_cents(std::int64_t cents, const Fields& cells) const {
    if (heading_.kind == kAbsent || cents < 0) return cents;
    const auto words = words_of(cell(cells, heading_.kind));
    for (const std::string_view out : {"d", "debito", "debit", "saida", "out", "enviado", "pix enviado"})
      if (words == out) return -cents;
    return cents;
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
  void take_total(const Row& row) {
    const auto* cents = std::get_if<std::int64_t>(&row.amount);
    if (cents && has_words(row.words, "total") && !has_words(row.words, "saldo") && !entries_.come_to(*cents))
      refuse("states a total, and the payments before it come to " +
             domain::to_decimal(domain::Cents(entries_.payments_cents())) +
             ": a part of the statement is missing, or is in it twice");
    if (const auto count = stated_count(row.words); count && !entries_.are_as_many_as(*count))
      refuse(
          "states how many lines there are, and there are others before it: a part of the statement is "
          "missing, or is in it twice");
    entries_.ignore();
  }

  // "Quantidade de lançamentos: 3"
  static std::optional<std::int64_t> stated_count(std::string_view words) {
    for (const std::string_view name :
         {"quantidade de lancamentos", "quantidade de registros", "quantidade de transacoes",
          "total de lancamentos", "total de registros", "total de transacoes", "quantidade"}) {
      if (!words.starts_with(name) || words.size() == name.size()) continue;
      const auto number = words.substr(name.size() + 1);
      std::int64_t count = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
      if (error == std::errc() && end == number.data() + number.size()) return count;
    }
    return std::nullopt;
  }

  CsvReader reader_;
  const TimeZone& zone_;
  StatementHeading heading_;
  std::string_view heading_text_;
  StatementEntries entries_{StatementFormat::kCsv};
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
