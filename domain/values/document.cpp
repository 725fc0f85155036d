#include "domain/values/document.h"

#include <algorithm>
#include <cstddef>

#include "base/text/ascii.h"

namespace pixledger::domain {
namespace {

constexpr std::size_t kCpfSize = 11;
constexpr std::size_t kCnpjSize = 14;
constexpr std::size_t kCnpjCheckDigits = 2;

bool is_cnpj(std::string_view text) {
  if (text.size() != kCnpjSize) return false;
  const std::string_view beginning = text.substr(0, kCnpjSize - kCnpjCheckDigits);
  const auto belongs = [](char c) { return is_ascii_digit(c) || is_ascii_upper(c); };
  return std::all_of(beginning.begin(), beginning.end(), belongs) &&
         all_ascii_digits(text.substr(beginning.size()));
}

char check_digit_of_sum(int sum) {
  const int remainder = sum % 11;
  return static_cast<char>('0' + (remainder < 2 ? 0 : 11 - remainder));
}

// Weights fall from the left and end in 2.
char cpf_check_digit(std::string_view first_digits) {
  int weight = static_cast<int>(first_digits.size()) + 1;
  int sum = 0;
  for (const char c : first_digits) sum += (c - '0') * weight--;
  return check_digit_of_sum(sum);
}

}  // namespace

std::string_view to_string(DocumentKind kind) { return kind == DocumentKind::kCpf ? "CPF" : "CNPJ"; }

std::optional<Document> Document::parse(std::string_view text) {
  const bool is_cpf = text.size() == kCpfSize && all_ascii_digits(text);
  if (!is_cpf && !is_cnpj(text)) return std::nullopt;
  return Document(std::string(text));
}

DocumentKind Document::kind() const {
  return text_.size() == kCpfSize ? DocumentKind::kCpf : DocumentKind::kCnpj;
}

bool has_valid_check_digits(const Document& document) {
  const std::string_view text = document.text();
  if (text.find_first_not_of(text[0]) == std::string_view::npos) return false;
  const std::size_t size = text.size();
  const auto check_digit = document.kind() == DocumentKind::kCpf ? cpf_check_digit : cnpj_check_digit;
  return text[size - 2] == check_digit(text.substr(0, size - 2)) &&
         text[size - 1] == check_digit(text.substr(0, size - 1));
}

// Weights run from the right: 2 to 9, then 2 again.
char cnpj_check_digit(std::string_view first_characters) {
  int weight = 2;
  int sum = 0;
  for (auto c = first_characters.rbegin(); c != first_characters.rend(); ++c) {
    sum += (*c - '0') * weight;
    weight = weight == 9 ? 2 : weight + 1;
  }
  return check_digit_of_sum(sum);
}

std::optional<TypedDocument> TypedDocument::parse(std::string_view text) {
  const auto bare = bare_code(text);
  if (!bare) return std::nullopt;
  auto document = Document::parse(*bare);
  const auto is_valid = document && has_valid_check_digits(*document);
  for (const auto kind : {DocumentKind::kCpf, DocumentKind::kCnpj}) {
    const auto word = to_string(kind);
    if (!bare->starts_with(word)) continue;
    auto behind = Document::parse(std::string_view(*bare).substr(word.size()));
    // A company's number may itself begin with CPF; then its check digits match.
    if (behind && behind->kind() == kind && (!is_valid || has_valid_check_digits(*behind)))
      return TypedDocument{*std::move(behind)};
  }
  return document ? std::optional(TypedDocument{*std::move(document)}) : std::nullopt;
}

}  // namespace pixledger::domain
