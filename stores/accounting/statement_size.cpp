#include "stores/accounting/statement_size.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text/ascii.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

namespace pixledger::stores {
namespace {

using SizeWords = std::vector<std::string_view>;

constexpr std::size_t kLineBytesMax = 200;  // a longer one is no label
constexpr std::size_t kSizeWordsMax = 10;

const SizeWords kCountWords{"quantidade", "qtd", "qtde", "numero"};
const SizeWords kSumWords{"total", "totais", "subtotal", "soma"};
const SizeWords kShowWords{"exibindo", "mostrando", "showing"};
// Things that are only counted, and things that may also have a sum.
const SizeWords kThings{"registros", "lancamentos",   "transacoes", "itens",
                        "linhas",    "movimentacoes", "records",    "transactions"};
const SizeWords kPaidThings{"pagamentos", "recebimentos", "pix", "creditos", "entradas", "payments"};
// Words that may accompany those.
const SizeWords kFiller{"de",          "do",          "dos",      "das",      "no",    "of",
                        "encontrados", "encontradas", "listados", "listadas", "found", "exportados",
                        "recebidos",   "recebidas",   "periodo",  "extrato",  "geral", "arquivo"};

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

enum class Label { kNone, kCount, kEither };

// "Total de registros" and "Quantidade de pagamentos" are of a count.
Label label_of(std::string_view words, bool& is_clear) {
  const auto parts = split(words);
  if (parts.empty() || parts.size() > kSizeWordsMax) return Label::kNone;
  const bool counts = is_any_of(parts[0], kCountWords), sums = is_any_of(parts[0], kSumWords);
  if (!counts && !sums) return Label::kNone;
  bool has_things = false, has_paid_things = false;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    has_things = has_things || is_any_of(*part, kThings);
    has_paid_things = has_paid_things || is_any_of(*part, kPaidThings);
    if (!is_any_of(*part, kThings) && !is_any_of(*part, kPaidThings) && !is_any_of(*part, kFiller))
      return Label::kNone;
  }
  is_clear = has_things || (counts && has_paid_things);
  if (is_clear || counts) return Label::kCount;
  return Label::kEither;
}

// "Exibindo 1 a 20 de 37 registros", "37 registros encontrados"
std::optional<std::int64_t> shown_count_of(std::string_view words) {
  const auto parts = split(words);
  if (parts.size() > kSizeWordsMax) return std::nullopt;
  const auto is_thing = [&](std::size_t i) { return i < parts.size() && is_any_of(parts[i], kThings); };
  if (!parts.empty() && is_any_of(parts[0], kShowWords)) {
    for (std::size_t i = 1; i + 1 < parts.size(); ++i)
      if ((parts[i] == "de" || parts[i] == "of") && count_in(parts[i + 1])) return count_in(parts[i + 1]);
    return std::nullopt;
  }
  const bool has_filler_alone =
      is_thing(1) && std::all_of(parts.begin() + 2, parts.end(),
                                 [](std::string_view part) { return is_any_of(part, kFiller); });
  return has_filler_alone ? count_in(parts[0]) : std::nullopt;
}

bool has_decimals(std::string_view amount) {
  constexpr std::size_t kDecimalsSize = 3;  // with the point
  const auto digits = amount.find_last_of("0123456789"), point = amount.find_last_of(".,");
  return point != std::string_view::npos && digits == point + kDecimalsSize - 1;
}

}  // namespace

bool is_sum_label(const std::string& words) {
  bool is_clear = false;
  const auto label = label_of(words, is_clear);
  return label == Label::kEither || (label == Label::kCount && is_any_of(split(words)[0], kSumWords));
}

bool is_clear_sum_label(const std::string& words) {
  return words == "total" || words == "totais" || words == "total geral";
}

StatedSize stated_size_of(const std::vector<std::string>& cells) {
  std::vector<std::string_view> texts;
  for (const auto& cell : cells) {
    if (trimmed(cell).empty()) continue;
    texts.push_back(trimmed(cell));
    if (texts.size() > 2 || texts.back().size() > kLineBytesMax) return {};
  }
  if (texts.empty()) return {};
  auto label = texts[0], value = texts.back();
  bool is_apart = texts.size() == 2;
  if (!is_apart) {
    if (const auto count = shown_count_of(words_of(label))) return {.count = count};
    const auto end = label.find_last_of(':');
    is_apart = end != std::string_view::npos;
    if (!is_apart) return {};
    value = trimmed(label.substr(end + 1));
    label = label.substr(0, end);
  }
  bool is_clear = false;
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

}  // namespace pixledger::stores
