#include "base/text/text.h"
#include "stores/accounts/account_repository.h"
#include "stores/accounts/account_sql.h"

namespace pixledger::stores {
namespace {

constexpr const char* kPasskeyColumns =
    "user_id, credential, name, public_key, algorithm, sign_count, created_at, last_used_at";

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

}  // namespace

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
    database_->run(std::string("DELETE FROM ") + table + " WHERE user_id = $1", {user.text()});
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
  database_->run("DELETE FROM recovery_codes WHERE user_id = $1", {by.user.text()});
  transaction.commit();
  return Change::kDone;
}

void AccountRepository::insert_recovery_codes(const UserId& user,
                                              const std::array<Digest, kRecoveryCodes>& codes) {
  database_->run("DELETE FROM recovery_codes WHERE user_id = $1", {user.text()});
  std::vector<SqlValues> rows;
  for (const auto& code : codes) rows.push_back({user.text(), sql(code)});
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
                            {user.text(), sql(code)}) > 0;
}

}  // namespace pixledger::stores
