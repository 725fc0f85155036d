#include "stores/accounting/statement_size.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/text/ascii.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {
namespace {

using SizeWords = std::vector<std::string_view>;

// What is counted.
const SizeWords kCountedThings{"registro",     "registros",     "lancamento",  "lancamentos", "transacao",
                               "transacoes",   "pagamento",     "pagamentos",  "item",        "itens",
                               "movimentacao", "movimentacoes", "movimento",   "movimentos",  "resultado",
                               "resultados",   "linha",         "linhas",      "recebimento", "recebimentos",
                               "operacao",     "operacoes",     "ocorrencias", "records",     "rows",
                               "entries",      "transactions",  "payments",    "results"};
const SizeWords kCountWords{"quantidade", "quantidades", "qtd", "qtde", "qtdade", "qt", "qtda"};
const SizeWords kNumberWords{"total", "totais", "numero", "nro", "num", "no", "n"};
const SizeWords kSumWords{"total", "totais", "subtotal", "soma", "somatorio", "somatoria"};
const SizeWords kShowWords{"exibindo", "mostrando", "listando", "visualizando", "showing", "exibidos"};
const SizeWords kPageWords{"pagina", "paginas", "pag", "page", "folha", "fl"};
// Before a number that is none of entries: "últimos 90 lançamentos", "conta 12345".
const SizeWords kOtherNumbers{"ultimos", "ultimas", "proximos", "ate",  "maximo", "conta",
                              "agencia", "ag",      "dia",      "dias", "mes"};
const SizeWords kOtherSums{"saldo",   "saldos",     "limite",      "disponivel", "bloqueado", "futuro",
                           "futuros", "tarifa",     "tarifas",     "taxa",       "taxas",     "iof",
                           "juros",   "rendimento", "rendimentos", "investido",  "aplicado",  "aplicacoes",
                           "cartao",  "fatura",     "boleto",      "boletos",    "ted",       "doc"};

bool is_any_of(std::string_view word, const SizeWords& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

SizeWords split(std::string_view words) {
  SizeWords parts;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (end > 0) parts.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return parts;
}

bool have_any(std::string_view words, const SizeWords& wanted) {
  const auto parts = split(words);
  return std::any_of(parts.begin(), parts.end(),
                     [&wanted](std::string_view part) { return is_any_of(part, wanted); });
}

std::optional<std::int64_t> integer_in(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && all_ascii_digits(digits) ? std::optional(number) : std::nullopt;
}

// "1.234 registros" without the point.
std::string without_thousands(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto behind = line.substr(i + 1, 4);
    const bool is_group = line[i] == '.' && i > 0 && is_ascii_digit(line[i - 1]) && behind.size() >= 3 &&
                          all_ascii_digits(behind.substr(0, 3)) &&
                          (behind.size() == 3 || !is_ascii_digit(behind[3]));
    if (!is_group) plain += line[i];
  }
  return plain;
}

// "Página 1 de 3", "2 de 37 registros", "9 registros".
void find_counted(const SizeWords& words, StatedSize& size) {
  const auto word_at = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view(); };
  const bool shows = std::any_of(words.begin(), words.end(),
                                 [](std::string_view word) { return is_any_of(word, kShowWords); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = integer_in(words[i]);
    if (!number) continue;
    const auto before = i > 0 ? words[i - 1] : std::string_view();
    const bool says_of = word_at(i + 1) == "de" || word_at(i + 1) == "of";
    const auto of = integer_in(word_at(says_of ? i + 2 : i + 1));
    if (is_any_of(before, kPageWords)) {
      if (of) size.page = {*number, *of};
      return;
    }
    if (says_of && of && (shows || is_any_of(word_at(i + 3), kCountedThings))) {
      size.count = of;
      return;
    }
    const bool may_be_year = i > 0 && *number >= 1990 && *number <= 2100;
    const bool is_of_another = may_be_year || integer_in(before) || is_any_of(before, kOtherNumbers);
    const bool is_counted = is_any_of(word_at(i + 1), kCountedThings) ||
                            (word_at(i + 1) == "pix" && word_at(i + 2).starts_with("recebid"));
    if (is_counted && !is_of_another) size.count = number;
  }
}

// "Qtde: 9", "Total de Pix recebidos: 37", "Total: 37": a label and a number.
void find_labelled(std::string_view line, StatedSize& size) {
  line = trimmed(line);
  const auto begin = line.find_last_not_of("0123456789") + 1;
  const auto number = integer_in(line.substr(begin));
  // The end of a time, a date or another number is none.
  const bool is_apart =
      begin > 1 && (line[begin - 1] == ' ' || (line[begin - 1] == ':' && !is_ascii_digit(line[begin - 2])));
  if (!number || !is_apart) return;
  const auto label = words_of(line.substr(0, begin));
  if (say_other_sum(label) || have_any(label, kPageWords)) return;
  const bool is_of_things = have_any(label, kCountedThings) || has_words(label, "pix");
  const bool is_count = have_any(label, kCountWords);
  const bool is_number = have_any(label, kNumberWords);
  if ((is_count || is_number) && is_of_things) size.count = number;
  if (is_count && split(label).size() == 1) size.count = number;
  if (!is_of_things && say_sum(label) && split(label).size() <= 2) {
    size.count = number;
    size.cents = *number * 100;
  }
}

// "Total geral: R$ 9.999,00": a label and one amount with its cents.
void find_sum(std::string_view line, StatedSize& size) {
  constexpr std::size_t kDecimalsSize = 3;  // with the point
  std::optional<std::int64_t> found;
  std::size_t at = 0;
  for (const auto part : split(line)) {
    const auto amount = parse_amount(part);
    const auto* cents = std::get_if<std::int64_t>(&amount);
    const auto point = part.find_last_of(".,");
    const auto digits = part.find_last_of("0123456789");
    if (!cents || point == std::string_view::npos || digits != point + kDecimalsSize - 1) continue;
    if (found) return;
    found = *cents;
    at = static_cast<std::size_t>(part.data() - line.data());
  }
  if (!found) return;
  const auto label = words_of(line.substr(0, at));
  if (say_sum(label) && !say_other_sum(label)) size.cents = found;
}

}  // namespace

bool say_sum(std::string_view words) { return have_any(words, kSumWords); }
bool say_other_sum(std::string_view words) { return have_any(words, kOtherSums); }

StatedSize stated_size_of(std::string_view line) {
  StatedSize size;
  const auto plain = without_thousands(line);
  const auto words = words_of(plain);
  find_counted(split(words), size);
  if (!size.count && !size.page) find_labelled(plain, size);
  if (!size.count && !size.page) find_sum(line, size);
  return size;
}

void RunningBalance::add(std::size_t line, std::int64_t cents, std::optional<std::int64_t> balance) {
  const bool has_step = !steps_.empty() && steps_.back().line != 0;
  if (!balance) {
    pending_cents_ += cents;
    if (has_step) steps_.back().cents_from += cents;
    return;
  }
  if (has_step && steps_.back().balance == *balance) {
    steps_.back().cents_to += cents + pending_cents_;
    steps_.back().cents_from += cents;
  } else {
    steps_.push_back({line, *balance, cents + pending_cents_, cents});
  }
  pending_cents_ = 0;
}

std::optional<std::size_t> RunningBalance::jump() const {
  const auto first_misfit = [this](auto fits) {
    for (std::size_t i = 1; i < steps_.size(); ++i)
      if (steps_[i - 1].line != 0 && steps_[i].line != 0 && !fits(steps_[i - 1], steps_[i]))
        return steps_[i].line;
    return std::size_t{0};
  };
  const auto oldest_first = first_misfit(
      [](const Step& before, const Step& step) { return step.balance == before.balance + step.cents_to; });
  const auto newest_first = first_misfit([](const Step& before, const Step& step) {
    return before.balance == step.balance + before.cents_from;
  });
  if (oldest_first == 0 || newest_first == 0) return std::nullopt;
  return std::max(oldest_first, newest_first);
}

bool RunningBalance::moves() const {
  return std::count_if(steps_.begin(), steps_.end(), [](const Step& step) { return step.line != 0; }) > 1;
}

}  // namespace pixledger::stores
