#include <algorithm>
#include <stdexcept>

#include "base/text/text.h"
#include "stores/accounts/account_repository.h"
#include "stores/accounts/account_sql.h"

namespace pixledger::stores {
namespace {

constexpr const char* kSignInColumns =
    "id, user_id, method, created_at, last_seen_at, confirmed_at, address, user_agent, "
    "(SELECT count(*) FROM passkeys WHERE passkeys.user_id = sign_ins.user_id) + "
    "(SELECT count(*) FROM passwords JOIN totp ON totp.user_id = passwords.user_id "
    "WHERE passwords.user_id = sign_ins.user_id AND totp.sealed IS NOT NULL)";

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

// Failures are counted of addresses that nobody has, too, so they are not kept as text. No address is a
// user's id, or has a line break.
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
    // Two within a millisecond are two.
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
      {sql(challenge), sql(expires_at)});
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
                 {user.text(), sql(recovery.code)});
}

void AccountRepository::insert_sign_in(const UserId& user, const NewSignIn& sign_in, SignInMethod method,
                                       Timestamp now) {
  // The oldest make room. Rows of those that have ended are few as well, or whoever signs in again and again
  // makes every look at a user's sign-ins long.
  database_->run(
      "DELETE FROM sign_ins WHERE user_id = $1 AND ended_at IS NOT NULL AND id NOT IN "
      "(SELECT id FROM sign_ins WHERE user_id = $1 AND ended_at IS NOT NULL ORDER BY created_at DESC, id "
      "LIMIT "
      "$2)",
      {user.text(), sql_number(kSignInsOfUserMax)});
  database_->run(
      "UPDATE sign_ins SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL AND id NOT IN "
      "(SELECT id FROM sign_ins WHERE user_id = $1 AND ended_at IS NULL ORDER BY created_at DESC, id LIMIT "
      "$3)",
      {user.text(), sql(now), sql_number(kSignInsOfUserMax - 1)});
  SqlValue confirmed_at = sql(now);
  if (method == SignInMethod::kInvitation) confirmed_at = {};
  database_->run(
      "INSERT INTO sign_ins (id, token_hash, user_id, method, created_at, last_seen_at, confirmed_at, "
      "address, user_agent) VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
      {sign_in.id.text(), sql(sign_in.token_hash), user.text(), sql_number(method), sql(now), confirmed_at,
       sign_in.address, sign_in.user_agent});
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
  // The one of this attempt; those of others stay.
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
  // The same text however many there are, so that it is prepared once; parameters stand in its order.
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
