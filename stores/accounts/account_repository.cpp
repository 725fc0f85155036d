#include "stores/accounts/account_repository.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/platform/faults.h"
#include "base/platform/sha256.h"
#include "base/text/text.h"

namespace pixledger::stores {
namespace {

constexpr const char* kById = "id = $1";
constexpr const char* kByAddress = "folded = $1";
constexpr const char* kPasskeyColumns =
    "user_id, credential, name, public_key, algorithm, sign_count, created_at, last_used_at";
constexpr const char* kSignInColumns =
    "id, user_id, method, created_at, last_seen_at, confirmed_at, address, user_agent, "
    "(SELECT count(*) FROM passkeys WHERE passkeys.user_id = sign_ins.user_id) + "
    "(SELECT count(*) FROM passwords JOIN totp ON totp.user_id = passwords.user_id "
    "WHERE passwords.user_id = sign_ins.user_id AND totp.sealed IS NOT NULL)";
// Condition for a valid sign-in. $2: used after; $3: started after.
constexpr const char* kHasNotEnded = "ended_at IS NULL AND last_seen_at > $2 AND created_at > $3";

SqlValue sql_digest(const Digest& digest) { return to_hex(digest); }

// Parameters of the above; `whose` is $1.
SqlValues live_at(const std::string& whose, Timestamp now) {
  return {whose, sql(now.plus_millis(-kSignInIdleMs)), sql(now.plus_millis(-kSignInMs))};
}

template <class Id>
Id id_in(const SqlRow& row, std::size_t column) {
  auto id = Id::parse(row.text(column));
  if (!id) throw DataDamaged("a row of the accounts is damaged");
  return *std::move(id);
}

std::string bytes_in(const SqlRow& row, std::size_t column) {
  auto bytes = bytes_from_hex(row.text(column));
  if (!bytes) throw DataDamaged("a row of the accounts is damaged");
  return *std::move(bytes);
}

// $1: the user.
void delete_of(SqlDatabase& database, const char* table, const UserId& user) {
  database.run(std::string("DELETE FROM ") + table + " WHERE user_id = $1", {user.text()});
}

User to_user(const SqlRow& row) {
  auto email = EmailAddress::parse(row.text(1));
  if (!email) throw DataDamaged("a row of the accounts is damaged");
  return {id_in<UserId>(row, 0), *std::move(email), Timestamp(row.integer(2))};
}

std::optional<User> select_user(SqlDatabase& database, const std::string& condition,
                                const std::string& value) {
  const auto found = database.run("SELECT id, email, created_at FROM users WHERE " + condition, {value});
  if (found.rows.empty()) return std::nullopt;
  return to_user(found.rows.front());
}

PasskeyOfUser to_passkey(const SqlRow& row) {
  return {.user = id_in<UserId>(row, 0),
          .passkey = {.credential = row.text(1),
                      .name = row.text(2),
                      .public_key = bytes_in(row, 3),
                      .algorithm = row.integer(4),
                      .sign_count = row.as<std::uint32_t>(5),
                      .created_at = Timestamp(row.integer(6)),
                      .last_used_at = row.moment(7)}};
}

SignIn to_sign_in(const SqlRow& row) {
  return {.id = id_in<SignInId>(row, 0),
          .user = id_in<UserId>(row, 1),
          .method = row.as<SignInMethod>(2),
          .created_at = Timestamp(row.integer(3)),
          .last_seen_at = Timestamp(row.integer(4)),
          .confirmed_at = row.moment(5),
          .address = row.text(6),
          .user_agent = row.text(7),
          .has_credentials = row.integer(8) != 0};
}

// Failures are also counted for unknown addresses, so only a digest is stored. No address equals a user's id
// or contains a line break.
std::string account_of(std::string_view whose) { return to_hex(sha256(whose)); }

std::string account_from(const std::string& folded, const AttemptFrom& from) {
  const auto where = from.known_device ? "device\n" + *from.known_device : "network\n" + from.network;
  return account_of(folded + "\n" + where);
}

struct MethodOf {
  SignInMethod operator()(const PasskeyShown&) const { return SignInMethod::kPasskey; }
  SignInMethod operator()(const TotpShown&) const { return SignInMethod::kPassword; }
  SignInMethod operator()(const RecoveryCodeShown&) const { return SignInMethod::kRecoveryCode; }
};

}  // namespace

User AccountRepository::make_user(const EmailAddress& email, const UserId& fresh, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto folded = fold(email.text());
  if (auto known = select_user(*database_, kByAddress, folded)) return *std::move(known);
  database_->run("INSERT INTO users (id, email, folded, created_at) VALUES ($1, $2, $3, $4)",
                 {fresh.text(), email.text(), folded, sql(now)});
  transaction.commit();
  return {fresh, email, now};
}

std::optional<User> AccountRepository::find_user(const EmailAddress& email) const {
  const std::lock_guard lock(mutex_);
  return select_user(*database_, kByAddress, fold(email.text()));
}

std::optional<UserState> AccountRepository::user_state(const UserId& user, Timestamp now) const {
  const std::lock_guard lock(mutex_);
  const SqlMoment moment(*database_);
  auto found = select_user(*database_, kById, user.text());
  if (!found) return std::nullopt;
  UserState state{.user = *std::move(found), .credentials = summary_of(user)};
  state.invitation_pending =
      database_->integer("SELECT count(*) FROM invitations WHERE user_id = $1 AND expires_at > $2",
                         {user.text(), sql(now)}) > 0;
  state.last_sign_in_at =
      database_->run("SELECT last_sign_in_at FROM users WHERE id = $1", {user.text()}).rows.at(0).moment(0);
  return state;
}

std::vector<User> AccountRepository::users(const std::string& after, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<User> users;
  const auto found =
      database_->run("SELECT id, email, created_at FROM users WHERE id > $1 ORDER BY id LIMIT $2",
                     {after, sql_number(limit)});
  for (const auto& row : found.rows) users.push_back(to_user(row));
  return users;
}

void AccountRepository::remove_user(const UserId& user, Timestamp unless_invited_after) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto invited_since =
      database_->integer("SELECT count(*) FROM invitations WHERE user_id = $1 AND expires_at > $2",
                         {user.text(), sql(unless_invited_after.plus_millis(kInvitationMs))});
  if (invited_since > 0) return;
  remove_all_of(user);
  transaction.commit();
  forget_removed_bytes();
}

void AccountRepository::remove_user_without_use(const UserId& user) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const bool is_invited =
      database_->integer("SELECT count(*) FROM invitations WHERE user_id = $1", {user.text()}) > 0;
  const bool has_signed_in =
      database_->integer("SELECT count(*) FROM sign_ins WHERE user_id = $1", {user.text()}) > 0;
  if (is_invited || has_signed_in) return;
  remove_all_of(user);
  transaction.commit();
  forget_removed_bytes();
}

// The write-ahead log still holds the removed rows.
void AccountRepository::forget_removed_bytes() {
  if (!database_->is_shared()) database_->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

void AccountRepository::remove_all_of(const UserId& user) {
  remove_credentials(user);
  for (const auto* const table : {"invitations", "sign_ins"}) delete_of(*database_, table, user);
  database_->run("DELETE FROM users WHERE id = $1", {user.text()});
}

bool AccountRepository::issue_invitation(const UserId& user, const Digest& token_hash, Invites invites,
                                         Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (!select_user(*database_, kById, user.text())) return false;
  // The holder of an earlier invitation, or the user of a partly set credential, may be another person.
  if (!summary_of(user).suffice()) void_all_of(user, now);
  delete_of(*database_, "invitations", user);
  database_->run("INSERT INTO invitations (user_id, token_hash, resets, expires_at) VALUES ($1, $2, $3, $4)",
                 {user.text(), sql_digest(token_hash), sql_number(invites == Invites::kReset ? 1 : 0),
                  sql(now.plus_millis(kInvitationMs))});
  transaction.commit();
  return true;
}

void AccountRepository::void_all_of(const UserId& user, Timestamp now) {
  remove_credentials(user);
  database_->run("UPDATE sign_ins SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL",
                 {user.text(), sql(now)});
}

void AccountRepository::void_invitations(const UserId& user) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  delete_of(*database_, "invitations", user);
  transaction.commit();
}

void AccountRepository::void_credentials(const UserId& user, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  void_all_of(user, now);
  delete_of(*database_, "invitations", user);
  transaction.commit();
}

std::optional<UserId> AccountRepository::use_invitation(const Digest& token_hash, const NewSignIn& sign_in,
                                                        Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto found = database_->run(
      "DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id, resets",
      {sql_digest(token_hash), sql(now)});
  if (found.rows.empty()) return std::nullopt;
  const auto user = id_in<UserId>(found.rows.front(), 0);
  const bool resets = found.rows.front().integer(1) != 0;
  if (!resets && summary_of(user).suffice()) return std::nullopt;
  void_all_of(user, now);
  insert_sign_in(user, sign_in, SignInMethod::kInvitation, now);
  transaction.commit();
  return user;
}

CredentialSummary AccountRepository::summary_of(const UserId& user) const {
  const auto found = database_->run(
      "SELECT (SELECT count(*) FROM passkeys WHERE user_id = $1), "
      "(SELECT count(*) FROM passwords WHERE user_id = $1), "
      "(SELECT count(*) FROM totp WHERE user_id = $1 AND sealed IS NOT NULL), "
      "(SELECT count(*) FROM recovery_codes WHERE user_id = $1)",
      {user.text()});
  const auto& row = found.rows.at(0);
  return {.passkeys = row.as<std::size_t>(0),
          .has_password = row.integer(1) != 0,
          .has_totp = row.integer(2) != 0,
          .recovery_codes = row.as<std::size_t>(3)};
}

CredentialSummary AccountRepository::credentials(const UserId& user) const {
  const std::lock_guard lock(mutex_);
  return summary_of(user);
}

void AccountRepository::remove_credentials(const UserId& user) {
  for (const auto* const table : {"passkeys", "passwords", "totp", "recovery_codes"})
    delete_of(*database_, table, user);
}

std::optional<AccountRepository::Change> AccountRepository::refusal_of(const ChangedBy& by,
                                                                       Timestamp now) const {
  auto values = live_at(by.sign_in.text(), now);
  values.emplace_back(by.user.text());
  const auto found = database_->run("SELECT confirmed_at FROM sign_ins WHERE id = $1 AND " +
                                        std::string(kHasNotEnded) + " AND user_id = $4",
                                    values);
  if (found.rows.empty()) return Change::kSignInEnded;
  const auto confirmed_at = found.rows.front().moment(0);
  if (was_lately_confirmed(confirmed_at, now) || !summary_of(by.user).suffice()) return std::nullopt;
  return Change::kUnconfirmed;
}

std::optional<AccountRepository::Change> AccountRepository::refuses_change(const ChangedBy& by,
                                                                           Timestamp now) const {
  const std::lock_guard lock(mutex_);
  return refusal_of(by, now);
}

AccountRepository::Change AccountRepository::add_passkey(const ChangedBy& by, const Passkey& passkey,
                                                         const Digest& challenge,
                                                         Timestamp challenge_expires_at, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  if (!spend_challenge(challenge, challenge_expires_at, now)) return Change::kKnown;
  const auto summary = summary_of(by.user);
  if (summary.passkeys >= kPasskeysOfUserMax) return Change::kTooMany;
  const auto added = database_->run(
      "INSERT INTO passkeys (user_id, credential, name, public_key, algorithm, sign_count, created_at) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential) DO NOTHING RETURNING user_id",
      {by.user.text(), passkey.credential, passkey.name, to_hex(passkey.public_key), passkey.algorithm,
       sql_number(passkey.sign_count), sql(now)});
  if (added.rows.empty()) return Change::kKnown;
  if (!summary.suffice()) confirm(by.sign_in, now);
  transaction.commit();
  return Change::kDone;
}

std::vector<Passkey> AccountRepository::passkeys(const UserId& user) const {
  const std::lock_guard lock(mutex_);
  std::vector<Passkey> passkeys;
  const auto found = database_->run("SELECT " + std::string(kPasskeyColumns) +
                                        " FROM passkeys WHERE user_id = $1 ORDER BY created_at, credential",
                                    {user.text()});
  for (const auto& row : found.rows) passkeys.push_back(to_passkey(row).passkey);
  return passkeys;
}

std::optional<PasskeyOfUser> AccountRepository::find_passkey(const std::string& credential) const {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT " + std::string(kPasskeyColumns) + " FROM passkeys WHERE credential = $1", {credential});
  if (found.rows.empty()) return std::nullopt;
  return to_passkey(found.rows.front());
}

AccountRepository::Change AccountRepository::remove_passkey(const ChangedBy& by,
                                                            const std::string& credential, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  const auto removed =
      database_->run("DELETE FROM passkeys WHERE user_id = $1 AND credential = $2 RETURNING user_id",
                     {by.user.text(), credential});
  if (removed.rows.empty()) return Change::kUnknown;
  if (!summary_of(by.user).suffice()) return Change::kLastMeans;
  transaction.commit();
  return Change::kDone;
}

std::optional<PasswordAccount> AccountRepository::password_account_where(const std::string& condition,
                                                                         const std::string& value) const {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT users.id, passwords.hash, totp.sealed, totp.last_step FROM users "
      "LEFT JOIN passwords ON passwords.user_id = users.id LEFT JOIN totp ON totp.user_id = users.id WHERE " +
          condition,
      {value});
  if (found.rows.empty()) return std::nullopt;
  const auto& row = found.rows.front();
  PasswordAccount account{.user = id_in<UserId>(row, 0)};
  if (!row.is_null(1)) account.password_hash = row.text(1);
  if (!row.is_null(2)) account.totp = Totp{bytes_in(row, 2), row.integer(3)};
  return account;
}

std::optional<PasswordAccount> AccountRepository::password_account(const EmailAddress& email) const {
  return password_account_where("users.folded = $1", fold(email.text()));
}

std::optional<PasswordAccount> AccountRepository::password_account(const UserId& user) const {
  return password_account_where("users.id = $1", user.text());
}

AccountRepository::Change AccountRepository::set_password(const ChangedBy& by, const std::string& hash,
                                                          Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  database_->run(
      "INSERT INTO passwords (user_id, hash, changed_at) VALUES ($1, $2, $3) "
      "ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at",
      {by.user.text(), hash, sql(now)});
  database_->run("UPDATE sign_ins SET ended_at = $3 WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL",
                 {by.user.text(), by.sign_in.text(), sql(now)});
  transaction.commit();
  return Change::kDone;
}

AccountRepository::Change AccountRepository::begin_totp(const ChangedBy& by, const std::string& sealed,
                                                        Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  database_->run(
      "INSERT INTO totp (user_id, last_step, begun, begun_at) VALUES ($1, 0, $2, $3) "
      "ON CONFLICT (user_id) DO UPDATE SET begun = excluded.begun, begun_at = excluded.begun_at",
      {by.user.text(), to_hex(sealed), sql(now)});
  transaction.commit();
  return Change::kDone;
}

std::optional<std::string> AccountRepository::begun_totp(const UserId& user) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      database_->run("SELECT begun FROM totp WHERE user_id = $1 AND begun IS NOT NULL", {user.text()});
  if (found.rows.empty()) return std::nullopt;
  return bytes_in(found.rows.front(), 0);
}

AccountRepository::Change AccountRepository::enable_totp(const ChangedBy& by, const std::string& sealed,
                                                         std::int64_t step,
                                                         const std::array<Digest, kRecoveryCodes>& codes,
                                                         Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  const auto enabled = database_->run(
      "UPDATE totp SET sealed = begun, last_step = $3, begun = NULL, begun_at = NULL "
      "WHERE user_id = $1 AND begun = $2 RETURNING user_id",
      {by.user.text(), to_hex(sealed), step});
  if (enabled.rows.empty()) return Change::kUnknown;
  insert_recovery_codes(by.user, codes);
  confirm(by.sign_in, now);
  transaction.commit();
  return Change::kDone;
}

AccountRepository::Change AccountRepository::remove_totp(const ChangedBy& by, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  const auto removed =
      database_->run("DELETE FROM totp WHERE user_id = $1 RETURNING sealed", {by.user.text()});
  if (removed.rows.empty() || removed.rows.front().is_null(0)) return Change::kUnknown;
  if (!summary_of(by.user).suffice()) return Change::kLastMeans;
  delete_of(*database_, "recovery_codes", by.user);
  transaction.commit();
  return Change::kDone;
}

void AccountRepository::insert_recovery_codes(const UserId& user,
                                              const std::array<Digest, kRecoveryCodes>& codes) {
  delete_of(*database_, "recovery_codes", user);
  std::vector<SqlValues> rows;
  for (const auto& code : codes) rows.push_back({user.text(), sql_digest(code)});
  database_->run_each("INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)", rows);
}

AccountRepository::Change AccountRepository::replace_recovery_codes(
    const ChangedBy& by, const std::array<Digest, kRecoveryCodes>& codes, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (const auto refusal = refusal_of(by, now)) return *refusal;
  if (!summary_of(by.user).has_totp) return Change::kUnknown;
  insert_recovery_codes(by.user, codes);
  transaction.commit();
  return Change::kDone;
}

bool AccountRepository::has_recovery_code(const UserId& user, const Digest& code) const {
  const std::lock_guard lock(mutex_);
  return database_->integer("SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND hash = $2",
                            {user.text(), sql_digest(code)}) > 0;
}

std::optional<std::int64_t> AccountRepository::begin_attempt(const EmailAddress& email,
                                                             const AttemptFrom& from, Timestamp now) {
  const auto folded = fold(email.text());
  std::vector<Failures> counted{{account_from(folded, from), kFailuresMax}};
  if (!from.known_device) counted.push_back({account_of(folded), kFailuresOfStrangersMax});
  return begin_attempt_of(counted, now);
}

std::optional<std::int64_t> AccountRepository::begin_confirmation(const UserId& user, Timestamp now) {
  return begin_attempt_of({{account_of(user.text()), kFailuresMax}}, now);
}

std::optional<std::int64_t> AccountRepository::begin_attempt_of(const std::vector<Failures>& counted,
                                                                Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto since = now.plus_millis(-kFailureWindowMs);
  std::vector<SqlValues> fresh;
  for (const auto& [account, most] : counted) {
    const auto found =
        database_->run("SELECT at FROM failures WHERE account = $1 AND at > $2 ORDER BY at DESC LIMIT $3",
                       {account, sql(since), sql_number(most)});
    if (found.rows.size() >= most)
      return std::max<std::int64_t>(found.rows.back().integer(0) - since.millis(), 1);
    // Two within one millisecond get different times.
    auto at = now.millis();
    if (!found.rows.empty()) at = std::max(at, found.rows.front().integer(0) + 1);
    fresh.push_back({account, at});
  }
  database_->run_each("INSERT INTO failures (account, at) VALUES ($1, $2)", fresh);
  transaction.commit();
  return std::nullopt;
}

bool AccountRepository::spend_challenge(const Digest& challenge, Timestamp expires_at, Timestamp now) {
  if (expires_at <= now) return false;
  const auto spent = database_->run(
      "INSERT INTO spent_challenges (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING "
      "RETURNING hash",
      {sql_digest(challenge), sql(expires_at)});
  return !spent.rows.empty();
}

bool AccountRepository::spend(const UserId& user, const CredentialShown& shown, Timestamp now) {
  const auto changes = [this](const std::string& statement, const SqlValues& values) {
    return !database_->run(statement + " RETURNING user_id", values).rows.empty();
  };
  const auto has_password = [&](const std::string& hash) {
    return database_->integer("SELECT count(*) FROM passwords WHERE user_id = $1 AND hash = $2",
                              {user.text(), hash}) > 0;
  };
  if (const auto* passkey = std::get_if<PasskeyShown>(&shown))
    return spend_challenge(passkey->challenge, passkey->challenge_expires_at, now) &&
           changes(
               "UPDATE passkeys SET sign_count = $3, last_used_at = $4 "
               "WHERE user_id = $1 AND credential = $2 AND sign_count = $5",
               {user.text(), passkey->credential, sql_number(passkey->count), sql(now),
                sql_number(passkey->count_before)});
  if (const auto* totp = std::get_if<TotpShown>(&shown))
    return has_password(totp->password_hash) &&
           changes(
               "UPDATE totp SET last_step = $2 "
               "WHERE user_id = $1 AND sealed IS NOT NULL AND last_step < $2",
               {user.text(), totp->step});
  const auto& recovery = std::get<RecoveryCodeShown>(shown);
  return has_password(recovery.password_hash) &&
         changes("DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2",
                 {user.text(), sql_digest(recovery.code)});
}

void AccountRepository::insert_sign_in(const UserId& user, const NewSignIn& sign_in, SignInMethod method,
                                       Timestamp now) {
  // Keeps few rows of ended sign-ins too: otherwise repeated sign-ins would slow down every query of a user's
  // sign-ins.
  database_->run(
      "DELETE FROM sign_ins WHERE user_id = $1 AND ended_at IS NOT NULL AND id NOT IN "
      "(SELECT id FROM sign_ins WHERE user_id = $1 AND ended_at IS NOT NULL "
      "ORDER BY created_at DESC, id LIMIT $2)",
      {user.text(), sql_number(kSignInsOfUserMax)});
  database_->run(
      "UPDATE sign_ins SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL AND id NOT IN "
      "(SELECT id FROM sign_ins WHERE user_id = $1 AND ended_at IS NULL "
      "ORDER BY created_at DESC, id LIMIT $3)",
      {user.text(), sql(now), sql_number(kSignInsOfUserMax - 1)});
  SqlValue confirmed_at = sql(now);
  if (method == SignInMethod::kInvitation) confirmed_at = {};
  database_->run(
      "INSERT INTO sign_ins (id, token_hash, user_id, method, created_at, last_seen_at, confirmed_at, "
      "address, user_agent) VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
      {sign_in.id.text(), sql_digest(sign_in.token_hash), user.text(), sql_number(method), sql(now),
       confirmed_at, sign_in.address, sign_in.user_agent});
  database_->run("UPDATE users SET last_sign_in_at = $2 WHERE id = $1", {user.text(), sql(now)});
}

void AccountRepository::confirm(const SignInId& sign_in, Timestamp now) {
  database_->run("UPDATE sign_ins SET confirmed_at = $2 WHERE id = $1", {sign_in.text(), sql(now)});
}

void AccountRepository::forget_failures(const UserId& user, const AttemptFrom& from) {
  const auto found = database_->run("SELECT folded FROM users WHERE id = $1", {user.text()});
  if (found.rows.empty()) return;
  const auto folded = found.rows.front().text(0);
  database_->run("DELETE FROM failures WHERE account = $1", {account_from(folded, from)});
  // Clears this attempt's failure; others' remain.
  if (!from.known_device)
    database_->run(
        "DELETE FROM failures WHERE account = $1 AND at = (SELECT max(at) FROM failures WHERE account = $1)",
        {account_of(folded)});
}

AccountRepository::SigningIn AccountRepository::add_sign_in(const UserId& user, const CredentialShown& shown,
                                                            const AttemptFrom& from, const NewSignIn& sign_in,
                                                            Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (!spend(user, shown, now)) return SigningIn::kNotGood;
  const auto lately =
      database_->integer("SELECT count(*) FROM sign_ins WHERE user_id = $1 AND created_at > $2",
                         {user.text(), sql(now.plus_millis(-kNewSignInsMs))});
  if (lately >= static_cast<std::int64_t>(kNewSignInsMax)) return SigningIn::kTooMany;
  if (std::holds_alternative<TotpShown>(shown)) forget_failures(user, from);
  insert_sign_in(user, sign_in, std::visit(MethodOf(), shown), now);
  transaction.commit();
  return SigningIn::kDone;
}

bool AccountRepository::confirm_sign_in(const UserId& user, const SignInId& sign_in,
                                        const CredentialShown& shown, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (!spend(user, shown, now)) return false;
  if (!std::holds_alternative<PasskeyShown>(shown))
    database_->run("DELETE FROM failures WHERE account = $1", {account_of(user.text())});
  confirm(sign_in, now);
  transaction.commit();
  return true;
}

std::optional<SignIn> AccountRepository::find_sign_in(const Digest& token_hash, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT " + std::string(kSignInColumns) + " FROM sign_ins WHERE token_hash = $1 AND " + kHasNotEnded,
      live_at(to_hex(token_hash), now));
  if (found.rows.empty()) return std::nullopt;
  auto sign_in = to_sign_in(found.rows.front());
  if (now.millis() - sign_in.last_seen_at.millis() < kSignInTouchMs) return sign_in;
  SqlTransaction transaction(*database_);
  const auto touched =
      database_->run("UPDATE sign_ins SET last_seen_at = $2 WHERE id = $1 AND ended_at IS NULL RETURNING id",
                     {sign_in.id.text(), sql(now)});
  if (touched.rows.empty()) return std::nullopt;
  transaction.commit();
  sign_in.last_seen_at = now;
  return sign_in;
}

std::vector<SignInId> AccountRepository::going_on(const std::vector<SignInId>& asked, Timestamp now) const {
  if (asked.empty()) return {};
  if (asked.size() > kSignInsAskedMax) throw std::invalid_argument("too many sign-ins are asked for");
  // The query text is the same for any number of ids, so it is prepared once. Parameters are in its order.
  std::string query = "SELECT id FROM sign_ins WHERE id IN (";
  SqlValues values;
  for (std::size_t i = 0; i < kSignInsAskedMax; ++i) {
    values.emplace_back(i < asked.size() ? asked[i].text() : std::string());
    query.append(i == 0 ? "$" : ", $").append(std::to_string(values.size()));
  }
  query.append(") AND ended_at IS NULL AND last_seen_at > $").append(std::to_string(kSignInsAskedMax + 1));
  query.append(" AND created_at > $").append(std::to_string(kSignInsAskedMax + 2));
  values.push_back(sql(now.plus_millis(-kSignInIdleMs)));
  values.push_back(sql(now.plus_millis(-kSignInMs)));
  std::vector<SignInId> going_on;
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(query, values);
  for (const auto& row : found.rows) going_on.push_back(id_in<SignInId>(row, 0));
  return going_on;
}

std::vector<SignIn> AccountRepository::sign_ins(const UserId& user, Timestamp now) const {
  const std::lock_guard lock(mutex_);
  std::vector<SignIn> sign_ins;
  const auto found =
      database_->run("SELECT " + std::string(kSignInColumns) + " FROM sign_ins WHERE user_id = $1 AND " +
                         kHasNotEnded + " ORDER BY created_at DESC, id",
                     live_at(user.text(), now));
  for (const auto& row : found.rows) sign_ins.push_back(to_sign_in(row));
  return sign_ins;
}

bool AccountRepository::end_sign_in(const UserId& user, const SignInId& id, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto ended = database_->run(
      "UPDATE sign_ins SET ended_at = $3 WHERE user_id = $1 AND id = $2 AND ended_at IS NULL RETURNING id",
      {user.text(), id.text(), sql(now)});
  transaction.commit();
  return !ended.rows.empty();
}

void AccountRepository::end_everything(Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  database_->run("UPDATE sign_ins SET ended_at = $1 WHERE ended_at IS NULL", {sql(now)});
  database_->run("DELETE FROM invitations");
  transaction.commit();
}

std::size_t AccountRepository::prune(Timestamp now, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  std::size_t removed = 0;
  const auto prune_table = [&](const std::string& table, const std::string& key, const std::string& over,
                               Timestamp before) {
    removed += database_
                   ->run("DELETE FROM " + table + " WHERE (" + key + ") IN (SELECT " + key + " FROM " +
                             table + " WHERE " + over + " <= $1 LIMIT $2) RETURNING 1",
                         {sql(before), sql_number(limit)})
                   .rows.size();
  };
  prune_table("invitations", "user_id", "expires_at", now);
  prune_table("spent_challenges", "hash", "expires_at", now);
  prune_table("failures", "account, at", "at", now.plus_millis(-kFailureWindowMs));
  prune_table("sign_ins", "id", "created_at", now.plus_millis(-kEndedSignInKeptMs));
  transaction.commit();
  return removed;
}

}  // namespace pixledger::stores
