#pragma once

#include <array>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/values/timestamp.h"

namespace pixledger::domain {

// The API's pattern for ids, `^[cC][^\s-]{8,}$`, with at most 64 characters and no control characters.
// Characters are bytes here, and only ASCII has white space.
bool is_cuid(std::string_view text);

// The id of one kind of thing. Tags keep the kinds apart; no tag has a definition.
// Accepts foreign ids of the pattern too; our own come from mint().
template <class Tag>
class Cuid {
 public:
  static constexpr std::string_view kRule =
      "must be an id: c, then 8 to 63 characters without spaces or hyphens";

  static std::optional<Cuid> parse(std::string_view text) {
    if (!is_cuid(text)) return std::nullopt;
    return Cuid(std::string(text));
  }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const Cuid&, const Cuid&) = default;

 private:
  explicit Cuid(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

using ProjectId = Cuid<struct ProjectTag>;
using ConnectionId = Cuid<struct ConnectionTag>;
using ChargeId = Cuid<struct ChargeTag>;
using CustomerId = Cuid<struct CustomerTag>;
using ChannelId = Cuid<struct ChannelTag>;
using BlocklistEntryId = Cuid<struct BlocklistEntryTag>;
using DeliveryId = Cuid<struct DeliveryTag>;  // a webhook to one channel
using CheckoutSessionId = Cuid<struct CheckoutSessionTag>;
using UserId = Cuid<struct UserTag>;  // a person who signs in; who it is stands in no event
using SignInId = Cuid<struct SignInTag>;

// How many values the counter inside an id has: 36^4.
inline constexpr std::uint32_t kIdCounterValues = 36U * 36U * 36U * 36U;

// The size of a minted id.
inline constexpr std::size_t kMintedIdSize = 25;

// What a batch of ids is made from. A recipe, not a generator: the same recipe gives the same ids.
struct IdMint {
  Timestamp now;                        // The log's clamped time, before May 2059 (36^8 milliseconds).
  std::uint32_t counter;                // Any value; taken modulo kIdCounterValues.
  std::array<char, 4> log_fingerprint;  // Names the log; characters of [0-9a-z].
  std::uint64_t random;                 // Fresh for each batch.
};

// The k-th id of the batch: `c`, 8 base36 digits of the time, 4 of counter + k, the fingerprint, and 8
// derived from the random number and k.
//
// Ids sort bytewise in the order in which they were minted, as long as the counter does not wrap within one
// millisecond; a keeper of the counter that starts it at 0 for each new millisecond never sees that.
// Ids are guessable by design: not secrets, and never a permission.
std::string mint_text(const IdMint& recipe, unsigned k);

template <class Id>
Id mint(const IdMint& recipe, unsigned k) {
  auto id = Id::parse(mint_text(recipe, k));
  assert(id.has_value());
  return *std::move(id);
}

}  // namespace pixledger::domain

template <class Tag>
struct std::hash<pixledger::domain::Cuid<Tag>> {
  std::size_t operator()(const pixledger::domain::Cuid<Tag>& id) const noexcept {
    return std::hash<std::string>()(id.text());
  }
};
