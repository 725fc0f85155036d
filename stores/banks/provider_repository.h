#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cuid.h"
#include "domain/values/stream_name.h"
#include "eventstore/reading/log_cursor.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

inline constexpr const char* kProvidersFile = "providers.db";  // in the worker's directory
inline constexpr int kProvidersSchemaVersion = 4;              // of its tables

// Requests to a bank. Stored by number, in order of priority.
enum class BankWorkKind : std::uint8_t {
  kMakeCode = 1,    // a charge waits for its code
  kTakeBack = 2,    // a cancellation was requested; the bank decides
  kRefund = 3,      // return money
  kRemoveCode = 4,  // prevent further payment with the code; best effort
  kSendBack = 5,    // return a payment that paid nothing
};

struct BankWorkId {
  BankWorkKind kind;
  domain::StreamName about;  // stream of a charge, or of a payment that matches none
  std::string refund{};      // the devolução's id, if any
};

struct BankWork {
  BankWorkId id;
  domain::ConnectionId connection;
  Timestamp since;  // when its event was recorded
  Timestamp due_at;
  unsigned attempts;  // attempts made
  // When the request was last sent, if its result is still unknown; nullopt: nothing is known to have been
  // sent.
  std::optional<Timestamp> sent_at{};
  // Why the bank rejected it: then it is only queried, not sent again. Empty: not rejected.
  std::string refusal{};
};

// Changes that events make to the work, in order.
struct WorkBegun {
  BankWorkId id;
  domain::ConnectionId connection;
  Timestamp since;
};
struct WorkEnded {
  BankWorkId id;
};
// A bank connection whose account is to be queried.
struct BankNoted {
  domain::ConnectionId connection;
  domain::ProjectId project;
  Timestamp since;
};
// The bank's settings may have changed: postponed work may succeed now.
struct WorkHastened {
  domain::ConnectionId connection;
};
// A charge of the connection that may be paid, and one of any connection that no longer waits.
struct ChargeWaits {
  domain::ChargeId charge;
  domain::ConnectionId connection;
};
struct ChargeClosed {
  domain::ChargeId charge;
};
// The kind of a charge's code was decided: "dynamic", "static" or "none".
struct CodeDecided {
  domain::ConnectionId connection;
  std::string_view kind;
};
using BankChange =
    std::variant<WorkBegun, WorkEnded, BankNoted, WorkHastened, ChargeWaits, ChargeClosed, CodeDecided>;

// Why a payment must be read from its bank. Stored by number.
enum class ReadReason : std::uint8_t {
  kCalledBack = 1,  // the bank called back, which proves nothing
  kInFuture = 2,    // its time is in the future, so it may not be recorded yet
  kRefused = 3,     // the bank's data of it was rejected, or may be of another payment
};

struct PaymentToRead {
  domain::ConnectionId connection;
  domain::EndToEndId id;
  ReadReason reason;
  Timestamp since;
  Timestamp due_at;
  unsigned attempts;   // attempts made
  std::uint64_t told;  // number of the bank's notifications about it
};

// A counter of a connection, with up to two labels.
enum class BankCounter : std::uint8_t {
  kRequests = 1,   // operation, outcome
  kDuration = 2,   // upper bound of its bucket in milliseconds, "more" beyond all; the sum under "sum"
  kCodes = 3,      // kind
  kCallbacks = 4,  // result
  kMisfits = 5,    // kind
  kLeftAside = 6,  // reason
};
inline constexpr std::array<std::int64_t, 8> kDurationBoundsMs{50,    100,   250,   500,
                                                               1'000, 2'500, 5'000, 10'000};
struct BankCount {
  std::string connection;  // an id, or "none": no connection
  BankCounter counter;
  std::string first{};
  std::string second{};
  std::int64_t value = 0;
};

struct NotedBank {
  domain::ConnectionId connection;
  domain::ProjectId project;
};

// The longest period of an account that a bank accepts in one query, and since when that is known.
struct BankWindow {
  std::int64_t length_ms = 0;
  Timestamp since;
};

// A systematic defect of an account's data, not of a single payment.
struct AccountMisfit {
  std::string connection;
  std::string kind;           // as in BankCounter::kMisfits: "no_txid"
  std::int64_t payments = 0;  // payments seen with it
  std::int64_t found = 0;     // of these: the missing data was found elsewhere
  Timestamp at;               // last
  // Of the last one that has it: the affected field, payment or window; for "no_txid", the paid charge.
  std::string detail{};
};

// A periodic query of an account: its interval, and how far back it reads.
struct AccountLook {
  std::int64_t every_ms = 0;
  std::int64_t back_ms = 0;
};

// Open requests to banks, account positions, the log cursor and counters. One SQLite file in WAL mode, owned
// by the providers' worker. Derived data: without the file, the work is rebuilt from the log and accounts are
// queried from a week ago.
//
// So it uses synchronous=NORMAL: a power loss may undo the last transactions, and with the first ones the
// whole file. No bank does anything twice then. All that is sent carries an id from an event, which the log
// had synced before the worker read it: a charge's txid, a devolução's id. What is sent again carries the
// same id, after the bank was asked for it. Payments of a lost callback are found by the queries of the
// account, whose position is lost, too.
//
// Thread-safe: one statement at a time. Data in an older release's format is rebuilt. Throws SqlDatabase's
// errors, and DataDamaged if a newer release wrote the file or a row is damaged.
class ProviderRepository {
 public:
  // Creates a missing file; its directory must exist.
  explicit ProviderRepository(const std::filesystem::path& file);

  // Nullopt if no worker has started on this database.
  std::optional<eventstore::LogCursor> cursor() const;
  // Applies the changes of events up to the cursor and stores the cursor, in one transaction.
  void apply(const std::vector<BankChange>& changes, const eventstore::LogCursor& cursor);
  // Deletes data of another log, or of events that this log has lost: work, waiting charges and payments,
  // connections and their account positions. Keeps the counts of requests and callbacks.
  void begin_anew(const eventstore::LogCursor& cursor);

  // Adds work without an event; does nothing if it exists already.
  void begin(const WorkBegun& work);
  // Due work, at most `of_connection_max` per connection: most urgent kind first, then oldest first.
  std::vector<BankWork> due(Timestamp now, std::size_t of_connection_max) const;
  std::optional<Timestamp> next_due(Timestamp after) const;
  // Makes all work due, however long it was postponed.
  void make_all_due();
  // Both ignore work that was restarted meanwhile.
  void postpone(const BankWork& work, Timestamp due_at);
  // For outcomes that no event records.
  void drop(const BankWork& work);
  // See BankWork::sent_at; call it before sending. Postponing keeps it.
  void note_sent(const BankWork& work, std::optional<Timestamp> at);
  // See BankWork::refusal.
  void note_refused(const BankWork& work, const std::string& refusal);

  std::vector<NotedBank> banks() const;
  // All payments to the connection's account up to this time are in the ledger; nullopt: it was never
  // queried.
  std::optional<Timestamp> looked_up_to(const domain::ConnectionId& connection) const;
  void note_looked(const domain::ConnectionId& connection, Timestamp up_to);

  // --- account queries ---

  // Nullopt: any length is accepted, as far as known.
  std::optional<BankWindow> window(const domain::ConnectionId& connection) const;
  void note_window(const domain::ConnectionId& connection, const BankWindow& window);
  // Deletes all other queries.
  void keep_looks(const std::vector<AccountLook>& looks);
  // Records the start of a query; the first call also records since when the query exists.
  void begin_look(const domain::ConnectionId& connection, const AccountLook& look, Timestamp at);
  // Records a complete result, or the reason of a failure.
  void end_look(const domain::ConnectionId& connection, const AccountLook& look,
                const std::optional<std::string>& fault, Timestamp at);
  // Records that the bank's payment times are this much too early.
  void note_early(const domain::ConnectionId& connection, std::int64_t early_ms, Timestamp at);
  // The largest such deviation; 0: none seen.
  std::int64_t early_ms(const domain::ConnectionId& connection) const;
  // Adds to the misfit's counts; `at` and `detail` are replaced.
  void note_misfit(const AccountMisfit& misfit);
  // The misfit no longer occurs.
  void end_misfit(const domain::ConnectionId& connection, std::string_view kind);
  // Records a payment from before the connection. Returns whether it is new, for the first kOldPaymentsMax.
  static constexpr std::size_t kOldPaymentsMax = 10'000;
  bool note_old_payment(const domain::ConnectionId& connection, const domain::EndToEndId& id);

  // The newest of the connection's charges that wait for payment.
  std::vector<domain::ChargeId> waiting_charges(const domain::ConnectionId& connection,
                                                std::size_t limit) const;

  // --- payments to read ---

  // Per connection; more are dropped, so that one connection cannot use up others' space.
  static constexpr std::size_t kPaymentsMax = 10'000;
  // Returns how many are new; nullopt: no space, and none was stored. Stored payments stay unchanged, but are
  // read again if the bank calls back again: a read in progress may have seen the older state.
  std::optional<std::size_t> keep_payments(const domain::ConnectionId& connection,
                                           const std::vector<domain::EndToEndId>& ids, ReadReason reason,
                                           Timestamp since, Timestamp due_at);
  // Due payments, at most `of_connection_max` per connection, longest waiting first.
  std::vector<PaymentToRead> payments_due(Timestamp now, std::size_t of_connection_max) const;
  // Counts an attempt; `reason` replaces the former one. Both ignore payments about which the bank has called
  // back again meanwhile.
  void postpone(const PaymentToRead& payment, ReadReason reason, Timestamp due_at);
  void drop(const PaymentToRead& payment);

  // --- state of a connection ---

  void note_called_back(const domain::ConnectionId& connection, Timestamp at);
  // True if no charge waits for payment, there is no work and no payment to read, and the bank has called
  // back since then.
  bool is_quiet(const domain::ConnectionId& connection, Timestamp called_back_since) const;
  // The bank's clock minus ours.
  void note_clock(const domain::ConnectionId& connection, std::int64_t ahead_ms);
  // End of the client certificate's validity; nullopt: no certificate.
  void note_certificate(const domain::ConnectionId& connection, std::optional<Timestamp> ends_at);
  // In one transaction.
  void add(const std::vector<BankCount>& counts);

 private:
  // Runs one statement outside a transaction.
  SqlResult run(const std::string& statement, const SqlValues& values = {}) const;

  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

// Connections whose circuit breaker is open, so that callers need not wait for their banks. A file beside the
// lock of the worker that writes it; stale if that worker is not running.

inline constexpr const char* kOpenBreakersFile = "open-breakers";

// Atomic for readers. Not durable: it is valid for one run of the worker. Throws std::system_error.
void write_open_breakers(const std::filesystem::path& directory, const std::set<std::string>& connections);

// Empty if the file is missing. Throws std::system_error if it cannot be read.
std::set<std::string> read_open_breakers(const std::filesystem::path& directory);

}  // namespace pixledger::stores
