#include "base/text/text.h"
#include "stores/accounts/account_repository.h"
#include "stores/accounts/account_sql.h"

namespace pixledger::stores {
namespace {

User to_user(const SqlRow& row) {
  auto email = EmailAddress::parse(row.text(1));
  if (!email) throw WorkerDatabaseDamaged("a row of the accounts is damaged");
  return {id_in<UserId>(row, 0), *std::move(email), Timestamp(row.integer(2))};
}

std::optional<User> select_user(SqlDatabase& database, const std::string& condition,
                                const std::string& value) {
  const auto found = database.run("SELECT id, email, created_at FROM users WHERE " + condition, {value});
  if (found.rows.empty()) return std::nullopt;
  return to_user(found.rows.front());
}

constexpr const char* kById = "id = $1";
constexpr const char* kByAddress = "folded = $1";

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

// What was written ahead of the file has it still.
void AccountRepository::forget_removed_bytes() {
  if (!database_->is_shared()) database_->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

void AccountRepository::remove_all_of(const UserId& user) {
  remove_credentials(user);
  for (const auto* const table : {"invitations", "sign_ins"})
    database_->run(std::string("DELETE FROM ") + table + " WHERE user_id = $1", {user.text()});
  database_->run("DELETE FROM users WHERE id = $1", {user.text()});
}

bool AccountRepository::issue_invitation(const UserId& user, const Digest& token_hash, Invites invites,
                                         Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (!select_user(*database_, kById, user.text())) return false;
  // Whoever came by an earlier invitation, or has set half of what signs in, may be somebody else.
  if (!summary_of(user).suffice()) void_all_of(user, now);
  database_->run("DELETE FROM invitations WHERE user_id = $1", {user.text()});
  database_->run("INSERT INTO invitations (user_id, token_hash, resets, expires_at) VALUES ($1, $2, $3, $4)",
                 {user.text(), sql(token_hash), sql_number(invites == Invites::kReset ? 1 : 0),
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
  database_->run("DELETE FROM invitations WHERE user_id = $1", {user.text()});
  transaction.commit();
}

void AccountRepository::void_credentials(const UserId& user, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  void_all_of(user, now);
  database_->run("DELETE FROM invitations WHERE user_id = $1", {user.text()});
  transaction.commit();
}

std::optional<UserId> AccountRepository::use_invitation(const Digest& token_hash, const NewSignIn& sign_in,
                                                        Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto found = database_->run(
      "DELETE FROM invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id, resets",
      {sql(token_hash), sql(now)});
  if (found.rows.empty()) return std::nullopt;
  const auto user = id_in<UserId>(found.rows.front(), 0);
  const bool resets = found.rows.front().integer(1) != 0;
  if (!resets && summary_of(user).suffice()) return std::nullopt;
  void_all_of(user, now);
  insert_sign_in(user, sign_in, SignInMethod::kInvitation, now);
  transaction.commit();
  return user;
}

}  // namespace pixledger::stores
