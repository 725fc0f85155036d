#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/platform/sha256.h"
#include "base/values/email_address.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"

// What is kept of people who sign in. Of tokens, invitations and recovery codes there are digests alone, so
// that who reads the database cannot sign in.
namespace pixledger::stores {

using domain::SignInId;
using domain::UserId;

inline constexpr std::int64_t kInvitationMs = 24 * 60 * 60 * 1'000;
inline constexpr std::int64_t kSignInIdleMs = 30 * 60 * 1'000;
inline constexpr std::int64_t kSignInMs = 12 * 60 * 60 * 1'000;
inline constexpr std::int64_t kSignInTouchMs = 60 * 1'000;
inline constexpr std::int64_t kConfirmedMs = 10 * 60 * 1'000;
inline constexpr std::int64_t kFailureWindowMs = 15 * 60 * 1'000;
inline constexpr std::size_t kFailuresMax = 5;
// Of one account, from all networks together but for known devices: so many networks cannot guess for long.
inline constexpr std::size_t kFailuresOfStrangersMax = 100;
inline constexpr std::size_t kPasskeysOfUserMax = 20;
// That go on, and again as many of those that have ended.
inline constexpr std::size_t kSignInsOfUserMax = 50;
// In a minute; each is written down durably.
inline constexpr std::size_t kNewSignInsMax = 30;
inline constexpr std::int64_t kNewSignInsMs = 60 * 1'000;
inline constexpr std::int64_t kEndedSignInKeptMs = 30LL * 24 * 60 * 60 * 1'000;

struct User {
  UserId id;
  EmailAddress email;  // as it was given first
  Timestamp created_at;
};

// With what a user can sign in. A password alone is not enough.
struct CredentialSummary {
  std::size_t passkeys = 0;
  bool has_password = false;
  bool has_totp = false;
  std::size_t recovery_codes = 0;

  bool suffice() const { return passkeys > 0 || (has_password && has_totp); }
};

// What lists of members and users show.
struct UserState {
  User user;
  CredentialSummary credentials;
  bool invitation_pending = false;
  std::optional<Timestamp> last_sign_in_at{};
};

struct Passkey {
  std::string credential;  // the authenticator's id of it, base64url
  std::string name;
  std::string public_key;  // DER of a SubjectPublicKeyInfo
  std::int64_t algorithm;  // COSE's number: -7, -257, -8
  std::uint32_t sign_count = 0;
  Timestamp created_at{};
  std::optional<Timestamp> last_used_at{};
};
struct PasskeyOfUser {
  UserId user;
  Passkey passkey;
};

struct Totp {
  std::string sealed;          // the secret, as the keyring has sealed it for the user
  std::int64_t last_step = 0;  // the last one that was used; none before it is good any more
};

// What a sign-in with a password is judged by.
struct PasswordAccount {
  UserId user;
  std::optional<std::string> password_hash{};
  std::optional<Totp> totp{};
};

// Stored by number.
enum class SignInMethod : std::uint8_t {
  kPasskey = 0,
  kPassword = 1,      // and a one-time code
  kRecoveryCode = 2,  // and the password
  kInvitation = 3
};

// Whose failures count together: those of a device on which the user has signed in before, else those of a
// network. A stranger who knows an address so locks out nobody but their own network.
struct AttemptFrom {
  std::string network;
  std::optional<std::string> known_device{};
};

struct NewSignIn {
  SignInId id;
  Digest token_hash;
  std::string address;     // of the caller
  std::string user_agent;  // as the caller says
};

// Whether a credential was given within the last ten minutes.
inline bool was_lately_confirmed(const std::optional<Timestamp>& confirmed_at, Timestamp now) {
  return confirmed_at && now < confirmed_at->plus_millis(kConfirmedMs);
}

// One that has not ended.
struct SignIn {
  SignInId id;
  UserId user;
  SignInMethod method;
  Timestamp created_at;
  Timestamp last_seen_at;
  std::optional<Timestamp> confirmed_at;  // when a credential was last given
  std::string address;
  std::string user_agent;
  // Whether the user has set what they can sign in with. Until then they may only do that.
  bool has_credentials;

  Timestamp expires_at() const { return created_at.plus_millis(kSignInMs); }
  bool is_confirmed(Timestamp now) const { return was_lately_confirmed(confirmed_at, now); }
};

// Who changes what a user signs in with: the user themselves, signed in so.
struct ChangedBy {
  UserId user;
  SignInId sign_in;
};

// --- what somebody has shown, and what is spent by that, so that it is good once ---

struct PasskeyShown {
  std::string credential;
  std::uint32_t count_before;  // what the assertion was compared with
  std::uint32_t count;         // the assertion's
  Digest challenge;
  Timestamp challenge_expires_at;
};
// Beside the password that had this hash.
struct TotpShown {
  std::string password_hash;
  std::int64_t step;
};
struct RecoveryCodeShown {
  std::string password_hash;
  Digest code;
};
using CredentialShown = std::variant<PasskeyShown, TotpShown, RecoveryCodeShown>;

}  // namespace pixledger::stores
