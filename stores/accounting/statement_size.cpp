#include "stores/accounting/statement_size.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/text/ascii.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {
namespace {

using SizeWords = std::vector<std::string_view>;

constexpr std::size_t kLineBytesMax = 200;  // a longer one is no label
constexpr std::size_t kSizeWordsMax = 16;

const SizeWords kCountWords{"quantidade", "qtd", "qtde"};
const SizeWords kNumberWords{"numero", "n", "no", "nro", "nr", "num"};  // "Nº"; may begin an account's number
const SizeWords kSumWords{"total", "totais", "subtotal", "soma"};
const SizeWords kShowWords{"exibindo", "mostrando", "listando", "showing"};
const SizeWords kFoundWords{"foram",      "foi",         "encontrados", "encontradas", "encontrado",
                            "encontrada", "localizados", "localizadas", "found",       "listados",
                            "listadas",   "exibidos",    "exibidas",    "exportados",  "exportadas"};
// Things that are only counted, and things that may also have a sum.
const SizeWords kThings{"registros",    "lancamentos",   "transacoes", "itens",       "linhas",
                        "resultados",   "movimentacoes", "operacoes",  "ocorrencias", "records",
                        "transactions", "entries",       "results",    "rows"};
const SizeWords kSingleThings{"registro",  "lancamento",   "transacao", "item",      "linha",
                              "resultado", "movimentacao", "operacao",  "ocorrencia"};
const SizeWords kPaidThings{"pagamentos", "recebimentos", "pix", "creditos", "entradas", "payments"};
// Words that may accompany those.
const SizeWords kFiller{"de",    "do",        "da",        "dos",     "das",      "no",       "na",
                        "nesta", "neste",     "of",        "busca",   "consulta", "pesquisa", "filtro",
                        "geral", "recebidos", "recebidas", "periodo", "extrato",  "arquivo"};
const SizeWords kRangeWords{"a", "ate", "e", "to", "ao"};
const SizeWords kPageWords{"pagina", "pag", "pg", "page", "folha"};

bool is_any_of(std::string_view word, const SizeWords& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

SizeWords split(std::string_view words) {
  SizeWords parts;
  while (!words.empty() && parts.size() <= kSizeWordsMax) {
    const auto end = std::min(words.find(' '), words.size());
    parts.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return parts;
}

// "1234" and "1.234"
std::optional<std::int64_t> count_in(std::string_view text) {
  constexpr std::size_t kDigitsMax = 9;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_group = text[i] == '.' && i > 0 && (text.size() - i) % 4 == 0;
    if (!is_group && !is_ascii_digit(text[i])) return std::nullopt;
    if (!is_group) digits += text[i];
  }
  if (digits.empty() || digits.size() > kDigitsMax) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool is_filler(std::string_view word) { return is_any_of(word, kFiller) || is_any_of(word, kFoundWords); }

// Removes dates and the points within numbers: "1.234 de 01/03/2026 a 31/03/2026" becomes "1234 de a".
std::string without_dates(std::string_view text) {
  constexpr std::size_t kSeparatorsOfDate = 2;
  std::string plain;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    const auto part = text.substr(0, end);
    const auto separators = static_cast<std::size_t>(
        std::count_if(part.begin(), part.end(), [](char c) { return c == '/' || c == '-'; }));
    const bool is_date = separators == kSeparatorsOfDate && is_ascii_digit(part.front());
    const auto count = is_date ? std::nullopt : count_in(part);
    if (!is_date) plain += count ? std::to_string(*count) : std::string(part);
    plain += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return plain;
}

struct PageAt {
  std::size_t begin, end;  // of its words
  StatedPage page;
};
std::optional<PageAt> find_page(const SizeWords& parts) {
  for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
    if (!is_any_of(parts[i], kPageWords)) continue;
    const bool has_of = parts[i + 2] == "de" || parts[i + 2] == "of";
    const auto last = i + (has_of ? 3 : 2);
    const auto number = count_in(parts[i + 1]);
    const auto pages = last < parts.size() ? count_in(parts[last]) : std::nullopt;
    // "Pag 01/03/2026" is a day, and "Folha 03/2026" a month.
    const bool is_day = last + 1 < parts.size() && !has_of && count_in(parts[last + 1]);
    constexpr std::int64_t kMonths = 12, kYearMin = 2000, kYearMax = 2100;
    const bool is_month =
        !has_of && number && *number <= kMonths && pages && *pages >= kYearMin && *pages < kYearMax;
    if (number && pages && !is_day && !is_month && *number >= 1 && *number <= *pages)
      return PageAt{i, last + 1, {*number, *pages}};
  }
  return std::nullopt;
}

enum class Label { kNone, kCount, kEither };

// "Total de registros", "Quantidade de pagamentos" and "Registros encontrados" are of a count.
Label label_of(std::string_view words, bool& is_clear) {
  const auto parts = split(words);
  if (parts.empty() || parts.size() > kSizeWordsMax) return Label::kNone;
  const bool numbers = is_any_of(parts[0], kNumberWords),
             counts = numbers || is_any_of(parts[0], kCountWords);
  const bool sums = is_any_of(parts[0], kSumWords), names_thing = is_any_of(parts[0], kThings);
  const bool finds = parts[0] == "resultado" || is_any_of(parts[0], kFoundWords);
  if (!counts && !sums && !names_thing && !finds) return Label::kNone;
  bool has_things = names_thing, has_paid_things = false;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const bool is_thing = is_any_of(*part, kThings), is_paid = is_any_of(*part, kPaidThings);
    has_things = has_things || is_thing;
    has_paid_things = has_paid_things || is_paid;
    if (!is_thing && !is_paid && !is_filler(*part) && !(counts && is_any_of(*part, kSumWords)))
      return Label::kNone;
  }
  const bool is_of_things = has_things || (counts && has_paid_things);
  if ((numbers || finds) && !is_of_things) return Label::kNone;
  is_clear = is_of_things && (counts || sums);
  if (is_of_things || counts) return Label::kCount;
  return Label::kEither;
}

// "Exibindo 1 a 20 de 37 registros", "37 registros encontrados", "Total: 7 lançamentos": a text that states a
// number beside what it counts. Of a part and the whole the whole counts.
std::optional<std::int64_t> count_in_text(std::string_view text, bool& is_clear) {
  const auto words = words_of(without_dates(text));
  auto parts = split(words);
  if (const auto page = find_page(parts))
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(page->begin),
                parts.begin() + static_cast<std::ptrdiff_t>(page->end));
  if (parts.empty() || parts.size() > kSizeWordsMax) return std::nullopt;
  std::vector<std::int64_t> numbers;
  bool has_shown = false, has_found = false, has_thing = false, is_of_thing = false, is_of_paid = false;
  bool is_bare = true;
  bool is_whole = false;  // the last number follows "of"
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto word = parts[i];
    if (const auto number = count_in(word)) {
      numbers.push_back(*number);
      const auto next = i + 1 < parts.size() ? parts[i + 1] : std::string_view();
      is_of_thing = is_any_of(next, kThings) || (*number <= 1 && is_any_of(next, kSingleThings));
      is_of_paid = is_any_of(next, kPaidThings);
      is_whole = i > 0 && (parts[i - 1] == "de" || parts[i - 1] == "of");
      continue;
    }
    const bool shows = is_any_of(word, kShowWords), finds = is_any_of(word, kFoundWords);
    const bool is_thing =
        is_any_of(word, kThings) || is_any_of(word, kSingleThings) || is_any_of(word, kPaidThings);
    if (!shows && !is_thing && !is_filler(word) && !is_any_of(word, kRangeWords) &&
        !is_any_of(word, kSumWords) && !is_any_of(word, kCountWords))
      return std::nullopt;
    has_thing = has_thing || is_thing;
    has_shown = has_shown || shows;
    has_found = has_found || finds;
    is_bare = is_bare && (is_any_of(word, kRangeWords) || word == "de" || word == "of");
  }
  is_clear = is_any_of(parts[0], kSumWords) || is_any_of(parts[0], kCountWords);
  if (numbers.size() == 1)
    return is_of_thing || (is_of_paid && (has_shown || has_found)) ? std::optional(numbers[0]) : std::nullopt;
  const bool is_range = std::is_sorted(numbers.begin(), numbers.end()) && is_whole && numbers.size() <= 3;
  const bool is_said = has_shown || has_thing || (is_bare && numbers.size() == 3);
  return numbers.size() > 1 && is_range && is_said ? std::optional(numbers.back()) : std::nullopt;
}

bool has_decimals(std::string_view amount) {
  constexpr std::size_t kDecimalsSize = 3;  // with the point
  const auto digits = amount.find_last_of("0123456789"), point = amount.find_last_of(".,");
  return point != std::string_view::npos && digits == point + kDecimalsSize - 1;
}

// `cells`: of the whole line, which must state nothing else than a size and a page.
StatedSize stated_size_of(const std::vector<std::string>& cells) {
  std::vector<std::string_view> texts;
  for (const auto& cell : cells) {
    if (trimmed(cell).empty()) continue;
    texts.push_back(trimmed(cell));
    if (texts.size() > 2 || texts.back().size() > kLineBytesMax) return {};
  }
  if (texts.empty()) return {};
  auto label = texts[0], value = texts.back();
  const bool is_apart = texts.size() == 2;
  bool is_clear = false;
  if (auto count = count_in_text(std::string(label) + " " + std::string(is_apart ? value : ""), is_clear))
    return {.count = count, .is_clear = is_clear};
  if (is_apart)
    if (auto count = count_in_text(label, is_clear)) return {.count = count, .is_clear = is_clear};
  if (!is_apart) {
    const auto end = label.find_last_of(':');
    if (end == std::string_view::npos) return {};
    value = trimmed(label.substr(end + 1));
    label = label.substr(0, end);
  }
  const auto is_of = label_of(words_of(label), is_clear);
  if (is_of == Label::kNone) return {};
  StatedSize size{.is_clear = is_clear};
  if (const auto count = count_in(value)) {
    size.count = count;
    if (is_of == Label::kEither) size.cents = *count * 100;
    return size;
  }
  const auto amount = parse_amount(value);
  const auto* cents = std::get_if<std::int64_t>(&amount);
  if (!cents || !has_decimals(value) || !is_any_of(split(words_of(label))[0], kSumWords)) return {};
  return {.cents = *cents};
}

bool says_sum(std::string_view words) {
  return std::any_of(kSumWords.begin(), kSumWords.end(),
                     [words](std::string_view word) { return has_words(words, word); });
}

// Of all entries.
bool is_clear_sum_label(std::string_view words) {
  return words == "total" || words == "totais" || words == "total geral";
}

std::optional<std::int64_t> amount_with_decimals(std::string_view text) {
  const auto amount = parse_amount(text);
  const auto* cents = std::get_if<std::int64_t>(&amount);
  return cents && has_decimals(text) ? std::optional(*cents) : std::nullopt;
}

// "Valor total: R$ 59,90", "Total do dia 59,90"
std::optional<std::int64_t> amount_behind(std::string_view text) {
  for (const std::string_view mark : {":", "R$", " "}) {
    const auto at = text.rfind(mark);
    if (at == std::string_view::npos) continue;
    if (const auto cents = amount_with_decimals(trimmed(text.substr(at + mark.size())))) return cents;
  }
  return std::nullopt;
}

// Reads the values of a line's cells one after the other; each is of the last text before it.
class LineSizes {
 public:
  LineSizes(const std::vector<std::string>& cells, const StatementHeading& heading)
      : cells_(cells), heading_(heading) {
    for (const auto& cell : cells) {
      says_sum_ = says_sum_ || says_sum(words_of(cell));
      if (!trimmed(cell).empty()) ++filled_;
    }
  }

  StatedSizes read() {
    auto whole = stated_size_of(cells_);
    for (std::size_t i = 0; i < cells_.size(); ++i) read_cell(i, trimmed(cells_[i]));
    const bool is_pair = credits_ && debits_;
    const bool is_clear = texts_ == 1 && is_clear_sum_label(label_) && (is_pair || values_ == 1);
    if (whole.count) {
      whole.is_clear = whole.is_clear || is_clear;
      sizes_.sizes = {whole};
    }
    if (is_pair)
      add({.cents = std::abs(*credits_), .debits = std::abs(*debits_)});
    else if (credits_ || debits_)
      add({.cents = credits_ ? credits_ : debits_});
    if (!whole.count && sizes_.sizes.size() == 1)
      sizes_.sizes[0].is_clear = is_clear || sizes_.sizes[0].is_clear;
    return std::move(sizes_);
  }

 private:
  void read_cell(std::size_t column, std::string_view text) {
    const auto name = column < heading_.names.size() ? words_of(heading_.names[column]) : std::string();
    if (text.empty() || text.size() > kLineBytesMax || says_balance(name) || says_nothing(text)) return;
    if (const auto cents = amount_in(column, text)) {
      ++values_;
      if (says_balance(label_)) return;
      if (column == heading_.credit)
        credits_ = cents;
      else if (column == heading_.debit)
        debits_ = cents;
      else
        add({.cents = cents});
    } else if (count_in(text)) {
      ++values_;
      const auto size = stated_size_of({label_text_, std::string(text)});
      // One or two texts are read as a whole.
      if (size.count && filled_ > 2) sizes_.sizes.push_back(size);
    } else {
      ++texts_;
      label_ = words_of(text);
      label_text_ = std::string(text);
      const auto behind = says_sum_ && !says_balance(label_) ? amount_behind(text) : std::nullopt;
      if (behind) add({.cents = behind});
    }
  }

  // In a sum's own column an amount needs no decimals.
  std::optional<std::int64_t> amount_in(std::size_t column, std::string_view text) const {
    if (column == heading_.cents) return count_in(text);
    const bool is_of_column =
        column == heading_.amount || column == heading_.credit || column == heading_.debit;
    if (!is_of_column || !says_sum_ || stated_size_of(cells_).count) return amount_with_decimals(text);
    const auto amount = parse_amount(text);
    const auto* cents = std::get_if<std::int64_t>(&amount);
    return cents ? std::optional(*cents) : std::nullopt;
  }

  void add(const StatedSize& size) {
    if (says_sum_)
      sizes_.sizes.push_back(size);
    else if (*size.cents != 0)
      sizes_.amounts.push_back(*size.cents);
    if (!says_sum_ && size.debits.value_or(0) != 0) sizes_.amounts.push_back(*size.debits);
  }

  const std::vector<std::string>& cells_;
  const StatementHeading& heading_;
  bool says_sum_ = false;
  StatedSizes sizes_;
  std::optional<std::int64_t> credits_, debits_;
  std::string label_, label_text_;
  std::size_t filled_ = 0, texts_ = 0, values_ = 0;
};

}  // namespace

StatedSizes stated_sizes_of(const std::vector<std::string>& cells, const StatementHeading& heading) {
  return LineSizes(cells, heading).read();
}

bool says_balance(std::string_view words) {
  // Another one causes a warning.
  constexpr std::array<std::string_view, 9> kBalances{
      "saldo", "saldos", "s a l d o", "balance", "limite", "capital", "disponivel", "futuros", "rendimentos"};
  return std::any_of(kBalances.begin(), kBalances.end(),
                     [words](std::string_view word) { return has_words(words, word); });
}

bool says_continued(std::string_view words) {
  return words.starts_with("continua ") || words == "continua" || has_words(words, "proxima pagina") ||
         has_words(words, "pagina seguinte");
}

std::optional<StatedPage> stated_page_of(std::string_view words) {
  if (std::none_of(kPageWords.begin(), kPageWords.end(),
                   [words](std::string_view word) { return has_words(words, word); }))
    return std::nullopt;
  SizeWords parts;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    parts.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  const auto page = find_page(parts);
  return page ? std::optional(page->page) : std::nullopt;
}

}  // namespace pixledger::stores
