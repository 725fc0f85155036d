#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"

namespace pixledger::domain {

enum class DocumentKind { kCpf, kCnpj };

// "CPF" or "CNPJ".
std::string_view to_string(DocumentKind kind);

// The tax number of a person (CPF, 11 digits) or a company (CNPJ). A CNPJ has 14 digits or, since July 2026,
// twelve of [0-9A-Z] and two digits (Instrução Normativa RFB 2.229/2024). Check digits are not verified.
// Personal data: never in messages, logs or stream names.
class Document {
 public:
  static constexpr std::string_view kRule =
      "must be digits only, without punctuation: 11 of a CPF or 14 of a CNPJ, whose first 12 may also be "
      "capital letters";

  static std::optional<Document> parse(std::string_view text);

  const std::string& text() const { return text_; }
  DocumentKind kind() const;

  friend auto operator<=>(const Document&, const Document&) = default;

 private:
  explicit Document(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The error for a document that fails has_valid_check_digits.
inline constexpr std::string_view kCheckDigitsRule =
    "must be a valid CPF or CNPJ: its check digits do not match";

// Whether the last two digits match Receita Federal's modulo 11 rule. A repeated digit (111.111.111-11) is
// never valid, although the arithmetic holds.
bool has_valid_check_digits(const Document& document);

// The check digit that follows the first 12 or 13 characters of a CNPJ. A character's value is its ASCII code
// less 48, also in the alphanumeric CNPJ of July 2026 (Instrução Normativa RFB 2.229/2024).
char cnpj_check_digit(std::string_view first_characters);

// A document typed or pasted into a search field: normalized with bare_code(), without a leading word CPF or
// CNPJ.
struct TypedDocument {
  static constexpr std::string_view kRule = "must be a CPF or CNPJ, with or without punctuation";

  static std::optional<TypedDocument> parse(std::string_view text);

  Document document;
};

}  // namespace pixledger::domain
