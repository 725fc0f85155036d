#include "stores/accounting/statement_entry.h"

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "domain/pix/payment_ids.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {
namespace {

template <std::size_t Count>
bool has_any(std::string_view words, const std::array<std::string_view, Count>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [words](std::string_view word) { return has_words(words, word); });
}

constexpr std::array<std::string_view, 9> kNoEntries{"saldo", "s a l d o", "saldos",  "tarifa", "tarifas",
                                                     "taxa",  "iof",       "balance", "fee"};
constexpr std::array<std::string_view, 4> kTotals{"total", "totais", "subtotal", "sub total"};
// What may stand before those.
constexpr std::array<std::string_view, 15> kBefore{"valor",   "cred",     "credito",   "deb",  "debito",
                                                   "estorno", "cobranca", "pagamento", "pgto", "pag",
                                                   "de",      "da",       "do",        "das",  "dos"};
constexpr std::array<std::string_view, 20> kOtherKinds{
    "ted",         "doc",   "tef",    "boleto",     "resgate", "aplicacao", "rendimento",
    "rendimentos", "juros", "cheque", "deposito",   "cartao",  "salario",   "anuidade",
    "mensalidade", "cesta", "resumo", "quantidade", "saque",   "emprestimo"};
constexpr std::array<std::string_view, 7> kReturns{"devolucao", "devolucoes", "devolvido", "devolvida",
                                                   "estorno",   "refund",     "reversal"};
// Of a name they may be a part, too.
constexpr std::array<std::string_view, 2> kReturnsInShort{"dev", "devol"};

bool says_pix(std::string_view words) { return has_words(words, "pix"); }
bool say_pix(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), says_pix);
}

bool begins_with_word(std::string_view words, std::string_view word) {
  return words.starts_with(word) && (words.size() == word.size() || words[word.size()] == ' ');
}

// Without numbers and what else stands before a kind of entry.
std::string_view without_before(std::string_view words) {
  const auto is_before = [](std::string_view word) {
    return all_ascii_digits(word) || std::find(kBefore.begin(), kBefore.end(), word) != kBefore.end();
  };
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    if (!is_before(word)) break;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return words;
}

// Whether one of the texts begins with such a word, before any says that it is about a Pix.
template <std::size_t Count>
bool begin_with_any(const std::vector<std::string>& texts,
                    const std::array<std::string_view, Count>& wanted) {
  for (const auto& text : texts) {
    const auto kind = without_before(text);
    const auto is_it = [&](std::string_view word) {
      return begins_with_word(kind, word) || begins_with_word(text, word);
    };
    if (std::any_of(wanted.begin(), wanted.end(), is_it)) return true;
    if (says_pix(text)) return false;
  }
  return false;
}

bool say_return(const std::vector<std::string>& texts) {
  const auto says_return = [](std::string_view text) {
    const auto in_short = [&](std::string_view word) {
      const auto beside = "pix " + std::string(word);
      return begins_with_word(text, word) || has_words(text, beside);
    };
    return has_any(text, kReturns) || std::any_of(kReturnsInShort.begin(), kReturnsInShort.end(), in_short);
  };
  return std::any_of(texts.begin(), texts.end(), says_return);
}

// Words that have the form of our ids of returns: "r" and a minted id.
std::vector<std::string> return_names_in(std::string_view text) {
  constexpr std::string_view kBegin = "rc";
  constexpr std::size_t kSizeMin = 20;
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_ascii_alnum);
    const auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const bool is_long = word.size() >= kSizeMin && domain::RefundId::parse(word);
    if (is_long && equal_without_case(word.substr(0, kBegin.size()), kBegin)) names.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return names;
}

}  // namespace

void refuse_line(std::size_t line, const std::string& problem, std::string_view text) {
  throw StatementRefused("the statement's line " + std::to_string(line) + ": " + problem, shown(text));
}

bool is_beside_payments(const std::vector<std::string>& texts) {
  if (begin_with_any(texts, kNoEntries)) return true;
  return !say_pix(texts) && std::any_of(texts.begin(), texts.end(),
                                        [](const std::string& text) { return has_any(text, kOtherKinds); });
}

bool may_be_total(const std::vector<std::string>& texts) { return begin_with_any(texts, kTotals); }

void StatementEntries::add(const StatementEntry& entry) {
  if (entry.cents > domain::kAmountCentsMax || entry.cents < -domain::kAmountCentsMax)
    refuse_line(entry.line, "the amount is above what a payment can have", entry.text);
  const bool has_name = entry.end_to_end_id || !entry.return_id.empty() || !entry.txid.empty();
  if (!has_name && may_be_total(entry.texts) && fits_sums(entry.cents)) {
    come_to(entry.cents);
    return ignore();
  }
  for (auto& sums : sums_) {
    ++sums.count;
    (entry.cents < 0 ? sums.debits : sums.credits) += entry.cents;
    if (entry.cents > 0) ++sums.credit_count;
  }
  if (entry.cents == 0) return ignore();
  entry.cents < 0 ? add_debit(entry) : add_credit(entry);
}

void StatementEntries::add_credit(const StatementEntry& entry) {
  const bool has_name = entry.end_to_end_id || !entry.txid.empty();
  if (!has_name) {
    // What we had sent, and came back.
    if (!entry.return_id.empty() || say_return(entry.texts)) return ignore();
    if (is_beside_payments(entry.texts)) return ignore();
  }
  for (auto& sums : sums_) {
    sums.payments += entry.cents;
    ++sums.payment_count;
  }
  statement_.lines.push_back({.line = entry.line,
                              .end_to_end_id = entry.end_to_end_id,
                              .amount = domain::Cents(entry.cents),
                              .paid_at = entry.time.moment,
                              .txid = entry.txid,
                              .names_pix = has_name || say_pix(entry.texts) || !entry.describes,
                              .has_time = entry.time.has_time});
}

void StatementEntries::add_debit(const StatementEntry& entry) {
  statement_.has_returns = Statement::Returns::kOfDays;
  const bool is_no_entry = begin_with_any(entry.texts, kNoEntries);
  const bool says_return = !entry.return_id.empty() || (say_return(entry.texts) && !is_no_entry);
  const bool says_nothing = !says_return && !entry.end_to_end_id && (!say_pix(entry.texts) || is_no_entry);
  auto names = return_names_in(entry.text);
  if (says_nothing && names.empty()) return ignore();
  statement_.returns.push_back({.line = entry.line,
                                .of_payment = entry.end_to_end_id,
                                .id = {},
                                .return_id = entry.return_id,
                                .amount = domain::Cents(-entry.cents),
                                .at = entry.time.moment,
                                .names_return = says_return,
                                .names = std::move(names),
                                .by_names_alone = says_nothing});
}

bool StatementEntries::fits_sums(std::int64_t cents) const {
  return std::any_of(sums_.begin(), sums_.end(), [cents](const Sums& sums) {
    return cents == sums.payments || cents == sums.credits || cents == sums.credits + sums.debits ||
           cents == sums.debits || cents == -sums.debits;
  });
}

bool StatementEntries::come_to(std::int64_t cents) {
  const bool found = fits_sums(cents);
  sums_[1] = {};
  statement_.counts_held = found;
  return found;
}

bool StatementEntries::are_as_many_as(std::int64_t count) {
  const auto& sums = sums_[0];
  const bool found = count == sums.count || count == sums.payment_count || count == sums.credit_count;
  statement_.counts_held = found;
  return found;
}

Statement StatementEntries::finish() {
  auto& lines = statement_.lines;
  const bool has_names = std::any_of(lines.begin(), lines.end(), [](const StatementLine& line) {
    return line.end_to_end_id || !line.txid.empty();
  });
  // A source that names Pix by their ids names all of them.
  if (has_names) {
    const auto ends =
        std::remove_if(lines.begin(), lines.end(), [](const StatementLine& line) { return !line.names_pix; });
    statement_.ignored += static_cast<std::size_t>(lines.end() - ends);
    lines.erase(ends, lines.end());
  }
  return std::move(statement_);
}

}  // namespace pixledger::stores
