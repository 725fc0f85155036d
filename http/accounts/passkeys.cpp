#include "http/accounts/passkeys.h"

#include <cstdint>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>
#include <string_view>

#include "base/net/http_url.h"
#include "base/platform/big_endian.h"
#include "base/platform/json_reader.h"
#include "base/platform/sha256.h"
#include "base/text/base64.h"
#include "base/text/enum_names.h"
#include "base/values/ip_address.h"

namespace pixledger::http {
namespace {

constexpr int kRsaBitsMin = 2'048;
constexpr int kRsaBitsMax = 8'192;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

// OpenSSL's error queue is the thread's: an entry left in it would be taken for a connection's error.
struct ErrorsForgotten {
  ~ErrorsForgotten() { ERR_clear_error(); }
};

Key read_key(std::string_view der) {
  const auto* at = unsigned_bytes(der);
  Key key(d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size())));
  if (at != unsigned_bytes(der) + der.size()) return nullptr;
  return key;
}

bool is_p256(const EVP_PKEY& key) {
  char name[64] = {};
  std::size_t size = 0;
  return EVP_PKEY_get_base_id(&key) == EVP_PKEY_EC &&
         EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, &size) == 1 &&
         std::string_view(name, size) == SN_X9_62_prime256v1;
}

bool fits(const EVP_PKEY& key, std::int64_t algorithm) {
  if (algorithm == kEs256) return is_p256(key);
  if (algorithm == kEdDsa) return EVP_PKEY_get_base_id(&key) == EVP_PKEY_ED25519;
  const int bits = EVP_PKEY_get_bits(&key);
  return algorithm == kRs256 && EVP_PKEY_get_base_id(&key) == EVP_PKEY_RSA && bits >= kRsaBitsMin &&
         bits <= kRsaBitsMax;
}

// Returns whether the signature is by this key, as is_public_key() accepts it, in Web Authentication's form
// for the algorithm (Level 2, §6.5.6): ECDSA's is DER; all but Ed25519's are over SHA-256.
bool is_signed_by(std::string_view public_key, std::int64_t algorithm, std::string_view bytes,
                  std::string_view signature) {
  const ErrorsForgotten after;
  const auto key = read_key(public_key);
  if (!key || !fits(*key, algorithm)) return false;
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  const auto* const digest = algorithm == kEdDsa ? nullptr : EVP_sha256();
  return context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(), unsigned_bytes(bytes),
                          bytes.size()) == 1;
}

constexpr std::size_t kHeadBytes = kDigestBytes + 1 + 4;
constexpr std::size_t kAaguidBytes = 16;
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kCredentialBytesMax = 1'023;  // §7.1 step 17 of Level 3

constexpr unsigned char kUserPresent = 0x01;
constexpr unsigned char kUserVerified = 0x04;
constexpr unsigned char kHasCredential = 0x40;

constexpr std::size_t kChallengeRandomBytes = 16;

constexpr EnumNames<ChallengePurpose::kSignIn, ChallengePurpose::kConfirm> kPurposeNames{
    "sign_in", "register", "confirm"};

// `plain` has a fixed size, which separates it from what follows.
Challenge challenge_of(std::string_view plain, ChallengePurpose purpose, std::string_view whose,
                       const eventstore::Keyring& keyring) {
  const Timestamp made_at(static_cast<std::int64_t>(from_big_endian(plain.substr(0, kBigEndianBytes))));
  return {.id = to_base64url(plain),
          .bytes = keyring.code_of_account("challenge " + std::string(kPurposeNames.of(purpose)),
                                           std::string(plain) + std::string(whose)),
          .expires_at = made_at.plus_millis(kChallengeMs)};
}

}  // namespace

bool is_public_key(std::string_view der, std::int64_t algorithm) {
  const ErrorsForgotten after;
  const auto key = read_key(der);
  return key && fits(*key, algorithm);
}

std::optional<RelyingParty> RelyingParty::of(std::string_view dashboard_url) {
  const auto url = HttpUrl::parse(dashboard_url);
  if (!url || IpAddress::parse(url->host)) return std::nullopt;
  return RelyingParty{.id = url->host, .origin = url->origin()};
}

bool is_client_data(std::string_view json, Ceremony ceremony, const Digest& challenge,
                    const RelyingParty& party) {
  try {
    const JsonDocument document(json);
    const JsonFields data(document.root());
    const auto has = [&](std::string_view name, std::string_view wanted) {
      return data.find<std::string_view>(name) == wanted;
    };
    // True in a page of another origin; our pages are never embedded. Absent counts as false (§5.8.1).
    const auto is_crossed = data.member("crossOrigin");
    return has("type", ceremony == Ceremony::kCreate ? "webauthn.create" : "webauthn.get") &&
           has("challenge", to_base64url(bytes_of(challenge))) && has("origin", party.origin) &&
           (!is_crossed || json_value<bool>(*is_crossed) == false);
  } catch (const JsonRefused&) {
    return false;
  }
}

std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes, const RelyingParty& party) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  const auto expected = sha256(party.id);
  if (bytes.substr(0, kDigestBytes) != bytes_of(expected)) return std::nullopt;
  const auto flags = static_cast<unsigned char>(bytes[kDigestBytes]);
  if ((flags & kUserPresent) == 0 || (flags & kUserVerified) == 0) return std::nullopt;
  AuthenticatorData data{
      .sign_count = static_cast<std::uint32_t>(from_big_endian(bytes.substr(kDigestBytes + 1, 4))),
      .credential = {}};
  if ((flags & kHasCredential) == 0) return data;
  bytes.remove_prefix(kHeadBytes);
  if (bytes.size() < kAaguidBytes + kLengthBytes) return std::nullopt;
  const auto length = from_big_endian(bytes.substr(kAaguidBytes, kLengthBytes));
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

Challenge make_challenge(ChallengePurpose purpose, std::string_view whose, const eventstore::Keyring& keyring,
                         Entropy& entropy, Timestamp now) {
  const auto plain =
      big_endian(static_cast<std::uint64_t>(now.millis())) + entropy.bytes(kChallengeRandomBytes);
  return challenge_of(plain, purpose, whose, keyring);
}

std::optional<Challenge> find_challenge(std::string_view id, ChallengePurpose purpose, std::string_view whose,
                                        const eventstore::Keyring& keyring, Timestamp now) {
  const auto plain = bytes_from_base64url(id);
  if (!plain || plain->size() != kBigEndianBytes + kChallengeRandomBytes) return std::nullopt;
  // A forged time has no valid challenge, but sums must not overflow.
  const auto made_at = from_big_endian(std::string_view(*plain).substr(0, kBigEndianBytes));
  if (made_at > static_cast<std::uint64_t>(now.plus_millis(kChallengeMs).millis())) return std::nullopt;
  auto challenge = challenge_of(*plain, purpose, whose, keyring);
  if (challenge.expires_at <= now) return std::nullopt;
  return challenge;
}

}  // namespace pixledger::http
