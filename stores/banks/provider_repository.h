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

namespace Poco::Data {
class Session;
}  // namespace Poco::Data

namespace pixledger::stores {

inline constexpr const char* kProvidersFile = "providers.db";  // in the worker's directory
inline constexpr int kProvidersSchemaVersion = 4;              // of its tables

// What is to be asked of a bank. Stored by number, in the order in which they go.
enum class BankWorkKind : std::uint8_t {
  kMakeCode = 1,    // a charge awaits its code
  kTakeBack = 2,    // a cancellation was asked for: the bank's word decides
  kRefund = 3,      // money is to go back
  kRemoveCode = 4,  // nobody is to pay with it any more; as well as can be
  kSendBack = 5,    // a payment that paid nothing is to go back
};

struct BankWorkId {
  BankWorkKind kind;
  domain::StreamName about;  // a charge's, or that of a payment that fitted none
  std::string refund{};      // the devolução's id, where there is one
};

struct BankWork {
  BankWorkId id;
  domain::ConnectionId connection;
  Timestamp since;  // when its event was recorded
  Timestamp due_at;
  unsigned attempts;  // made so far
  // When what it asks for left last, as far as no word of what became of that has come; nullopt: it is not
  // known that anything did.
  std::optional<Timestamp> sent_at{};
  // Why the bank has refused it: it is not sent again, but read. Empty: it has not.
  std::string refusal{};
};

// What events do to the work, in their order.
struct WorkBegun {
  BankWorkId id;
  domain::ConnectionId connection;
  Timestamp since;
};
struct WorkEnded {
  BankWorkId id;
};
// A connection to a bank, whose account is to be looked at.
struct BankNoted {
  domain::ConnectionId connection;
  domain::ProjectId project;
  Timestamp since;
};
// How its bank is spoken to may have changed: what was put off may succeed now.
struct WorkHastened {
  domain::ConnectionId connection;
};
// A charge of the connection's that may be paid, and one that no longer waits, of whichever connection.
struct ChargeWaits {
  domain::ChargeId charge;
  domain::ConnectionId connection;
};
struct ChargeClosed {
  domain::ChargeId charge;
};
// It was decided which code a charge has: "dynamic", "static" or "none".
struct CodeDecided {
  domain::ConnectionId connection;
  std::string_view kind;
};
using BankChange =
    std::variant<WorkBegun, WorkEnded, BankNoted, WorkHastened, ChargeWaits, ChargeClosed, CodeDecided>;

// Why a payment is to be read at its bank. Stored by number.
enum class ReadReason : std::uint8_t {
  kCalledBack = 1,  // the bank has called back, which proves nothing
  kInFuture = 2,    // it claims a time at which it may not be recorded yet
  kRefused = 3,     // what the bank shows of it was not taken, or may be another's
};

struct PaymentToRead {
  domain::ConnectionId connection;
  domain::EndToEndId id;
  ReadReason reason;
  Timestamp since;
  Timestamp due_at;
  unsigned attempts;   // made so far
  std::uint64_t told;  // how often the bank has told of it
};

// Something that is counted of a connection, by up to two labels.
enum class BankCounter : std::uint8_t {
  kRequests = 1,   // operation, outcome
  kDuration = 2,   // the upper bound of its bucket in milliseconds, "more" beyond all; the sum under "sum"
  kCodes = 3,      // kind
  kCallbacks = 4,  // result
  kMisfits = 5,    // kind
  kLeftAside = 6,  // why
};
inline constexpr std::array<std::int64_t, 8> kDurationBoundsMs{50,    100,   250,   500,
                                                               1'000, 2'500, 5'000, 10'000};
struct BankCount {
  std::string connection;  // an id, or "none": nobody's
  BankCounter counter;
  std::string first{};
  std::string second{};
  std::int64_t value = 0;
};

struct NotedBank {
  domain::ConnectionId connection;
  domain::ProjectId project;
};

// How long a window of an account a bank is asked about at most, and since when that is known.
struct BankWindow {
  std::int64_t length_ms = 0;
  Timestamp since;
};

// Something that is so with what an account shows, and not with one payment alone.
struct AccountMisfit {
  std::string connection;
  std::string kind;           // as in BankCounter::kMisfits: "no_txid"
  std::int64_t payments = 0;  // that were seen with it
  std::int64_t found = 0;     // of these: what was missing was found elsewhere
  Timestamp at;               // last
  std::string detail{};  // of the last that has one: which field it is; of "no_txid": which charge is paid

  // It is told for thirty days after it was seen last.
  bool is_told(Timestamp now) const {
    constexpr std::int64_t kToldMs = 30 * 86'400'000LL;
    return now.millis() - at.millis() < kToldMs;
  }
};

// A look at an account that is made again and again: so often, and so far back.
struct AccountLook {
  std::int64_t every_ms = 0;
  std::int64_t back_ms = 0;
};

// What is open at the banks, how far their accounts were looked at, how far the log has been read for that,
// and what is counted of it all. One SQLite file in WAL mode that the providers' worker owns. All of it is
// derived: without the file the work comes back from the log, and accounts are looked at from a week ago on.
//
// Thread-safe: one statement at a time. What an older release wrote in another form is made anew. Throws
// Poco::Exception when SQLite fails, WorkerDatabaseDamaged when a newer release wrote the file or a row is
// damaged.
class ProviderRepository {
 public:
  // Makes the file where there is none; its directory must be there.
  explicit ProviderRepository(const std::filesystem::path& file);
  ~ProviderRepository();
  ProviderRepository(const ProviderRepository&) = delete;
  ProviderRepository& operator=(const ProviderRepository&) = delete;

  // nullopt: no worker has started on this database yet.
  std::optional<eventstore::LogCursor> cursor() const;
  // What the events up to the cursor change, and the cursor, in one transaction.
  void apply(const std::vector<BankChange>& changes, const eventstore::LogCursor& cursor);
  // Forgets what came from another log, or from events that this one has lost: the work and all that waits,
  // the connections, and with them how far their accounts were looked at. Requests and callbacks stay
  // counted.
  void begin_anew(const eventstore::LogCursor& cursor);

  // Work that no event begins; none where it has begun already.
  void begin(const WorkBegun& work);
  // What is due, of each connection at most `of_connection_max`, the most urgent kind first, then the oldest.
  std::vector<BankWork> due(Timestamp now, std::size_t of_connection_max) const;
  std::optional<Timestamp> next_due(Timestamp after) const;
  // All of it is due, however long it was put off.
  void make_all_due();
  // Both leave alone what has begun anew meanwhile.
  void postpone(const BankWork& work, Timestamp due_at);
  // Whatever it came to that is in no event.
  void drop(const BankWork& work);
  // See BankWork::sent_at; before it leaves. Stays when the work is put off.
  void note_sent(const BankWork& work, std::optional<Timestamp> at);
  // See BankWork::refusal.
  void note_refused(const BankWork& work, const std::string& refusal);

  std::vector<NotedBank> banks() const;
  // Up to when all payments to the connection's account are in the ledger; nullopt: it was never looked at.
  std::optional<Timestamp> looked_up_to(const domain::ConnectionId& connection) const;
  void note_looked(const domain::ConnectionId& connection, Timestamp up_to);

  // --- how accounts are looked at ---

  // nullopt: any length is taken, as far as is known.
  std::optional<BankWindow> window(const domain::ConnectionId& connection) const;
  void note_window(const domain::ConnectionId& connection, const BankWindow& window);
  // Of looks at accounts no others are made any more.
  void keep_looks(const std::vector<AccountLook>& looks);
  // Such a look begins; the first tells since when there is such a look.
  void begin_look(const domain::ConnectionId& connection, const AccountLook& look, Timestamp at);
  // It has shown all, or has not, and why.
  void end_look(const domain::ConnectionId& connection, const AccountLook& look,
                const std::optional<std::string>& fault, Timestamp at);
  // Its bank writes times of payments so much too early.
  void note_early(const domain::ConnectionId& connection, std::int64_t early_ms, Timestamp at);
  // By how much it does at most; 0: it never did.
  std::int64_t early_ms(const domain::ConnectionId& connection) const;
  // Adds to what is known of the misfit; `at` and `detail` take the place of the former.
  void note_misfit(const AccountMisfit& misfit);
  // It is so no more.
  void end_misfit(const domain::ConnectionId& connection, std::string_view kind);
  // A payment from before the connection is there. Whether that is news, of the first kOldPaymentsMax.
  static constexpr std::size_t kOldPaymentsMax = 10'000;
  bool note_old_payment(const domain::ConnectionId& connection, const domain::EndToEndId& id);

  // Of the connection's charges that wait for their payment the newest.
  std::vector<domain::ChargeId> waiting_charges(const domain::ConnectionId& connection,
                                                std::size_t limit) const;

  // --- payments to be read ---

  // Of one connection; beyond that nothing of it is kept, so that it takes no other's room.
  static constexpr std::size_t kPaymentsMax = 10'000;
  // How many of them are new; nullopt: there is no room, and none was kept. What is kept stays as it is, but
  // is read anew where the bank calls back about it again: who is reading it may have been shown what was.
  std::optional<std::size_t> keep_payments(const domain::ConnectionId& connection,
                                           const std::vector<domain::EndToEndId>& ids, ReadReason reason,
                                           Timestamp since, Timestamp due_at);
  // What is due, of each connection at most `of_connection_max`, what has waited longest first.
  std::vector<PaymentToRead> payments_due(Timestamp now, std::size_t of_connection_max) const;
  // Tried once more; from now on for this reason. Both leave alone what the bank has told of again meanwhile.
  void postpone(const PaymentToRead& payment, ReadReason reason, Timestamp due_at);
  void drop(const PaymentToRead& payment);

  // --- what is known of a connection ---

  void note_called_back(const domain::ConnectionId& connection, Timestamp at);
  // Nothing waits: no charge for its payment, no work, no payment to be read; and the bank has called back
  // since then.
  bool is_quiet(const domain::ConnectionId& connection, Timestamp called_back_since) const;
  // The bank's clock against ours.
  void note_clock(const domain::ConnectionId& connection, std::int64_t ahead_ms);
  // When the client's certificate ends; nullopt: it has none.
  void note_certificate(const domain::ConnectionId& connection, std::optional<Timestamp> ends_at);
  // In one transaction.
  void add(const std::vector<BankCount>& counts);

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<Poco::Data::Session> session_;
};

// The connections whose banks are left alone for now, in a file beside the lock of the worker that says so:
// nobody is to wait for them. Without that worker it is worth nothing.

inline constexpr const char* kOpenBreakersFile = "open-breakers";

// Whoever reads meanwhile finds what was there before, or this. Not durable: it is of one run of the worker.
// Throws std::system_error.
void write_open_breakers(const std::filesystem::path& directory, const std::set<std::string>& connections);

// Empty where there is no such file. Throws std::system_error when it cannot be read.
std::set<std::string> read_open_breakers(const std::filesystem::path& directory);

}  // namespace pixledger::stores
