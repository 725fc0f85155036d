#include "http/accounts/webauthn.h"

#include <simdjson.h>

#include "base/net/http_url.h"
#include "base/text/base64url.h"
#include "base/values/ip_address.h"
#include "http/accounts/public_key.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kRelyingPartyHashBytes = 32;
constexpr std::size_t kHeadBytes = kRelyingPartyHashBytes + 1 + 4;
constexpr std::size_t kAaguidBytes = 16;
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kCredentialBytesMax = 1'023;  // §7.1 step 17 of Level 3

constexpr unsigned char kUserPresent = 0x01;
constexpr unsigned char kUserVerified = 0x04;
constexpr unsigned char kHasCredential = 0x40;

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

// A member that must be there once, as this text.
bool is_once(const simdjson::dom::object& object, std::string_view name, std::string_view wanted) {
  std::size_t found = 0;
  for (const auto& field : object) {
    if (field.key != name) continue;
    std::string_view text;
    if (field.value.get(text) != simdjson::SUCCESS || text != wanted) return false;
    ++found;
  }
  return found == 1;
}

// In a page of another origin's: we are never shown in one. Absent counts as false (§5.8.1).
bool is_cross_origin(const simdjson::dom::object& object) {
  for (const auto& field : object) {
    if (field.key != "crossOrigin") continue;
    bool is_crossed = true;
    if (field.value.get(is_crossed) != simdjson::SUCCESS || is_crossed) return true;
  }
  return false;
}

}  // namespace

std::optional<RelyingParty> RelyingParty::of(std::string_view dashboard_url) {
  const auto url = HttpUrl::parse(dashboard_url);
  if (!url || IpAddress::parse(url->host)) return std::nullopt;
  return RelyingParty{.id = url->host, .origin = url->origin()};
}

bool is_client_data(std::string_view json, Ceremony ceremony, const Digest& challenge,
                    const RelyingParty& party) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(json.data(), json.size()).get(object) != simdjson::SUCCESS) return false;
  return is_once(object, "type", ceremony == Ceremony::kCreate ? "webauthn.create" : "webauthn.get") &&
         is_once(object, "challenge", to_base64url(bytes_of(challenge))) &&
         is_once(object, "origin", party.origin) && !is_cross_origin(object);
}

std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes, const RelyingParty& party) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  const auto expected = sha256(party.id);
  if (bytes.substr(0, kRelyingPartyHashBytes) != bytes_of(expected)) return std::nullopt;
  const auto flags = static_cast<unsigned char>(bytes[kRelyingPartyHashBytes]);
  if ((flags & kUserPresent) == 0 || (flags & kUserVerified) == 0) return std::nullopt;
  AuthenticatorData data{.sign_count = number_at(bytes.substr(kRelyingPartyHashBytes + 1, 4)),
                         .credential = {}};
  if ((flags & kHasCredential) == 0) return data;
  bytes.remove_prefix(kHeadBytes);
  if (bytes.size() < kAaguidBytes + kLengthBytes) return std::nullopt;
  const auto length = number_at(bytes.substr(kAaguidBytes, kLengthBytes));
  bytes.remove_prefix(kAaguidBytes + kLengthBytes);
  if (length == 0 || length > kCredentialBytesMax || bytes.size() < length) return std::nullopt;
  data.credential = bytes.substr(0, length);
  return data;
}

std::optional<std::uint32_t> verify_registration(const Registration& made, const Digest& challenge,
                                                 const RelyingParty& party) {
  if (!is_client_data(made.client_data, Ceremony::kCreate, challenge, party)) return std::nullopt;
  const auto data = read_authenticator_data(made.authenticator_data, party);
  if (!data || data->credential.empty() || data->credential != made.credential) return std::nullopt;
  if (!is_public_key(made.public_key, made.algorithm)) return std::nullopt;
  return data->sign_count;
}

std::optional<std::uint32_t> verify_assertion(const Assertion& shown, const KnownCredential& known,
                                              const Digest& challenge, const RelyingParty& party) {
  if (!is_client_data(shown.client_data, Ceremony::kGet, challenge, party)) return std::nullopt;
  const auto data = read_authenticator_data(shown.authenticator_data, party);
  if (!data) return std::nullopt;
  const auto client_data_hash = sha256(shown.client_data);
  std::string signed_bytes(shown.authenticator_data);
  signed_bytes += bytes_of(client_data_hash);
  if (!is_signed_by(known.public_key, known.algorithm, signed_bytes, shown.signature)) return std::nullopt;
  const bool counts = known.sign_count != 0 || data->sign_count != 0;
  if (counts && data->sign_count <= known.sign_count) return std::nullopt;
  return data->sign_count;
}

}  // namespace pixledger::http
