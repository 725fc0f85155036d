#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/platform/sha256.h"
#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// Data of users who sign in. Tokens, invitations and recovery codes are stored as digests only, so that
// reading the database does not allow a sign-in.

using domain::SignInId;
using domain::UserId;

inline constexpr std::int64_t kInvitationMs = 24 * 60 * 60 * 1'000;
inline constexpr std::int64_t kSignInIdleMs = 30 * 60 * 1'000;
inline constexpr std::int64_t kSignInMs = 12 * 60 * 60 * 1'000;
inline constexpr std::int64_t kSignInTouchMs = 60 * 1'000;
inline constexpr std::int64_t kConfirmedMs = 10 * 60 * 1'000;
inline constexpr std::int64_t kFailureWindowMs = 15 * 60 * 1'000;
inline constexpr std::size_t kFailuresMax = 5;
// Per account, from all networks together except known devices, so that many networks cannot guess for long.
inline constexpr std::size_t kFailuresOfStrangersMax = 100;
inline constexpr std::size_t kPasskeysOfUserMax = 20;
// Active ones, and as many again that have ended.
inline constexpr std::size_t kSignInsOfUserMax = 50;
// Per minute; each is written durably.
inline constexpr std::size_t kNewSignInsMax = 30;
inline constexpr std::int64_t kNewSignInsMs = 60 * 1'000;
inline constexpr std::int64_t kEndedSignInKeptMs = 30LL * 24 * 60 * 60 * 1'000;

struct User {
  UserId id;
  EmailAddress email;  // as first given
  Timestamp created_at;
};

// A user's means of sign-in. A password alone is not enough.
struct CredentialSummary {
  std::size_t passkeys = 0;
  bool has_password = false;
  bool has_totp = false;
  std::size_t recovery_codes = 0;

  bool suffice() const { return passkeys > 0 || (has_password && has_totp); }
};

// Shown in lists of members and users.
struct UserState {
  User user;
  CredentialSummary credentials;
  bool invitation_pending = false;
  std::optional<Timestamp> last_sign_in_at{};
};

struct Passkey {
  std::string credential;  // the authenticator's credential id, base64url
  std::string name;
  std::string public_key;  // DER of a SubjectPublicKeyInfo
  std::int64_t algorithm;  // COSE number: -7, -257, -8
  std::uint32_t sign_count = 0;
  Timestamp created_at{};
  std::optional<Timestamp> last_used_at{};
};
struct PasskeyOfUser {
  UserId user;
  Passkey passkey;
};

struct Totp {
  std::string sealed;          // the secret, sealed for the user by the keyring
  std::int64_t last_step = 0;  // the last step used; earlier steps are invalid
};

// The data that a sign-in with a password is checked against.
struct PasswordAccount {
  UserId user;
  std::optional<std::string> password_hash{};
  std::optional<Totp> totp{};
};

// Stored by number.
enum class SignInMethod : std::uint8_t {
  kPasskey = 0,
  kPassword = 1,      // with a one-time code
  kRecoveryCode = 2,  // with the password
  kInvitation = 3
};

// Failures are counted per known device of the user, otherwise per network. So a stranger who knows an
// address locks out only their own network.
struct AttemptFrom {
  std::string network;
  std::optional<std::string> known_device{};
};

struct NewSignIn {
  SignInId id;
  Digest token_hash;
  std::string address;     // the caller's
  std::string user_agent;  // as the caller sent it
};

// True if a credential was given within the last ten minutes.
inline bool was_lately_confirmed(const std::optional<Timestamp>& confirmed_at, Timestamp now) {
  return confirmed_at && now < confirmed_at->plus_millis(kConfirmedMs);
}

// A sign-in that has not ended.
struct SignIn {
  SignInId id;
  UserId user;
  SignInMethod method;
  Timestamp created_at;
  Timestamp last_seen_at;
  std::optional<Timestamp> confirmed_at;  // when a credential was last given
  std::string address;
  std::string user_agent;
  // False until the user has set credentials; until then they may do nothing else.
  bool has_credentials;

  Timestamp expires_at() const { return created_at.plus_millis(kSignInMs); }
  bool is_confirmed(Timestamp now) const { return was_lately_confirmed(confirmed_at, now); }
};

// The user who changes their own credentials, and their sign-in.
struct ChangedBy {
  UserId user;
  SignInId sign_in;
};

// --- presented credentials, each of which is consumed by its use ---

struct PasskeyShown {
  std::string credential;
  std::uint32_t count_before;  // that the assertion was compared with
  std::uint32_t count;         // the assertion's
  Digest challenge;
  Timestamp challenge_expires_at;
};
// With the password that had this hash.
struct TotpShown {
  std::string password_hash;
  std::int64_t step;
};
struct RecoveryCodeShown {
  std::string password_hash;
  Digest code;
};
using CredentialShown = std::variant<PasskeyShown, TotpShown, RecoveryCodeShown>;

inline constexpr const char* kAccountsFile = "accounts.db";
inline constexpr const char* kAccountsSchema = "pixledger_accounts";
inline constexpr std::size_t kRecoveryCodes = 8;
inline constexpr std::size_t kSignInsAskedMax = 32;

// Users, their credentials and their sign-ins. A SQLite file that the server and commands share, or tables
// that machines share (stores/databases/account_database.h). Permissions are not stored here: memberships are
// events.
//
// Times are arguments. Changes are durable on return. E-mail addresses identify users case-insensitively.
//
// Thread-safe: one statement at a time. Throws the database's errors, and DataDamaged if a row is
// damaged.
class AccountRepository {
 public:
  explicit AccountRepository(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}
  AccountRepository(const AccountRepository&) = delete;
  AccountRepository& operator=(const AccountRepository&) = delete;

  // --- users ---

  // Returns the user with the address, or creates one with the given id.
  User make_user(const EmailAddress& email, const UserId& fresh, Timestamp now);
  std::optional<User> find_user(const EmailAddress& email) const;
  std::optional<UserState> user_state(const UserId& user, Timestamp now) const;
  // Users after that id, in order of id.
  std::vector<User> users(const std::string& after, std::size_t limit) const;
  // Removes the user with all data. A file keeps no remains, unless there is a reader at the moment; then
  // until the next removal. Does nothing if the user was invited after that time, because another operator
  // has added them again.
  void remove_user(const UserId& user, Timestamp unless_invited_after);
  // Removes a user that its creator does not need, unless the user was invited or has set credentials through
  // another caller meanwhile.
  void remove_user_without_use(const UserId& user);

  // --- invitations ---

  // Stores the digest of a token that signs the user in once, within a day. Voids the user's earlier
  // invitations, partly set credentials and the sign-ins that set them. kNewcomer is valid only while the
  // user has no credentials. Using it removes all the user's credentials and ends their sign-ins. The token's
  // holder is that user in all projects, so its issuer needs authority over all of them. Returns false if the
  // user does not exist.
  enum class Invites { kNewcomer, kReset };
  bool issue_invitation(const UserId& user, const Digest& token_hash, Invites invites, Timestamp now);
  // Voids all the user's credentials and invitations up to now.
  void void_credentials(const UserId& user, Timestamp now);
  void void_invitations(const UserId& user);
  // Signs in with an invitation. Nullopt, without effect, if it is unknown, used or expired.
  std::optional<UserId> use_invitation(const Digest& token_hash, const NewSignIn& sign_in, Timestamp now);

  // --- credentials ---

  CredentialSummary credentials(const UserId& user) const;

  // Result of changing credentials; only kDone changes anything.
  enum class Change {
    kDone,
    kSignInEnded,  // the sign-in of the request
    kUnconfirmed,  // the user has credentials, but gave none under this sign-in within ten minutes
    kUnknown,      // no such credential
    kKnown,        // a user has that credential already
    kTooMany,
    kLastMeans  // the user could no longer sign in
  };
  // Returns kSignInEnded or kUnconfirmed if a change would be rejected now. Every change checks this again,
  // because the sign-in may end while the request is on its way.
  std::optional<Change> refuses_change(const ChangedBy& by, Timestamp now) const;

  // Adding the first passkey confirms the sign-in. `challenge` was issued for it and is consumed; kKnown if
  // already consumed.
  Change add_passkey(const ChangedBy& by, const Passkey& passkey, const Digest& challenge,
                     Timestamp challenge_expires_at, Timestamp now);
  std::vector<Passkey> passkeys(const UserId& user) const;
  std::optional<PasskeyOfUser> find_passkey(const std::string& credential) const;

  Change remove_passkey(const ChangedBy& by, const std::string& credential, Timestamp now);

  std::optional<PasswordAccount> password_account(const EmailAddress& email) const;
  std::optional<PasswordAccount> password_account(const UserId& user) const;
  // Ends all the user's other sign-ins.
  Change set_password(const ChangedBy& by, const std::string& hash, Timestamp now);

  // Stores a secret that takes effect once a code of it is presented; the previous one stays valid until
  // then.
  Change begin_totp(const ChangedBy& by, const std::string& sealed, Timestamp now);
  std::optional<std::string> begun_totp(const UserId& user) const;
  // Puts the begun secret `sealed` into effect, with `step` used and these recovery codes. kUnknown if
  // another secret was begun meanwhile. Confirms the sign-in.
  Change enable_totp(const ChangedBy& by, const std::string& sealed, std::int64_t step,
                     const std::array<Digest, kRecoveryCodes>& codes, Timestamp now);
  // Removes the recovery codes too.
  Change remove_totp(const ChangedBy& by, Timestamp now);
  // Replaces the remaining codes; kUnknown if no TOTP secret is in effect.
  Change replace_recovery_codes(const ChangedBy& by, const std::array<Digest, kRecoveryCodes>& codes,
                                Timestamp now);
  bool has_recovery_code(const UserId& user, const Digest& code) const;

  // --- failures ---

  // Call before checking a password and one-time code for an address. Counts a failure until the sign-in
  // succeeds, so that parallel guesses count too. Returns the milliseconds to wait if there were kFailuresMax
  // from there within fifteen minutes. The same applies to kFailuresOfStrangersMax from anywhere, unless the
  // device is known. Nullopt if the attempt may proceed. Unknown addresses behave the same. Recovery codes
  // cannot be guessed and are not counted.
  std::optional<std::int64_t> begin_attempt(const EmailAddress& email, const AttemptFrom& from,
                                            Timestamp now);
  // The same for a signed-in user who repeats their password, counted until confirmed. Separate from
  // sign-ins, by which a stranger who knows the address could block confirmations.
  std::optional<std::int64_t> begin_confirmation(const UserId& user, Timestamp now);

  // --- sign-ins ---

  // kNotGood: the credential was already used, or is no longer the user's. kTooMany: the user signed in
  // kNewSignInsMax times within a minute. Only kDone changes anything.
  enum class SigningIn { kDone, kNotGood, kTooMany };
  // Consumes the credential. If a one-time code was presented, clears the failures of the user's address from
  // there.
  SigningIn add_sign_in(const UserId& user, const CredentialShown& shown, const AttemptFrom& from,
                        const NewSignIn& sign_in, Timestamp now);
  // Confirms an existing sign-in by a credential. Returns false if it is invalid. Clears the failures of the
  // user's confirmations only.
  bool confirm_sign_in(const UserId& user, const SignInId& sign_in, const CredentialShown& shown,
                       Timestamp now);

  // Returns the sign-in of a token; only this function decides which tokens are valid. Nullopt if it is
  // unknown, has ended, was unused for half an hour or is twelve hours old. Updates the time of last use,
  // which is written once a minute.
  std::optional<SignIn> find_sign_in(const Digest& token_hash, Timestamp now);
  // Returns those that are still valid, for connections that wait under them; this does not count as use. At
  // most kSignInsAskedMax may be passed.
  std::vector<SignInId> going_on(const std::vector<SignInId>& asked, Timestamp now) const;
  // Valid sign-ins, newest first.
  std::vector<SignIn> sign_ins(const UserId& user, Timestamp now) const;
  // False if the user has no valid sign-in with that id.
  bool end_sign_in(const UserId& user, const SignInId& id, Timestamp now);
  // Ends all sign-ins and invitations of all users: restored ones may have been stolen, or ended since.
  void end_everything(Timestamp now);

  // --- upkeep ---

  // Removes expired data, at most `limit` rows of each kind. Returns how many.
  std::size_t prune(Timestamp now, std::size_t limit);

 private:
  struct Failures {
    std::string account;  // the key they are counted by
    std::size_t most;
  };
  std::optional<std::int64_t> begin_attempt_of(const std::vector<Failures>& counted, Timestamp now);
  CredentialSummary summary_of(const UserId& user) const;
  std::optional<Change> refusal_of(const ChangedBy& by, Timestamp now) const;
  bool spend(const UserId& user, const CredentialShown& shown, Timestamp now);
  bool spend_challenge(const Digest& challenge, Timestamp expires_at, Timestamp now);
  void insert_sign_in(const UserId& user, const NewSignIn& sign_in, SignInMethod method, Timestamp now);
  void confirm(const SignInId& sign_in, Timestamp now);
  void forget_failures(const UserId& user, const AttemptFrom& from);
  void remove_credentials(const UserId& user);
  void remove_all_of(const UserId& user);
  void void_all_of(const UserId& user, Timestamp now);
  void forget_removed_bytes();
  void insert_recovery_codes(const UserId& user, const std::array<Digest, kRecoveryCodes>& codes);
  std::optional<PasswordAccount> password_account_where(const std::string& condition,
                                                        const std::string& value) const;

  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

// The tables of the accounts, in SQL for both SQLite and PostgreSQL. Enumeration values never change.
// docs/reference/event-format.md does not list them, because they are not events.

// For SQLite: creates missing tables. Throws std::runtime_error if a newer release made them.
void make_account_tables(SqlDatabase& database);

// For PostgreSQL, in their own schema, which is first in the search path; created with the ledger.
extern const char* const kSharedAccountTables;

}  // namespace pixledger::stores
