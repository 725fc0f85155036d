#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger::domain {

// What a receiver calls a charge towards the instant payments system: 1 to 35 letters and digits. Static
// codes have up to 25 (BR Code, field 62-05), charges that a bank holds ("cob") 26 to 35 (API Pix, TxId).
// Banks take two that differ in case alone for two.
class Txid {
 public:
  static constexpr std::string_view kRule = "must be a txid: 1 to 35 letters or digits";
  static constexpr std::size_t kCobSizeMin = 26;
  static constexpr std::size_t kSizeMax = 35;

  static std::optional<Txid> parse(std::string_view text);

  // Whether a bank's charge can have it.
  bool names_cob() const { return text_.size() >= kCobSizeMin; }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const Txid&, const Txid&) = default;

 private:
  explicit Txid(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace pixledger::domain
