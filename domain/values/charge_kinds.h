#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text/enum_names.h"

namespace pixledger::domain {

// Which side makes the code of a charge on a bank connection. Stored by number.
enum class CodeKind : std::uint8_t {
  kDynamic = 1,  // the bank, when the charge is created
  kStatic = 2,   // this service, without calling the bank
};
inline constexpr EnumNames<CodeKind::kDynamic, CodeKind::kStatic> kCodeKindNames{"dynamic", "static"};
constexpr std::string_view to_string(CodeKind kind) { return kCodeKindNames.of(kind); }
constexpr std::optional<CodeKind> parse_code_kind(std::string_view text) {
  return kCodeKindNames.parse(text);
}

// The code of a charge whose bank returned none before the deadline. Stored by number.
enum class CodeFallback : std::uint8_t {
  kStatic = 1,  // a static code
  kNone = 2,    // no code: the charge fails
};
inline constexpr EnumNames<CodeFallback::kStatic, CodeFallback::kNone> kCodeFallbackNames{"static", "none"};
constexpr std::string_view to_string(CodeFallback fallback) { return kCodeFallbackNames.of(fallback); }
constexpr std::optional<CodeFallback> parse_code_fallback(std::string_view text) {
  return kCodeFallbackNames.parse(text);
}

// Why a payment that arrived was not applied to its charge. Stored by number.
enum class PaymentFlag : std::uint8_t {
  kPaidAfterExpiry = 1,
  kPaidAfterClose = 2,
  kDuplicatePayment = 3,
  kAmountMismatch = 4,
};

}  // namespace pixledger::domain
