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
// attestation is not asked for ("none"), and the browser's getPublicKey() gives a key as DER. All bytes are
// as they were before base64url. Pure functions.

// Who passkeys are for: the dashboard (§5.1.2, "RP ID").
struct RelyingParty {
  std::string id;      // its host: "pay.example.com"
  std::string origin;  // as browsers name it: "https://pay.example.com"

  // Of the dashboard's URL. nullopt for what is none, and for an address in place of a host name, which
  // browsers take for no RP ID.
  static std::optional<RelyingParty> of(std::string_view dashboard_url);
};

// COSE's numbers of what is taken (RFC 9053 §2.1, §2.2; RFC 8812 §2).
inline constexpr std::int64_t kEs256 = -7;
inline constexpr std::int64_t kRs256 = -257;
inline constexpr std::int64_t kEdDsa = -8;

// What a browser says it did (§5.8.1): which ceremony, for which challenge, where. The challenge is one of
// ours, which came from nowhere but this server, and its last use.
enum class Ceremony { kCreate, kGet };
bool is_client_data(std::string_view json, Ceremony ceremony, const Digest& challenge,
                    const RelyingParty& party);

// What the authenticator says (§6.1), as far as it matters here.
struct AuthenticatorData {
  std::uint32_t sign_count;
  std::string credential;  // its id where one was made, else empty
};
// nullopt unless it is for this relying party, the user was present and verified (§7.1 steps 13 to 15, §7.2
// steps 15 to 17), and it is whole as far as it is read.
std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes, const RelyingParty& party);

// Whether a key can be used: DER of a SubjectPublicKeyInfo and nothing else, of a kind that fits the
// algorithm: P-256, RSA of 2048 to 8192 bits, Ed25519.
bool is_public_key(std::string_view der, std::int64_t algorithm);

// A credential that was made (§7.1).
struct Registration {
  std::string_view credential;
  std::string_view client_data;
  std::string_view authenticator_data;
  std::string_view public_key;
  std::int64_t algorithm;
};
// Its counter; nullopt where it is not to be trusted.
std::optional<std::uint32_t> verify_registration(const Registration& made, const Digest& challenge,
                                                 const RelyingParty& party);

// A credential that was used (§7.2).
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
// Its counter; nullopt where it is not of that credential, or its counter is not higher than it was (§7.2
// step 21: somebody may have made a copy of the authenticator).
std::optional<std::uint32_t> verify_assertion(const Assertion& shown, const KnownCredential& known,
                                              const Digest& challenge, const RelyingParty& party);

// What a passkey signs, so that a signature is good once (Web Authentication, Level 2, §13.4.3). Challenges
// are made by whoever wants to sign in, so none is kept: the id says when it was made, and 128 random bits;
// the challenge is a code of that, what it is for and for whom, which only the keyring's holder can make. A
// database has only those that were spent, until their time is over.

inline constexpr std::int64_t kChallengeMs = 5 * 60 * 1'000;

enum class ChallengePurpose { kSignIn, kRegister, kConfirm };

struct Challenge {
  std::string id;  // base64url
  Digest bytes;
  Timestamp expires_at;
};

// `whose`: what it is bound to, a sign-in's id; empty where nobody has signed in yet.
Challenge make_challenge(ChallengePurpose purpose, std::string_view whose, const eventstore::Keyring& keyring,
                         Entropy& entropy, Timestamp now);

// The challenge of that id, for this purpose and whoever that is: another's does not fit what was signed.
// nullopt where it is no id, or its time is over.
std::optional<Challenge> find_challenge(std::string_view id, ChallengePurpose purpose, std::string_view whose,
                                        const eventstore::Keyring& keyring, Timestamp now);

}  // namespace pixledger::http
