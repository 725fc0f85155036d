#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"

namespace pixledger::domain {

// The id that the instant payments system gives to a payment. Case matters.
//
// Any 32 letters and digits are accepted: the API Pix guarantees no more, and received money must be
// recorded, found and settled under any id. has_usual_form() catches typing errors in new ids and in
// free-text searches.
class EndToEndId {
 public:
  static constexpr std::string_view kRule =
      "must be an end-to-end id: 32 letters or digits, such as E18236120202603011200s1a2b3c4d5e";
  static constexpr std::string_view kUsualFormRule =
      "must be an end-to-end id: E, 8 digits or capitals, a date and time as yyyyMMddHHmm, 11 letters or "
      "digits";

  static std::optional<EndToEndId> parse(std::string_view text);

  // `E`, the payer's institution (ISPB, 8 digits or capital letters), an existing minute in UTC
  // (yyyyMMddHHmm), and 11 letters or digits.
  bool has_usual_form() const;

  const std::string& text() const { return text_; }

  friend auto operator<=>(const EndToEndId&, const EndToEndId&) = default;

 private:
  explicit EndToEndId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The id of a simulated payment, with 00000000 as the institution. It has the form of a real id: only the
// charge's environment shows that no money moved. `now` must lie in the years 1970 to 9999.
std::string synthesize_end_to_end_id(Timestamp now, std::uint64_t random);

// The minute in which the payer's bank started the payment, according to its end-to-end id. nullopt unless
// the id has its usual form.
std::optional<Timestamp> minute_of(const EndToEndId& id);

// The receiver's id for a charge in the instant payments system: 1 to 35 letters and digits. Static codes
// have up to 25 (BR Code, field 62-05), charges that a bank holds ("cob") 26 to 35 (API Pix, TxId). Banks
// treat txids that differ only in case as different.
class Txid {
 public:
  static constexpr std::string_view kRule = "must be a txid: 1 to 35 letters or digits";
  static constexpr std::size_t kCobSizeMin = 26;
  static constexpr std::size_t kSizeMax = 35;

  static std::optional<Txid> parse(std::string_view text);

  // Whether it is long enough for a bank's charge ("cob").
  bool names_cob() const { return text_.size() >= kCobSizeMin; }

  const std::string& text() const { return text_; }

  friend auto operator<=>(const Txid&, const Txid&) = default;

 private:
  explicit Txid(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The only place that maps charges to txids and back.

// The txid of a charge that a bank holds: `p` and the charge's id, 26 characters of the 26 to 35 allowed. All
// charge ids are minted here.
Txid cob_txid(const ChargeId& charge);

// The charge that a txid of ours identifies, in a bank's code or a static one. Ignores case.
std::optional<ChargeId> charge_named_by(const Txid& txid);

// Ids pasted into search fields: blanks, dashes and punctuation are ignored.

struct TypedEndToEndId {
  static constexpr std::string_view kRule = EndToEndId::kRule;

  static std::optional<TypedEndToEndId> parse(std::string_view text);

  EndToEndId id;
};
// A charge's id or txid. Ignores case.
struct TypedChargeId {
  static std::optional<TypedChargeId> parse(std::string_view text);

  ChargeId id;
};

// A case-sensitive id of letters and digits that another system assigns. Tags separate the kinds and have no
// definition.
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
// The id that the instant payments system gives to returned money (API Pix 2.9.0, `RtrId`).
using ReturnId = AlnumText<32, 32, struct ReturnTag>;

}  // namespace pixledger::domain
