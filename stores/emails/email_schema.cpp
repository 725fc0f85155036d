#include "stores/emails/email_schema.h"

#include <array>
#include <stdexcept>
#include <string>

#include "stores/sql/cursor_table.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kEmailSchemaVersion = 2;

constexpr std::array<const char*, 3> kEmailSchema{
    "CREATE TABLE emails (position INTEGER PRIMARY KEY, charge TEXT NOT NULL, environment INTEGER NOT NULL, "
    "recorded_at INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL, "
    "next_attempt_at INTEGER NOT NULL, error TEXT NOT NULL)",
    "CREATE INDEX emails_due ON emails (next_attempt_at) WHERE status = 0", kMakeCursorTable};

// What of the sandbox has gone out: `day` since 1970 and whose share; day 0 has how many were capped, ever.
constexpr std::array<const char*, 2> kSandboxSchema{
    "CREATE TABLE sandbox_emails (day INTEGER NOT NULL, whose TEXT NOT NULL, emails INTEGER NOT NULL, "
    "PRIMARY KEY (day, whose)) WITHOUT ROWID",
    "INSERT INTO sandbox_emails VALUES (0, 'capped', 0)"};

std::int64_t email_version_of(SqlDatabase& database) {
  const auto version = database.integer("PRAGMA user_version");
  if (version > kEmailSchemaVersion) throw std::runtime_error("a newer release wrote the e-mails' database");
  return version;
}

}  // namespace

const char* const kSharedEmailTables = R"(
CREATE TABLE emails (
  position bigint PRIMARY KEY, charge text COLLATE "C" NOT NULL, environment bigint NOT NULL,
  recorded_at bigint NOT NULL, status bigint NOT NULL, attempts bigint NOT NULL,
  next_attempt_at bigint NOT NULL, error text NOT NULL);
CREATE INDEX emails_due ON emails (next_attempt_at) WHERE status = 0;
CREATE TABLE cursor (only_row bigint PRIMARY KEY CHECK (only_row = 1), text text NOT NULL);
CREATE TABLE sandbox_emails (
  day bigint, whose text COLLATE "C", emails bigint NOT NULL, PRIMARY KEY (day, whose));
INSERT INTO sandbox_emails VALUES (0, 'capped', 0);
)";

void refuse_newer_emails(SqlDatabase& database) { email_version_of(database); }

void make_email_tables(SqlDatabase& database) {
  const auto version = email_version_of(database);
  if (version == kEmailSchemaVersion) return;
  SqlTransaction transaction(database);
  if (version == 0) {
    for (const char* statement : kEmailSchema) database.run(statement);
  }
  for (const char* statement : kSandboxSchema) database.run(statement);
  database.run("PRAGMA user_version = " + std::to_string(kEmailSchemaVersion));
  transaction.commit();
}

}  // namespace pixledger::stores
