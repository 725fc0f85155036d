#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/text/enum_names.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cuid.h"
#include "domain/values/names.h"
#include "domain/values/sealed_secret.h"

// How to reach the bank behind a connection of the provider `api-pix`. The connection itself, and what
// charges need from it, are recorded in the project's stream (project.h).
namespace pixledger::domain {

constexpr std::uint32_t kBankRateDefault = 10;
constexpr std::uint32_t kBankRateMax = 1'000;

// Client authentication at the bank's token endpoint: the secret in the header, in the body, or only the TLS
// certificate. Stored by number.
enum class TokenAuth : std::uint8_t { kBasic = 1, kBody = 2, kNone = 3 };
inline constexpr EnumNames<TokenAuth::kBasic, TokenAuth::kNone> kTokenAuthNames{"basic", "body", "none"};
constexpr std::string_view to_string(TokenAuth auth) { return kTokenAuthNames.of(auth); }
constexpr std::optional<TokenAuth> parse_token_auth(std::string_view text) {
  return kTokenAuthNames.parse(text);
}

// The public part of a client certificate; the certificate itself is among the secrets.
struct CertificateFacts {
  std::string subject;
  Timestamp ends_at;

  static constexpr auto fields(auto with) {
    return with(field("subject", &CertificateFacts::subject), field("endsAt", &CertificateFacts::ends_at));
  }
  friend bool operator==(const CertificateFacts&, const CertificateFacts&) = default;
};

// Validated where it enters the service.
struct BankConfiguration {
  std::string psp;  // the bank: "efi", "bb", … or "generic"
  std::string base_url;
  std::string token_url;
  TokenAuth token_auth;
  std::string scopes;  // separated by blanks
  std::string client_id;
  std::uint32_t rate = kBankRateDefault;          // requests a second, 1 to kBankRateMax
  std::optional<Label> callback_cn{};             // the common name that callbacks' certificates must have
  std::optional<CertificateFacts> certificate{};  // absent: the bank requires none
  SealedSecret secrets;                           // described in eventstore/keys/connection_secrets.h

  static constexpr auto fields(auto with) {
    return with(field("psp", &BankConfiguration::psp), field("baseUrl", &BankConfiguration::base_url),
                field("tokenUrl", &BankConfiguration::token_url),
                field("tokenAuth", &BankConfiguration::token_auth),
                field("scopes", &BankConfiguration::scopes), field("clientId", &BankConfiguration::client_id),
                field("rate", &BankConfiguration::rate), field("callbackCn", &BankConfiguration::callback_cn),
                field("certificate", &BankConfiguration::certificate),
                secret_field("secrets", &BankConfiguration::secrets));
  }
  friend bool operator==(const BankConfiguration&, const BankConfiguration&) = default;
};

// The complete new configuration; recorded with the connection and at each later change or rotation.
struct ConnectionConfigured {
  ConnectionId id;
  ProjectId project;
  BankConfiguration configuration;

  static constexpr auto fields(auto with) {
    return with(field("connectionId", &ConnectionConfigured::id).stored_as("id").not_in_feed(),
                envelope_field("projectId", &ConnectionConfigured::project),
                field("configuration", &ConnectionConfigured::configuration).flattened().not_in_feed());
  }
};
// The bank has our callback URL.
struct CallbackRegistered {
  std::string url;  // without its last path segment, the secret

  static constexpr auto fields(auto with) {
    return with(field("url", &CallbackRegistered::url).not_in_feed());
  }
};
struct CallbackRemoved {};
using BankConnectionEvent = std::variant<ConnectionConfigured, CallbackRegistered, CallbackRemoved>;

struct BankConnection {
  ConnectionId id;
  ProjectId project;
  BankConfiguration configuration;
  std::uint32_t revision;  // number of the configuration: 1, 2, 3…
  std::optional<std::string> callback_url;
  Timestamp configured_at;
  Timestamp created_at;
};

std::optional<BankConnection> apply(std::optional<BankConnection> connection,
                                    const BankConnectionEvent& event, Timestamp at);

}  // namespace pixledger::domain
