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
  kSent = 1,       // not kept: there is nothing more to do
  kRefused = 2,    // the mail server said for good that it does not take it
  kExhausted = 3,  // every attempt of the schedule failed
  kWithdrawn = 4,  // the recipient's personal data has been erased
  kCapped = 5,     // of the sandbox, whose project or recipient had its share of the day
};
std::string_view to_string(EmailStatus status);
std::optional<EmailStatus> parse_email_status(std::string_view text);

// What the sandbox may send a day, so that nobody uses it to mail strangers from the operator's address.
constexpr unsigned kSandboxEmailsOfProject = 100;
constexpr unsigned kSandboxEmailsToRecipient = 10;
enum class SandboxShare { kLeft, kUsedByProject, kUsedByRecipient };

// The confirmation that an event asks for. Whom it goes to and what it says is not kept: it is made from the
// streams at every attempt.
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
  unsigned attempts;          // made so far
  Timestamp next_attempt_at;  // of a pending one
  std::string error;          // of the last attempt; holds no personal data
};

// What an attempt came to.
struct EmailRecord {
  Position position;
  EmailStatus status;  // from now on
  unsigned attempts;
  Timestamp next_attempt_at;  // when it stays pending
  std::string error;
};

// Which e-mails are still to be sent, which were given up, and how far the log has been read for them. One
// SQLite file in WAL mode, or tables that machines share; the e-mail worker owns them.
//
// In the file, synchronous=NORMAL: a killed process loses nothing, a power loss may lose the last
// transactions. E-mails and cursor are lost together then, and those e-mails are sent again under the same
// Message-ID.
//
// Thread-safe: one statement at a time. Throws what the database does, and WorkerDatabaseDamaged when a newer
// release wrote the file or a row is damaged.
class EmailRepository {
 public:
  // Makes the file where there is none; its directory must be there.
  explicit EmailRepository(const std::filesystem::path& file);
  // To read a file that is there, also where this process may not write.
  static std::unique_ptr<EmailRepository> open_to_read(const std::filesystem::path& file);
  // Of tables that are this release's.
  explicit EmailRepository(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}
  EmailRepository(const EmailRepository&) = delete;
  EmailRepository& operator=(const EmailRepository&) = delete;

  // nullopt: no worker has started on this database yet.
  std::optional<eventstore::LogCursor> cursor() const;

  // Adds what the events up to the cursor ask for, due at once, and moves the cursor, in one transaction. One
  // that is there already stays as it is.
  void add(const std::vector<NewEmail>& emails, const eventstore::LogCursor& cursor);

  void record(const EmailRecord& record);

  // Pending e-mails that are due, the longest due first, at most `limit`.
  std::vector<Email> due(Timestamp now, std::size_t limit) const;
  // When the next one becomes due after `now`.
  std::optional<Timestamp> next_due(Timestamp now) const;
  std::size_t pending() const;
  // What will not be sent, newest first; of one status, if that is given.
  std::vector<Email> given_up(std::size_t limit, std::optional<EmailStatus> status = std::nullopt) const;

  // Makes what was given up due now, as if no attempt had been made, but for what was withdrawn; of one
  // charge, if that is given. Returns how many.
  std::size_t resend(const std::optional<domain::ChargeId>& charge, Timestamp now);

  // Takes one e-mail off what is left of both shares on the day of `now` (UTC), or off neither. `recipient`
  // names an address without telling it. Earlier days are forgotten.
  SandboxShare take_sandbox_share(const domain::ProjectId& project, const std::string& recipient,
                                  Timestamp now);

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

// The tables of the e-mails. The numbers of enumerations never change.

// In SQLite: makes the tables where there are none, and brings those of an older release up to date. Throws
// std::runtime_error when a newer release made them.
void make_email_tables(SqlDatabase& database);

// Throws as above.
void refuse_newer_emails(SqlDatabase& database);

// In PostgreSQL, in a schema of their own that is the first in the search path; made with the ledger.
extern const char* const kSharedEmailTables;

}  // namespace pixledger::stores
