#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "base/values/ip_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/stream_name.h"

namespace pixledger::domain {

// What a key may do; `write` implies `read`. Stored as bits by number.
enum class Scope : std::uint8_t {
  kTransactionsRead = 0,
  kTransactionsWrite = 1,
  kCustomersRead = 2,
  kCustomersWrite = 3,
  kChannelsRead = 4,
  kChannelsWrite = 5,
  kStoreRead = 6,
  kStoreWrite = 7,
  kEventsRead = 8,
  kEventsWrite = 9,
};

class ScopeSet {
 public:
  static constexpr std::uint32_t kAllBits = (1U << 10) - 1;

  static ScopeSet all() { return ScopeSet(kAllBits); }
  // "transactions:read" and so on, comma-separated; nullopt if one is unknown or the text is empty.
  static std::optional<ScopeSet> parse(std::string_view comma_separated);
  static std::optional<ScopeSet> from_bits(std::uint32_t bits);

  std::uint32_t bits() const { return bits_; }
  bool allows(Scope scope) const;
  bool allows_all(const ScopeSet& needed) const;
  std::string text() const;

  friend bool operator==(const ScopeSet&, const ScopeSet&) = default;

 private:
  explicit ScopeSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

using ApiKeyName = BoundedText<1, 60, struct ApiKeyNameTag>;  // chosen by a person
// The last characters of the key's text, which identify it to people. They come from the checksum and reveal
// at most 24 of the secret's 256 bits.
using ApiKeyEnd = BoundedText<4, 4, struct ApiKeyEndTag>;
using ApiKeyHash = std::array<std::uint8_t, 32>;  // SHA-256 of the key's text

// How long a rolled key keeps working.
constexpr std::int64_t kKeyOverlapSecondsDefault = 24LL * 60 * 60;
constexpr std::int64_t kKeyOverlapSecondsMax = 365 * kKeyOverlapSecondsDefault;

struct ApiKeyIssued {
  ApiKeyId id;
  ProjectId project;
  Environment environment;
  ApiKeyHash hash;
  ScopeSet scopes;
  bool sandbox_only = false;  // explicitly requested; true for every test key
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;  // empty: anywhere
  std::optional<ApiKeyName> name{};
  std::optional<ApiKeyEnd> last_four{};  // absent in keys issued before it was recorded

  static constexpr auto fields(auto with) {
    return with(
        field("keyId", &ApiKeyIssued::id).stored_as("id").not_in_feed(),
        envelope_field("projectId", &ApiKeyIssued::project), field("environment", &ApiKeyIssued::environment),
        secret_field("hash", &ApiKeyIssued::hash), field("scopes", &ApiKeyIssued::scopes),
        field("sandboxOnly", &ApiKeyIssued::sandbox_only), field("expiresAt", &ApiKeyIssued::expires_at),
        field("allowedCallers", &ApiKeyIssued::allowed_callers).not_in_feed(),
        field("name", &ApiKeyIssued::name).not_in_feed(),
        field("lastFour", &ApiKeyIssued::last_four).stored_as("last_four").not_in_feed().shown_if_set());
  }
};
struct ApiKeyExpirySet {
  Timestamp expires_at;

  static constexpr auto fields(auto with) { return with(field("expiresAt", &ApiKeyExpirySet::expires_at)); }
};
struct ApiKeyRevoked {};
using ApiKeyEvent = std::variant<ApiKeyIssued, ApiKeyExpirySet, ApiKeyRevoked>;

struct ApiKey {
  ApiKeyId id;
  ProjectId project;
  Environment environment;
  ApiKeyHash hash;
  ScopeSet scopes;
  bool sandbox_only;
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;
  Timestamp issued_at;
  std::optional<Timestamp> revoked_at;
  // expires_at before a roll shortened it; a successor inherits this one
  std::optional<Timestamp> issued_until;
  std::optional<ApiKeyName> name;
  std::optional<ApiKeyEnd> last_four{};
};

// Neither revoked nor expired.
bool is_usable(const ApiKey& key, Timestamp now);
// True if the key has no list of addresses or the list contains this address.
bool accepts_caller(const ApiKey& key, const std::optional<IpAddress>& caller);

std::optional<ApiKey> apply(std::optional<ApiKey> key, const ApiKeyEvent& event, Timestamp at);

}  // namespace pixledger::domain
