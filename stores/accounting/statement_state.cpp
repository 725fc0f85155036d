#include "stores/accounting/statement_state.h"

#include <algorithm>
#include <array>

#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {
namespace {

// Begins of words, as their ends differ: "cancelado", "cancelada".
constexpr std::array<std::string_view, 41> kNotMoved{
    "agendad", "scheduled", "pend",         "cancelad",   "canceled", "cancelled", "recus",
    "rejeit",  "reject",    "negad",        "denied",     "declin",   "refus",     "falh",
    "fail",    "expir",     "venci",        "vencer",     "overdue",  "atrasad",   "processand",
    "in proc", "analis",    "processament", "processing", "andament", "aguard",    "await",
    "waiting", "abert",     "open",         "receber",    "pagar",    "previst",   "futur",
    "unpaid",  "void",      "desfeit",      "abort",      "iniciad",  "removid"};
constexpr std::array<std::string_view, 34> kMoved{
    "concluid",  "confirmad", "confirmed", "efetivad",  "efetuad",    "liquidad",  "pag",
    "paid",      "recebid",   "received",  "aprovad",   "approved",   "autorizad", "realizad",
    "finalizad", "sucesso",   "success",   "succeed",   "credit",     "complet",   "settled",
    "disponiv",  "availab",   "liberad",   "released",  "compensad",  "executad",  "quitad",
    "baixad",    "done",      "processad", "processed", "transferid", "accredited"};
constexpr std::array<std::string_view, 9> kReturned{"devol",  "estorn",  "reembols",   "refund",  "revers",
                                                    "revert", "chargeb", "charged ba", "returned"};
// It came, and is on its way from the acquirer.
constexpr std::array<std::string_view, 4> kOnItsWay{"repasse", "liberacao", "antecipacao", "conciliacao"};
// They say nothing by themselves.
constexpr std::array<std::string_view, 18> kBeside{
    "pix",    "pagamento", "transacao", "transferencia", "operacao",     "lancamento",
    "status", "a",         "em",        "partially",     "parcialmente", "recebimento",
    "venda",  "fatura",    "boleto",    "titulo",        "cobranca",     "payment"};
// What may be done: "Processamento concluído".
constexpr std::array<std::string_view, 3> kProcesses{"processamento", "analise", "processing"};
// After these a word means its opposite: "Não realizado". Not of other words: "Não conciliado".
constexpr std::array<std::string_view, 3> kNot{"nao", "not", "sem"};

template <std::size_t Count>
bool begins_with_any(std::string_view words, const std::array<std::string_view, Count>& begins) {
  return std::any_of(begins.begin(), begins.end(),
                     [words](std::string_view begin) { return words.starts_with(begin); });
}
template <std::size_t Count>
bool is_one_of(std::string_view word, const std::array<std::string_view, Count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

MoneyState money_state_of(std::string_view text) {
  constexpr std::size_t kCodeSizeMax = 2;  // of a federal state, or of a code
  constexpr std::size_t kBytesMax = 80;
  if (says_nothing(text) || trimmed(text).size() <= kCodeSizeMax) return MoneyState::kUnsaid;
  if (text.size() > kBytesMax) return MoneyState::kUnknown;
  const auto words = words_of(text);
  if (std::any_of(kOnItsWay.begin(), kOnItsWay.end(),
                  [&words](std::string_view word) { return has_words(words, word); }))
    return MoneyState::kUnknown;
  bool is_not = false;
  for (auto rest = std::string_view(words); !rest.empty();) {
    const auto word = rest.substr(0, rest.find(' '));
    if (is_one_of(word, kNot)) {
      is_not = true;
    } else if (!is_one_of(word, kBeside) || word.size() == rest.size()) {
      const bool is_moved = begins_with_any(rest, kMoved);
      if (is_not) return is_moved ? MoneyState::kNotMoved : MoneyState::kUnknown;
      if (begins_with_any(rest, kReturned)) return MoneyState::kReturned;
      const auto behind = rest.substr(std::min(word.size() + 1, rest.size()));
      if (is_one_of(word, kProcesses) && begins_with_any(behind, kMoved)) return MoneyState::kMoved;
      if (begins_with_any(rest, kNotMoved)) return MoneyState::kNotMoved;
      return is_moved ? MoneyState::kMoved : MoneyState::kUnknown;
    }
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return MoneyState::kUnknown;
}

void DoubtfulLines::add(std::size_t line) {
  constexpr std::size_t kNamedMax = 20;
  if (lines_.size() < kNamedMax) lines_.push_back(line);
  ++count_;
}

std::string DoubtfulLines::more() const {
  if (count_ < 2) return {};
  return count_ == 2 ? ", as is 1 more line" : ", as are " + std::to_string(count_ - 1) + " more lines";
}

std::string DoubtfulLines::others() const {
  if (count_ < 2) return {};
  std::string text = count_ == 2 ? ", as is line " : ", as are lines ";
  for (std::size_t i = 1; i < lines_.size(); ++i) text += (i > 1 ? ", " : "") + std::to_string(lines_[i]);
  return count_ == lines_.size() ? text : text + " and " + std::to_string(count_ - lines_.size()) + " more";
}

}  // namespace pixledger::stores
