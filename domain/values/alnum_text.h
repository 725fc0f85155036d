#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"

namespace pixledger::domain {

// A name that other people's systems give to something: letters and digits alone, whose case matters. Tags
// keep the kinds apart; no tag has a definition.
template <std::size_t Min, std::size_t Max, class Tag>
class AlnumText {
 public:
  static std::optional<AlnumText> parse(std::string_view text) {
    if (text.size() < Min || text.size() > Max || !std::all_of(text.begin(), text.end(), is_ascii_alnum))
      return std::nullopt;
    return AlnumText(std::string(text));
  }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const AlnumText&, const AlnumText&) = default;

 private:
  explicit AlnumText(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// A refund at the bank: the id of its devolução (API Pix 2.9.0, `DevolucaoId`). Ours are `r` and a minted id.
using RefundId = AlnumText<1, 35, struct RefundTag>;
// The name that the instant payments system gives to money that goes back (API Pix 2.9.0, `RtrId`).
using ReturnId = AlnumText<32, 32, struct ReturnTag>;

}  // namespace pixledger::domain
