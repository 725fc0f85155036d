#include "stores/emails/email_repository.h"

#include <array>
#include <stdexcept>
#include <string>

#include "base/platform/faults.h"
#include "base/text/enum_names.h"
#include "base/values/civil_date.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

constexpr EnumNames<EmailStatus::kPending, EmailStatus::kCapped> kEmailStatusNames{
    "pending", "sent", "refused", "exhausted", "withdrawn", "capped"};

Email to_email(const SqlRow& row) {
  auto id = domain::ChargeId::parse(row.text(1));
  if (!id) throw DataDamaged("a row of the e-mails is damaged");
  return {Position(row.as<std::uint64_t>(0)),
          *std::move(id),
          row.as<domain::Environment>(2),
          Timestamp(row.integer(3)),
          row.as<EmailStatus>(4),
          row.as<unsigned>(5),
          Timestamp(row.integer(6)),
          row.text(7)};
}

// `tail` follows "FROM emails" and has these parameters.
std::vector<Email> select(SqlDatabase& database, const std::string& tail, const SqlValues& values) {
  std::vector<Email> emails;
  const auto found = database.run(
      "SELECT position, charge, environment, recorded_at, status, attempts, next_attempt_at, error "
      "FROM emails " +
          tail,
      values);
  for (const auto& row : found.rows) emails.push_back(to_email(row));
  return emails;
}

std::unique_ptr<SqlDatabase> open_to_write(const std::filesystem::path& file) {
  auto database = open_sqlite(file, "rwc");
  database->run("PRAGMA journal_mode = WAL");
  database->run("PRAGMA synchronous = FULL");
  make_email_tables(*database);
  return database;
}

constexpr std::int64_t kEmailSchemaVersion = 2;

constexpr std::array<const char*, 3> kEmailSchema{
    "CREATE TABLE emails (position INTEGER PRIMARY KEY, charge TEXT NOT NULL, environment INTEGER NOT NULL, "
    "recorded_at INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL, "
    "next_attempt_at INTEGER NOT NULL, error TEXT NOT NULL)",
    "CREATE INDEX emails_due ON emails (next_attempt_at) WHERE status = 0", kMakeCursorTable};

// Sandbox e-mails sent, by `day` since 1970 and by project or recipient; day 0 counts the capped ones of all
// time.
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

std::string_view to_string(EmailStatus status) { return kEmailStatusNames.of(status); }

std::optional<EmailStatus> parse_email_status(std::string_view text) { return kEmailStatusNames.parse(text); }

EmailRepository::EmailRepository(const std::filesystem::path& file) : EmailRepository(open_to_write(file)) {}

std::unique_ptr<EmailRepository> EmailRepository::open_to_read(const std::filesystem::path& file) {
  auto database = open_sqlite_to_read(file);
  refuse_newer_emails(*database);
  return std::make_unique<EmailRepository>(std::move(database));
}

std::optional<eventstore::LogCursor> EmailRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*database_);
}

void EmailRepository::begin_work(const std::optional<eventstore::LogCursor>& start) {
  const std::lock_guard lock(mutex_);
  stores::begin_work(*database_, start);
}

void EmailRepository::add(const std::vector<NewEmail>& emails, const eventstore::LogCursor& cursor) {
  std::vector<SqlValues> rows;
  for (const auto& email : emails)
    rows.push_back({sql(email.position), email.charge.text(), sql_number(email.environment),
                    sql(email.recorded_at), sql(email.recorded_at)});
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  database_->run_each(
      "INSERT INTO emails (position, charge, environment, recorded_at, status, attempts, next_attempt_at, "
      "error) VALUES ($1, $2, $3, $4, 0, 0, $5, '') ON CONFLICT (position) DO NOTHING",
      rows);
  save_cursor(*database_, cursor);
  transaction.commit();
}

void EmailRepository::record(const EmailRecord& record) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  if (record.status == EmailStatus::kSent)
    database_->run("DELETE FROM emails WHERE position = $1", {sql(record.position)});
  else
    database_->run(
        "UPDATE emails SET status = $1, attempts = $2, next_attempt_at = $3, error = $4 WHERE position = $5",
        {sql_number(record.status), sql_number(record.attempts), sql(record.next_attempt_at), record.error,
         sql(record.position)});
  transaction.commit();
}

std::vector<Email> EmailRepository::due(Timestamp now, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select(*database_,
                "WHERE status = 0 AND next_attempt_at <= $1 ORDER BY next_attempt_at, position LIMIT $2",
                {sql(now), sql_number(limit)});
}

std::optional<Timestamp> EmailRepository::next_due(Timestamp now) const {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT next_attempt_at FROM emails WHERE status = 0 AND next_attempt_at > $1 "
      "ORDER BY next_attempt_at LIMIT 1",
      {sql(now)});
  if (found.rows.empty()) return std::nullopt;
  return found.rows.front().moment(0);
}

std::size_t EmailRepository::pending() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(database_->integer("SELECT COUNT(*) FROM emails WHERE status = 0"));
}

std::vector<Email> EmailRepository::given_up(std::size_t limit, std::optional<EmailStatus> status) const {
  const std::lock_guard lock(mutex_);
  if (!status)
    return select(*database_, "WHERE status <> 0 ORDER BY position DESC LIMIT $1", {sql_number(limit)});
  return select(*database_, "WHERE status = $1 ORDER BY position DESC LIMIT $2",
                {sql_number(*status), sql_number(limit)});
}

std::size_t EmailRepository::resend(const std::optional<domain::ChargeId>& charge, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const auto queued = database_->run(
      "UPDATE emails SET status = 0, attempts = 0, error = '', next_attempt_at = $1 "
      "WHERE status NOT IN (0, 4) AND charge = coalesce(nullif($2, ''), charge)",
      {sql(now), charge ? charge->text() : std::string()});
  transaction.commit();
  return queued.changed;
}

SandboxShare EmailRepository::take_sandbox_share(const domain::ProjectId& project,
                                                 const std::string& recipient, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  const std::int64_t day = now.millis() / kDayMs;
  database_->run("DELETE FROM sandbox_emails WHERE day NOT IN (0, $1)", {day});
  const auto used = [&](const std::string& whose) {
    return database_->integer(
        "SELECT coalesce(max(emails), 0) FROM sandbox_emails WHERE day = $1 AND whose = $2", {day, whose});
  };
  const auto count = [&](std::int64_t of_day, const std::string& whose) {
    database_->run(
        "INSERT INTO sandbox_emails (day, whose, emails) VALUES ($1, $2, 1) ON CONFLICT (day, whose) "
        "DO UPDATE SET emails = sandbox_emails.emails + 1",
        {of_day, whose});
  };
  const auto of_project = "project " + project.text();
  const auto to_recipient = "recipient " + recipient;
  auto share = SandboxShare::kLeft;
  if (used(of_project) >= kSandboxEmailsOfProject)
    share = SandboxShare::kUsedByProject;
  else if (used(to_recipient) >= kSandboxEmailsToRecipient)
    share = SandboxShare::kUsedByRecipient;
  if (share == SandboxShare::kLeft) {
    count(day, of_project);
    count(day, to_recipient);
  } else {
    count(0, "capped");
  }
  transaction.commit();
  return share;
}

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
