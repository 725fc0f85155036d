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

// What is kept of people who sign in. Of tokens, invitations and recovery codes there are digests alone, so
// that who reads the database cannot sign in.

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

inline constexpr const char* kAccountsFile = "accounts.db";
inline constexpr const char* kAccountsSchema = "pixledger_accounts";
inline constexpr std::size_t kRecoveryCodes = 8;
inline constexpr std::size_t kSignInsAskedMax = 32;

// Who may sign in, with what, and who has signed in: a SQLite file that the server and commands use beside
// each other, or tables that machines share (stores/databases/account_database.h). What somebody may do where
// is no part of it: memberships are events.
//
// Times come in as arguments. What returns has happened durably. Users are told apart by their e-mail
// addresses without regard to case.
//
// Thread-safe: one statement at a time. Throws what the database does, and WorkerDatabaseDamaged where a row
// is damaged.
class AccountRepository {
 public:
  explicit AccountRepository(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}
  AccountRepository(const AccountRepository&) = delete;
  AccountRepository& operator=(const AccountRepository&) = delete;

  // --- users ---

  // Who has the address already; else they are made, with the id that is given.
  User make_user(const EmailAddress& email, const UserId& fresh, Timestamp now);
  std::optional<User> find_user(const EmailAddress& email) const;
  std::optional<UserState> user_state(const UserId& user, Timestamp now) const;
  // In the order of their ids, after that one.
  std::vector<User> users(const std::string& after, std::size_t limit) const;
  // With all that is kept of them; in a file nothing of it is left, unless somebody reads it at this moment,
  // until the next removal. Not where they were invited after that moment, by somebody who has just added
  // them again.
  void remove_user(const UserId& user, Timestamp unless_invited_after);
  // Unless they were invited or have set something: whoever made them has no use for them, but somebody else
  // may have found them meanwhile.
  void remove_user_without_use(const UserId& user);

  // --- invitations ---

  // The token of which this is the digest signs the user in, once, within a day; earlier invitations of the
  // user are void, and so is what was set in part and who has signed in to set it. Unless it resets, it is
  // good only while the user has not set credentials. Its use removes all that they have, set in part or
  // whole, and ends their sign-ins. Whoever holds the token is that user, in all projects: who gets one for
  // somebody else must have a say in all of them. False where there is no such user.
  enum class Invites { kNewcomer, kReset };
  bool issue_invitation(const UserId& user, const Digest& token_hash, Invites invites, Timestamp now);
  // Nothing that was set or sent until now signs the user in any more.
  void void_credentials(const UserId& user, Timestamp now);
  void void_invitations(const UserId& user);
  // Signs in with it. nullopt, and nothing has changed, where it is unknown, used, or over.
  std::optional<UserId> use_invitation(const Digest& token_hash, const NewSignIn& sign_in, Timestamp now);

  // --- credentials ---

  CredentialSummary credentials(const UserId& user) const;

  // What came of changing what somebody signs in with; but for kDone nothing has changed.
  enum class Change {
    kDone,
    kSignInEnded,  // the one by which it was asked for
    kUnconfirmed,  // the user has credentials, and none was given under this sign-in for ten minutes
    kUnknown,      // there is no such credential
    kKnown,        // somebody has that credential already
    kTooMany,
    kLastMeans  // the user could not sign in any more
  };
  // Whether a change would be refused now for who asks for it: kSignInEnded or kUnconfirmed. Every change
  // asks that again, since a sign-in may have ended while its request was on its way.
  std::optional<Change> refuses_change(const ChangedBy& by, Timestamp now) const;

  // The sign-in by which the first one is set counts as confirmed. `challenge`: the one that it was made for,
  // which is spent; spent already, it is kKnown.
  Change add_passkey(const ChangedBy& by, const Passkey& passkey, const Digest& challenge,
                     Timestamp challenge_expires_at, Timestamp now);
  std::vector<Passkey> passkeys(const UserId& user) const;
  std::optional<PasskeyOfUser> find_passkey(const std::string& credential) const;

  Change remove_passkey(const ChangedBy& by, const std::string& credential, Timestamp now);

  std::optional<PasswordAccount> password_account(const EmailAddress& email) const;
  std::optional<PasswordAccount> password_account(const UserId& user) const;
  // All sign-ins of the user end but the one by which it is set.
  Change set_password(const ChangedBy& by, const std::string& hash, Timestamp now);

  // A secret that takes effect once a code of it was shown; the one before it stays until then.
  Change begin_totp(const ChangedBy& by, const std::string& sealed, Timestamp now);
  std::optional<std::string> begun_totp(const UserId& user) const;
  // The begun one, which is `sealed`, is in effect, `step` of it used, with these recovery codes. kUnknown
  // where that is not the begun one any more. The sign-in counts as confirmed by it.
  Change enable_totp(const ChangedBy& by, const std::string& sealed, std::int64_t step,
                     const std::array<Digest, kRecoveryCodes>& codes, Timestamp now);
  // With the recovery codes.
  Change remove_totp(const ChangedBy& by, Timestamp now);
  // Instead of those that are left; kUnknown without a source of one-time codes in effect.
  Change replace_recovery_codes(const ChangedBy& by, const std::array<Digest, kRecoveryCodes>& codes,
                                Timestamp now);
  bool has_recovery_code(const UserId& user, const Digest& code) const;

  // --- failures ---

  // Called before the password and one-time code of somebody who says they have this address are judged:
  // counts as a failure until they have signed in, so that guesses at the same time are counted, too. The
  // milliseconds to wait when there have been kFailuresMax from there within fifteen minutes, or, unless from
  // a known device, kFailuresOfStrangersMax from anywhere; nullopt when the attempt may be made. The same for
  // addresses that nobody has. Recovery codes cannot be guessed and are not counted.
  std::optional<std::int64_t> begin_attempt(const EmailAddress& email, const AttemptFrom& from,
                                            Timestamp now);
  // The same before a password that somebody who has signed in gives again, counted until that is confirmed.
  // Apart from sign-ins, by which a stranger who knows the address would keep its owner from confirming.
  std::optional<std::int64_t> begin_confirmation(const UserId& user, Timestamp now);

  // --- sign-ins ---

  // kNotGood: what was shown was spent before, or is not the user's any more. kTooMany: the user has signed
  // in kNewSignInsMax times within a minute. But for kDone nothing has changed.
  enum class SigningIn { kDone, kNotGood, kTooMany };
  // Spends what was shown. Forgets the failures of the user's address from there where a one-time code was
  // shown.
  SigningIn add_sign_in(const UserId& user, const CredentialShown& shown, const AttemptFrom& from,
                        const NewSignIn& sign_in, Timestamp now);
  // The same for a sign-in that there is: a credential was given again. False: it is not good. Forgets
  // failures of the user's confirmations alone.
  bool confirm_sign_in(const UserId& user, const SignInId& sign_in, const CredentialShown& shown,
                       Timestamp now);

  // The sign-in of a token: the one place that says which token is good. nullopt where there is none, or it
  // was ended, has not been used for half an hour, or is twelve hours old. It counts as used now; that is
  // written once a minute.
  std::optional<SignIn> find_sign_in(const Digest& token_hash, Timestamp now);
  // Those of them that go on, for who waits under them; they are not used by that. At most
  // kSignInsAskedMax are asked for.
  std::vector<SignInId> going_on(const std::vector<SignInId>& asked, Timestamp now) const;
  // Those that have not ended, newest first.
  std::vector<SignIn> sign_ins(const UserId& user, Timestamp now) const;
  // False where the user has none with that id that had not ended.
  bool end_sign_in(const UserId& user, const SignInId& id, Timestamp now);
  // Of everybody, and all invitations: what was restored may have been stolen, or ended since.
  void end_everything(Timestamp now);

  // --- upkeep ---

  // Removes what is over: at most `limit` rows of each kind. Returns how many.
  std::size_t prune(Timestamp now, std::size_t limit);

 private:
  struct Failures {
    std::string account;  // what they are counted by
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

// The tables of the accounts, in SQL that SQLite and PostgreSQL both take. The numbers of enumerations never
// change; docs/EVENT_FORMAT.md does not know them, since nothing of it is an event.

// In SQLite: makes the tables where there are none. Throws std::runtime_error when a newer release made them.
void make_account_tables(SqlDatabase& database);

// In PostgreSQL, in a schema of their own that is the first in the search path; made with the ledger.
extern const char* const kSharedAccountTables;

}  // namespace pixledger::stores
