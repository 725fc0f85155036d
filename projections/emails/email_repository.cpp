#include "projections/emails/email_repository.h"

#include <Poco/Data/Statement.h>
#include <Poco/Data/Transaction.h>
#include <array>
#include <stdexcept>

#include "domain/values/day.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/damage.h"
#include "projections/storage/sqlite_session.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

constexpr int kSchemaVersion = 2;

constexpr std::array<const char*, 3> kSchema{
    "CREATE TABLE emails (position INTEGER PRIMARY KEY, charge TEXT NOT NULL, environment INTEGER NOT NULL, "
    "recorded_at INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL, "
    "next_attempt_at INTEGER NOT NULL, error TEXT NOT NULL)",
    "CREATE INDEX emails_due ON emails (next_attempt_at) WHERE status = 0", kMakeCursorTable};

// What of the sandbox has gone out: `day` since 1970 and whose share; day 0 has how many were capped, ever.
constexpr std::array<const char*, 2> kSandboxSchema{
    "CREATE TABLE sandbox_emails (day INTEGER NOT NULL, whose TEXT NOT NULL, emails INTEGER NOT NULL, "
    "PRIMARY KEY (day, whose)) WITHOUT ROWID",
    "INSERT INTO sandbox_emails VALUES (0, 'capped', 0)"};

Integer version_of(Poco::Data::Session& session) {
  Integer version = 0;
  session << "PRAGMA user_version", into(version), now;
  if (version > kSchemaVersion) throw std::runtime_error("a newer release wrote the e-mails' database");
  return version;
}

void make_tables(Poco::Data::Session& session) {
  const auto version = version_of(session);
  if (version == kSchemaVersion) return;
  Poco::Data::Transaction transaction(session);
  if (version == 0) {
    for (const char* statement : kSchema) session << statement, now;
  }
  for (const char* statement : kSandboxSchema) session << statement, now;
  session << "PRAGMA user_version = " + std::to_string(kSchemaVersion), now;
  transaction.commit();
}

Integer number_of(domain::Position position) { return static_cast<Integer>(position.value()); }

// What a SELECT fills, column by column.
struct Columns {
  std::vector<Integer> position, environment, recorded_at, status, attempts, next_attempt_at;
  std::vector<std::string> charge, error;

  Email row(std::size_t i) const {
    auto id = domain::ChargeId::parse(charge[i]);
    if (!id) throw WorkerDatabaseDamaged("a row of the e-mails is damaged");
    return {domain::Position(static_cast<std::uint64_t>(position[i])),
            *std::move(id),
            static_cast<domain::Environment>(environment[i]),
            domain::Timestamp(recorded_at[i]),
            static_cast<EmailStatus>(status[i]),
            static_cast<unsigned>(attempts[i]),
            domain::Timestamp(next_attempt_at[i]),
            error[i]};
  }
};

// `tail` follows "FROM emails" and has these parameters.
std::vector<Email> select(Poco::Data::Session& session, const char* tail, std::vector<Integer> parameters) {
  Columns columns;
  Poco::Data::Statement statement(session);
  statement << "SELECT position, charge, environment, recorded_at, status, attempts, next_attempt_at, error "
               "FROM emails "
            << tail,
      into(columns.position), into(columns.charge), into(columns.environment), into(columns.recorded_at),
      into(columns.status), into(columns.attempts), into(columns.next_attempt_at), into(columns.error);
  for (auto& parameter : parameters) statement, use(parameter);
  statement.execute();
  std::vector<Email> emails;
  for (std::size_t i = 0; i < columns.position.size(); ++i) emails.push_back(columns.row(i));
  return emails;
}

}  // namespace

std::string_view to_string(EmailStatus status) {
  switch (status) {
    case EmailStatus::kPending:
      return "pending";
    case EmailStatus::kSent:
      return "sent";
    case EmailStatus::kRefused:
      return "refused";
    case EmailStatus::kExhausted:
      return "exhausted";
    case EmailStatus::kWithdrawn:
      return "withdrawn";
    case EmailStatus::kCapped:
      return "capped";
  }
  return "unknown";
}

std::optional<EmailStatus> parse_email_status(std::string_view text) {
  for (const auto status : {EmailStatus::kPending, EmailStatus::kSent, EmailStatus::kRefused,
                            EmailStatus::kExhausted, EmailStatus::kWithdrawn, EmailStatus::kCapped}) {
    if (to_string(status) == text) return status;
  }
  return std::nullopt;
}

EmailRepository::EmailRepository(const std::filesystem::path& file)
    : session_(std::make_unique<Poco::Data::Session>(open_sqlite(file, "rwc"))) {
  std::string mode;
  *session_ << "PRAGMA journal_mode = WAL", into(mode), now;
  *session_ << "PRAGMA synchronous = NORMAL", now;
  make_tables(*session_);
}

EmailRepository::EmailRepository(std::unique_ptr<Poco::Data::Session> session)
    : session_(std::move(session)) {}

EmailRepository::~EmailRepository() = default;

std::unique_ptr<EmailRepository> EmailRepository::open_to_read(const std::filesystem::path& file) {
  auto session = std::make_unique<Poco::Data::Session>(open_sqlite_to_read(file));
  version_of(*session);
  return std::unique_ptr<EmailRepository>(new EmailRepository(std::move(session)));
}

std::optional<LogCursor> EmailRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*session_);
}

void EmailRepository::add(const std::vector<NewEmail>& emails, const LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  for (const auto& email : emails) {
    *session_ << "INSERT OR IGNORE INTO emails VALUES (?, ?, ?, ?, 0, 0, ?, '')",
        bind(number_of(email.position)), bind(email.charge.text()),
        bind(static_cast<Integer>(email.environment)), bind(Integer{email.recorded_at.millis()}),
        bind(Integer{email.recorded_at.millis()}), now;
  }
  save_cursor(*session_, cursor);
  transaction.commit();
}

void EmailRepository::record(const EmailRecord& record) {
  const std::lock_guard lock(mutex_);
  if (record.status == EmailStatus::kSent) {
    *session_ << "DELETE FROM emails WHERE position = ?", bind(number_of(record.position)), now;
    return;
  }
  *session_
      << "UPDATE emails SET status = ?, attempts = ?, next_attempt_at = ?, error = ? WHERE position = ?",
      bind(static_cast<Integer>(record.status)), bind(static_cast<Integer>(record.attempts)),
      bind(Integer{record.next_attempt_at.millis()}), bind(record.error), bind(number_of(record.position)),
      now;
}

std::vector<Email> EmailRepository::due(domain::Timestamp moment, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select(*session_,
                "WHERE status = 0 AND next_attempt_at <= ? ORDER BY next_attempt_at, position LIMIT ?",
                {moment.millis(), static_cast<Integer>(limit)});
}

std::optional<domain::Timestamp> EmailRepository::next_due(domain::Timestamp after) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> next;
  *session_ << "SELECT next_attempt_at FROM emails WHERE status = 0 AND next_attempt_at > ? "
               "ORDER BY next_attempt_at LIMIT 1",
      into(next), bind(Integer{after.millis()}), now;
  if (next.empty()) return std::nullopt;
  return domain::Timestamp(next.front());
}

std::size_t EmailRepository::pending() const {
  const std::lock_guard lock(mutex_);
  Integer count = 0;
  *session_ << "SELECT COUNT(*) FROM emails WHERE status = 0", into(count), now;
  return static_cast<std::size_t>(count);
}

std::vector<Email> EmailRepository::given_up(std::size_t limit, std::optional<EmailStatus> status) const {
  const std::lock_guard lock(mutex_);
  if (!status)
    return select(*session_, "WHERE status <> 0 ORDER BY position DESC LIMIT ?",
                  {static_cast<Integer>(limit)});
  return select(*session_, "WHERE status = ? ORDER BY position DESC LIMIT ?",
                {static_cast<Integer>(*status), static_cast<Integer>(limit)});
}

std::size_t EmailRepository::resend(const std::optional<domain::ChargeId>& charge, domain::Timestamp moment) {
  const std::lock_guard lock(mutex_);
  const auto wanted = charge ? charge->text() : std::string();
  Integer count = 0;
  Poco::Data::Transaction transaction(*session_);
  *session_ << "UPDATE emails SET status = 0, attempts = 0, error = '', next_attempt_at = ? "
               "WHERE status NOT IN (0, 4) AND charge = coalesce(nullif(?, ''), charge)",
      bind(Integer{moment.millis()}), bind(wanted), now;
  *session_ << "SELECT changes()", into(count), now;
  transaction.commit();
  return static_cast<std::size_t>(count);
}

SandboxShare EmailRepository::take_sandbox_share(const domain::ProjectId& project,
                                                 const std::string& recipient, domain::Timestamp moment) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  const Integer day = moment.millis() / domain::kDayMs;
  *session_ << "DELETE FROM sandbox_emails WHERE day NOT IN (0, ?)", bind(day), now;
  const auto used = [&](const std::string& whose) {
    Integer emails = 0;
    *session_ << "SELECT coalesce(max(emails), 0) FROM sandbox_emails WHERE day = ? AND whose = ?",
        into(emails), bind(day), bind(whose), now;
    return emails;
  };
  const auto count = [&](Integer of_day, const std::string& whose) {
    *session_ << "INSERT INTO sandbox_emails VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET emails = emails + 1",
        bind(of_day), bind(whose), now;
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

}  // namespace pixledger::projections
