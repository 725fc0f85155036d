#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::http {

// The server's part of Web Authentication, Level 2 (W3C Recommendation of 8 April 2021), without CBOR:
// attestation is not requested ("none"), and the browser's getPublicKey() gives a key as DER. All bytes are
// as before base64url. Pure functions.

// The relying party of passkeys: the dashboard (§5.1.2, "RP ID").
struct RelyingParty {
  std::string id;      // its host: "pay.example.com"
  std::string origin;  // as browsers name it: "https://pay.example.com"

  // Takes it from the dashboard's URL. Returns nullopt if the URL is invalid, or has an address in place of a
  // host name, which browsers reject as an RP ID.
  static std::optional<RelyingParty> of(std::string_view dashboard_url);
};

// COSE's numbers of the accepted algorithms (RFC 9053 §2.1, §2.2; RFC 8812 §2).
inline constexpr std::int64_t kEs256 = -7;
inline constexpr std::int64_t kRs256 = -257;
inline constexpr std::int64_t kEdDsa = -8;

// Checks a browser's client data (§5.8.1): the ceremony, the challenge and the origin. The challenge must be
// one that this server made, and this its last use.
enum class Ceremony { kCreate, kGet };
bool is_client_data(std::string_view json, Ceremony ceremony, const Digest& challenge,
                    const RelyingParty& party);

// The authenticator's data (§6.1) that is used here.
struct AuthenticatorData {
  std::uint32_t sign_count;
  std::string credential;  // its id if one was made, else empty
};
// Returns nullopt unless it is for this relying party, the user was present and verified (§7.1 steps 13 to
// 15, §7.2 steps 15 to 17), and the parts that are read are complete.
std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes, const RelyingParty& party);

// Returns whether a key is usable: DER of a SubjectPublicKeyInfo and nothing else, of a kind that fits the
// algorithm: P-256, RSA of 2048 to 8192 bits, Ed25519.
bool is_public_key(std::string_view der, std::int64_t algorithm);

// A new credential (§7.1).
struct Registration {
  std::string_view credential;
  std::string_view client_data;
  std::string_view authenticator_data;
  std::string_view public_key;
  std::int64_t algorithm;
};
// Returns its counter, or nullopt if it is invalid.
std::optional<std::uint32_t> verify_registration(const Registration& made, const Digest& challenge,
                                                 const RelyingParty& party);

// The use of a credential (§7.2).
struct Assertion {
  std::string_view client_data;
  std::string_view authenticator_data;
  std::string_view signature;
};
struct KnownCredential {
  std::string_view public_key;
  std::int64_t algorithm;
  std::uint32_t sign_count;
};
// Returns its counter, or nullopt if it is not of that credential, or its counter has not grown (§7.2 step
// 21: the authenticator may have been copied).
std::optional<std::uint32_t> verify_assertion(const Assertion& shown, const KnownCredential& known,
                                              const Digest& challenge, const RelyingParty& party);

// Challenges make a signature good for one use (Web Authentication, Level 2, §13.4.3). Unauthenticated
// callers request them, so the server does not store them. The id holds the time and 128 random bits; the
// challenge is a code of the id, its purpose and its owner, which only the keyring's holder can make. The
// database has only spent challenges, until they expire.

inline constexpr std::int64_t kChallengeMs = 5 * 60 * 1'000;

enum class ChallengePurpose { kSignIn, kRegister, kConfirm };

struct Challenge {
  std::string id;  // base64url
  Digest bytes;
  Timestamp expires_at;
};

// `whose`: what it is bound to, a sign-in's id; empty before a sign-in.
Challenge make_challenge(ChallengePurpose purpose, std::string_view whose, const eventstore::Keyring& keyring,
                         Entropy& entropy, Timestamp now);

// Returns the challenge of that id for this purpose and owner; another's does not match what was signed.
// Returns nullopt if the id is invalid or has expired.
std::optional<Challenge> find_challenge(std::string_view id, ChallengePurpose purpose, std::string_view whose,
                                        const eventstore::Keyring& keyring, Timestamp now);

}  // namespace pixledger::http
