#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "eventstore/reading/log_cursor.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// Stored by number.
enum class EmailStatus : std::uint8_t {
  kPending = 0,
  kSent = 1,       // not stored: nothing is left to do
  kRefused = 2,    // the mail server rejected it permanently
  kExhausted = 3,  // every attempt of the schedule failed
  kWithdrawn = 4,  // the recipient's personal data has been erased
  kCapped = 5,     // a sandbox e-mail beyond the daily share of its project or recipient
};
std::string_view to_string(EmailStatus status);
std::optional<EmailStatus> parse_email_status(std::string_view text);

// Daily limits of the sandbox, so that it cannot be used to mail strangers from the operator's address.
constexpr unsigned kSandboxEmailsOfProject = 100;
constexpr unsigned kSandboxEmailsToRecipient = 10;
enum class SandboxShare { kLeft, kUsedByProject, kUsedByRecipient };

// The confirmation for an event. Recipient and text are not stored: every attempt builds them from the
// streams.
struct NewEmail {
  Position position;  // of the event; one e-mail each
  domain::ChargeId charge;
  domain::Environment environment;
  Timestamp recorded_at;  // of the event
};

struct Email {
  Position position;
  domain::ChargeId charge;
  domain::Environment environment;
  Timestamp recorded_at;
  EmailStatus status;
  unsigned attempts;          // attempts made
  Timestamp next_attempt_at;  // of a pending e-mail
  std::string error;          // of the last attempt; holds no personal data
};

// The result of an attempt.
struct EmailRecord {
  Position position;
  EmailStatus status;  // after the attempt
  unsigned attempts;
  Timestamp next_attempt_at;  // if it stays pending
  std::string error;
};

// E-mails to send, e-mails given up, and the log cursor. One SQLite file in WAL mode, or tables that machines
// share; owned by the e-mail worker.
//
// A killed process loses nothing. The file uses synchronous=FULL until begin_work(): what `resend` has
// queued, and the cursor from which a worker sends its first e-mail, survive a power loss. Then it uses
// NORMAL: a power loss may undo the last transactions. E-mails and cursor are lost together, and the e-mails
// are sent again under the same Message-ID.
//
// Thread-safe: one statement at a time. Throws the database's errors, and DataDamaged if a newer
// release wrote the file or a row is damaged.
class EmailRepository {
 public:
  // Creates a missing file; its directory must exist.
  explicit EmailRepository(const std::filesystem::path& file);
  // Opens an existing file for reading, even without write permission.
  static std::unique_ptr<EmailRepository> open_to_read(const std::filesystem::path& file);
  // The tables must be of this release.
  explicit EmailRepository(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}
  EmailRepository(const EmailRepository&) = delete;
  EmailRepository& operator=(const EmailRepository&) = delete;

  // Nullopt if no worker has started on this database.
  std::optional<eventstore::LogCursor> cursor() const;

  // For the worker, before it sends anything: stores the cursor, unless it is nullopt, and makes it durable.
  void begin_work(const std::optional<eventstore::LogCursor>& start);

  // Adds the e-mails of events up to the cursor, due immediately, and moves the cursor, in one transaction.
  // Existing e-mails stay unchanged.
  void add(const std::vector<NewEmail>& emails, const eventstore::LogCursor& cursor);

  void record(const EmailRecord& record);

  // Pending e-mails that are due, longest due first, at most `limit`.
  std::vector<Email> due(Timestamp now, std::size_t limit) const;
  // The next due time after `now`.
  std::optional<Timestamp> next_due(Timestamp now) const;
  std::size_t pending() const;
  // E-mails given up, newest first; optionally of one status.
  std::vector<Email> given_up(std::size_t limit, std::optional<EmailStatus> status = std::nullopt) const;

  // Makes e-mails that were given up due now with all attempts left, except withdrawn ones; optionally of one
  // charge. Returns how many.
  std::size_t resend(const std::optional<domain::ChargeId>& charge, Timestamp now);

  // Takes one e-mail from both shares for the day of `now` (UTC), or from neither. `recipient` is a pseudonym
  // of an address. Deletes earlier days.
  SandboxShare take_sandbox_share(const domain::ProjectId& project, const std::string& recipient,
                                  Timestamp now);

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

// The tables of the e-mails. Enumeration values never change.

// For SQLite: creates missing tables and migrates those of an older release. Throws std::runtime_error if a
// newer release made them.
void make_email_tables(SqlDatabase& database);

// Throws as above.
void refuse_newer_emails(SqlDatabase& database);

// For PostgreSQL, in their own schema, which is first in the search path; created with the ledger.
extern const char* const kSharedEmailTables;

}  // namespace pixledger::stores
