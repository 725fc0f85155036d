#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/values/alnum_text.h"
#include "domain/values/cuid.h"
#include "domain/values/stream_name.h"
#include "domain/values/timestamp.h"
#include "projections/storage/log_cursor.h"

namespace Poco::Data {
class Session;
}  // namespace Poco::Data

namespace pixledger::projections {

inline constexpr const char* kProvidersFile = "providers.db";  // in the worker's directory

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
  domain::Timestamp since;  // when its event was recorded
  domain::Timestamp due_at;
  unsigned attempts;  // made so far
};

// What events do to the work, in their order.
struct WorkBegun {
  BankWorkId id;
  domain::ConnectionId connection;
  domain::Timestamp since;
};
struct WorkEnded {
  BankWorkId id;
};
// A connection to a bank, whose account is to be looked at.
struct BankNoted {
  domain::ConnectionId connection;
  domain::ProjectId project;
};
using BankChange = std::variant<WorkBegun, WorkEnded, BankNoted>;

struct NotedBank {
  domain::ConnectionId connection;
  domain::ProjectId project;
};

// What is open at the banks, how far their accounts were looked at, and how far the log has been read for
// that. One SQLite file in WAL mode that the providers' worker owns. All of it is derived: without the file
// the work comes back from the log, and accounts are looked at from a week ago on.
//
// Thread-safe: one statement at a time. Throws Poco::Exception when SQLite fails, WorkerDatabaseDamaged when
// a newer release wrote the file or a row is damaged.
class ProviderRepository {
 public:
  // Makes the file where there is none; its directory must be there.
  explicit ProviderRepository(const std::filesystem::path& file);
  ~ProviderRepository();
  ProviderRepository(const ProviderRepository&) = delete;
  ProviderRepository& operator=(const ProviderRepository&) = delete;

  // nullopt: no worker has started on this database yet.
  std::optional<LogCursor> cursor() const;
  // What the events up to the cursor change, and the cursor, in one transaction.
  void apply(const std::vector<BankChange>& changes, const LogCursor& cursor);

  // What is due, of each connection at most `of_connection_max`, the most urgent kind first, then the oldest.
  std::vector<BankWork> due(domain::Timestamp now, std::size_t of_connection_max) const;
  std::optional<domain::Timestamp> next_due(domain::Timestamp after) const;
  // Both leave alone what has begun anew meanwhile.
  void postpone(const BankWork& work, domain::Timestamp due_at);
  // Whatever it came to that is in no event.
  void drop(const BankWork& work);

  std::vector<NotedBank> banks() const;
  // Up to when all payments to the connection's account are in the ledger; nullopt: it was never looked at.
  std::optional<domain::Timestamp> looked_up_to(const domain::ConnectionId& connection) const;
  void note_looked(const domain::ConnectionId& connection, domain::Timestamp up_to);

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<Poco::Data::Session> session_;
};

}  // namespace pixledger::projections
