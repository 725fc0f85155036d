#include <stdexcept>
#include <string>
#include <string_view>

#include "stores/accounts/account_repository.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kAccountSchemaVersion = 1;

}  // namespace

// Bytes are in hex. `folded` is the address in the form used for comparison. A TOTP secret is in `begun`
// during set-up, and in `sealed` once it is in effect.
const char* const kSharedAccountTables = R"(
CREATE TABLE users (
  id text NOT NULL PRIMARY KEY, email text NOT NULL, folded text NOT NULL UNIQUE, created_at bigint NOT NULL,
  last_sign_in_at bigint);
CREATE TABLE invitations (
  user_id text NOT NULL PRIMARY KEY, token_hash text NOT NULL UNIQUE, resets bigint NOT NULL,
  expires_at bigint NOT NULL);
CREATE TABLE passkeys (
  credential text NOT NULL PRIMARY KEY, user_id text NOT NULL, name text NOT NULL, public_key text NOT NULL,
  algorithm bigint NOT NULL, sign_count bigint NOT NULL, created_at bigint NOT NULL, last_used_at bigint);
CREATE INDEX passkeys_of_user ON passkeys (user_id);
CREATE TABLE passwords (user_id text NOT NULL PRIMARY KEY, hash text NOT NULL, changed_at bigint NOT NULL);
CREATE TABLE totp (
  user_id text NOT NULL PRIMARY KEY, sealed text, last_step bigint NOT NULL, begun text, begun_at bigint);
CREATE TABLE recovery_codes (user_id text NOT NULL, hash text NOT NULL, PRIMARY KEY (user_id, hash));
CREATE TABLE sign_ins (
  id text NOT NULL PRIMARY KEY, token_hash text NOT NULL UNIQUE, user_id text NOT NULL, method bigint NOT NULL,
  created_at bigint NOT NULL, last_seen_at bigint NOT NULL, confirmed_at bigint, address text NOT NULL,
  user_agent text NOT NULL, ended_at bigint);
CREATE INDEX sign_ins_of_user ON sign_ins (user_id, created_at);
CREATE INDEX sign_ins_by_age ON sign_ins (created_at);
CREATE TABLE spent_challenges (hash text NOT NULL PRIMARY KEY, expires_at bigint NOT NULL);
CREATE INDEX spent_challenges_by_age ON spent_challenges (expires_at);
CREATE TABLE failures (account text NOT NULL, at bigint NOT NULL, PRIMARY KEY (account, at));
CREATE INDEX failures_by_age ON failures (at);
)";

void make_account_tables(SqlDatabase& database) {
  SqlTransaction transaction(database);
  const auto version = database.integer("PRAGMA user_version");
  if (version > kAccountSchemaVersion)
    throw std::runtime_error("a newer release wrote the accounts' database");
  if (version == kAccountSchemaVersion) return;
  std::string_view rest = kSharedAccountTables;
  for (auto end = rest.find(';'); end != std::string_view::npos; end = rest.find(';')) {
    database.run(std::string(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  database.run("PRAGMA user_version = " + std::to_string(kAccountSchemaVersion));
  transaction.commit();
}

}  // namespace pixledger::stores
