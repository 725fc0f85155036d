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

// Whether the text matches the API's pattern for ids, `^[cC][^\s-]{8,}$`, has at most 64 bytes and no control
// characters. Only ASCII white space counts.
bool is_cuid(std::string_view text);

// The id of one kind of object. Tags separate the kinds and have no definition. Foreign ids that match the
// pattern are accepted too; our own come from mint().
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
using UserId = Cuid<struct UserTag>;  // a person who signs in; no event holds personal data of users
using SignInId = Cuid<struct SignInTag>;

// The range of the counter inside an id: 36^4.
inline constexpr std::uint32_t kIdCounterValues = 36U * 36U * 36U * 36U;

// Characters of a minted id.
inline constexpr std::size_t kMintedIdSize = 25;

// The input for a batch of ids. Deterministic: the same input gives the same ids.
struct IdMint {
  Timestamp now;                        // The log's clamped time, before May 2059 (36^8 milliseconds).
  std::uint32_t counter;                // Any value; taken modulo kIdCounterValues.
  std::array<char, 4> log_fingerprint;  // Identifies the log; characters of [0-9a-z].
  std::uint64_t random;                 // Fresh for each batch.
};

// The k-th id of the batch: `c`, 8 base36 digits of the time, 4 of counter + k, the fingerprint, and 8
// derived from the random number and k.
//
// Ids sort bytewise in minting order unless the counter wraps within one millisecond. A caller that restarts
// the counter at 0 each millisecond avoids that. Ids are guessable by design: they are neither secrets nor
// permissions.
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
