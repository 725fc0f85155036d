#include "domain/pix/payment_ids.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "base/values/bit_mixer.h"
#include "base/values/civil_date.h"

namespace pixledger::domain {
namespace {

constexpr std::size_t kSize = 32;
constexpr std::size_t kInstitutionSize = 8;
constexpr std::size_t kMinuteSize = 12;
constexpr std::size_t kTailSize = 11;

unsigned number_at(std::string_view digits, std::size_t start, std::size_t size) {
  unsigned number = 0;
  for (const char c : digits.substr(start, size)) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

// Whether the digits (yyyyMMddHHmm) name an existing minute.
bool is_real_minute(std::string_view digits) {
  const CivilDate date{static_cast<int>(number_at(digits, 0, 4)), number_at(digits, 4, 2),
                       number_at(digits, 6, 2)};
  return is_real_date(date) && number_at(digits, 8, 2) < 24 && number_at(digits, 10, 2) < 60;
}

}  // namespace

std::optional<EndToEndId> EndToEndId::parse(std::string_view text) {
  if (text.size() != kSize || !std::all_of(text.begin(), text.end(), is_ascii_alnum)) return std::nullopt;
  return EndToEndId(std::string(text));
}

bool EndToEndId::has_usual_form() const {
  const std::string_view text = text_;
  const auto institution = text.substr(1, kInstitutionSize);
  const auto minute = text.substr(1 + kInstitutionSize, kMinuteSize);
  return text.front() == 'E' && std::none_of(institution.begin(), institution.end(), is_ascii_lower) &&
         all_ascii_digits(minute) && is_real_minute(minute);
}

std::string synthesize_end_to_end_id(Timestamp now, std::uint64_t random) {
  std::array<char, kIso8601Size> moment{};
  write_iso8601(now, moment.data());
  std::string text = "E00000000";
  text.reserve(kSize);
  for (const char c : std::string_view(moment.data(), sizeof "yyyy-MM-ddTHH:mm" - 1)) {
    if (is_ascii_digit(c)) text.push_back(c);
  }
  std::uint64_t bits = splitmix64(random, 0);
  for (std::size_t i = 0; i < kTailSize; ++i) {
    text.push_back("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[bits % 62]);
    bits /= 62;
  }
  return text;
}

namespace {

constexpr std::size_t kMinuteBegin = 9;    // after E and the institution
constexpr std::size_t kMinuteDigits = 12;  // yyyyMMddHHmm

}  // namespace

std::optional<Timestamp> minute_of(const EndToEndId& id) {
  if (!id.has_usual_form()) return std::nullopt;
  const auto digits = std::string_view(id.text()).substr(kMinuteBegin, kMinuteDigits);
  std::string written;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 4 || i == 6) written += '-';
    if (i == 8) written += 'T';
    if (i == 10) written += ':';
    written += digits[i];
  }
  return parse_iso8601(written + ":00Z");
}

std::optional<Txid> Txid::parse(std::string_view text) {
  if (text.empty() || text.size() > kSizeMax) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_ascii_alnum)) return std::nullopt;
  return Txid(std::string(text));
}

namespace {

constexpr char kCobPrefix = 'p';

}  // namespace

Txid cob_txid(const ChargeId& charge) { return Txid::parse(kCobPrefix + charge.text()).value(); }

std::optional<ChargeId> charge_named_by(const Txid& txid) {
  auto text = to_lower_case(txid.text());
  if (text.size() == kMintedIdSize + 1 && text.front() == kCobPrefix) text.erase(0, 1);
  if (text.size() != kMintedIdSize) return std::nullopt;
  return ChargeId::parse(text);
}

std::optional<TypedEndToEndId> TypedEndToEndId::parse(std::string_view text) {
  const auto bare = bare_name(text);
  auto id = bare ? EndToEndId::parse(*bare) : std::nullopt;
  return id ? std::optional(TypedEndToEndId{*std::move(id)}) : std::nullopt;
}

std::optional<TypedChargeId> TypedChargeId::parse(std::string_view text) {
  if (auto id = ChargeId::parse(fold(without_outer_blanks(text)))) return TypedChargeId{*std::move(id)};
  const auto bare = bare_name(text);
  const auto txid = bare ? Txid::parse(*bare) : std::nullopt;
  auto named = txid ? charge_named_by(*txid) : std::nullopt;
  return named ? std::optional(TypedChargeId{*std::move(named)}) : std::nullopt;
}

}  // namespace pixledger::domain
