#include "projections/accounting/statement_entry.h"

#include <algorithm>
#include <utility>

#include "domain/aggregates/project.h"
#include "projections/accounting/statement_text.h"

namespace pixledger::projections {
namespace {

template <std::size_t Count>
bool has_any(std::string_view words, const std::array<std::string_view, Count>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [words](std::string_view word) { return has_words(words, word); });
}

constexpr std::array<std::string_view, 10> kNoEntries{"saldo",   "s a l d o", "total", "subtotal", "tarifa",
                                                      "tarifas", "taxa",      "iof",   "balance",  "fee"};
constexpr std::array<std::string_view, 20> kOtherKinds{
    "ted",         "doc",   "tef",    "boleto",     "resgate", "aplicacao", "rendimento",
    "rendimentos", "juros", "cheque", "deposito",   "cartao",  "salario",   "anuidade",
    "mensalidade", "cesta", "resumo", "quantidade", "saque",   "emprestimo"};
constexpr std::array<std::string_view, 9> kReturns{
    "devolucao", "devolucoes", "devolvido", "devolvida", "devol", "dev", "estorno", "refund", "reversal"};

bool says_pix(std::string_view words) { return has_words(words, "pix"); }

}  // namespace

void refuse_line(std::size_t line, const std::string& problem, std::string_view text) {
  throw StatementRefused("the statement's line " + std::to_string(line) + ": " + problem + ": " +
                         shown(text));
}

bool is_beside_payments(std::string_view words) {
  return has_any(words, kNoEntries) || (!says_pix(words) && has_any(words, kOtherKinds));
}

void StatementEntries::add(const StatementEntry& entry) {
  if (entry.cents > domain::kAmountCentsMax || entry.cents < -domain::kAmountCentsMax)
    refuse_line(entry.line, "the amount is above what a payment can have", entry.text);
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
    if (!entry.return_id.empty() || has_any(entry.words, kReturns)) return ignore();
    if (is_beside_payments(entry.words)) return ignore();
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
                              .names_pix = has_name || says_pix(entry.words) || !entry.describes,
                              .has_time = entry.time.has_time});
}

void StatementEntries::add_debit(const StatementEntry& entry) {
  statement_.has_returns = Statement::Returns::kOfDays;
  const bool says_return =
      !entry.return_id.empty() || (has_any(entry.words, kReturns) && !has_any(entry.words, kNoEntries));
  if (!says_return && !entry.end_to_end_id && (!says_pix(entry.words) || has_any(entry.words, kNoEntries)))
    return ignore();
  statement_.returns.push_back({.line = entry.line,
                                .of_payment = entry.end_to_end_id,
                                .id = {},
                                .return_id = entry.return_id,
                                .amount = domain::Cents(-entry.cents),
                                .at = entry.time.moment,
                                .names_return = says_return});
}

bool StatementEntries::come_to(std::int64_t cents) {
  const auto fits = [cents](const Sums& sums) {
    return cents == sums.payments || cents == sums.credits || cents == sums.credits + sums.debits ||
           cents == sums.debits || cents == -sums.debits;
  };
  const bool found = std::any_of(sums_.begin(), sums_.end(), fits);
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

}  // namespace pixledger::projections
