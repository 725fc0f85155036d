#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/event.h"
#include "domain/values/cuid.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::projections {

// A charge that waits for a payment which has come by another one of its session: nobody shall pay twice.
struct Superseded {
  domain::ChargeId charge;
  friend bool operator==(const Superseded&, const Superseded&) = default;
};
// Something that ends when its time is over, or now.
using Due = std::variant<domain::ChargeId, domain::CheckoutSessionId, Superseded>;

// Which charges wait for their payment, and which checkout sessions are open, ordered by expiry. Derived:
// what it says comes back by reading the log. An LMDB environment without fsync; a MARKER file says whether
// the last process closed it. One thread applies; reads are thread-safe.
class DueCharges {
 public:
  // Starts empty, with a cursor before the first event, when what is there belongs to another log, cannot be
  // trusted (see ViewMarker) or is damaged all the same.
  DueCharges(const std::filesystem::path& directory, const eventstore::Log& log,
             eventstore::LmdbOptions options);
  // Makes it durable.
  ~DueCharges();
  DueCharges(const DueCharges&) = delete;
  DueCharges& operator=(const DueCharges&) = delete;

  eventstore::LogCursor cursor() const;

  // What the events did to them, and the cursor after them, in one transaction.
  void apply(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& cursor);

  // What is superseded and nobody has asked to cancel yet, half of the limit at most; then those that expire
  // at this time or before, the first to expire first.
  std::vector<Due> due(Timestamp now, std::size_t limit) const;
  std::optional<Timestamp> next_expiry() const;

 private:
  class Changes;
  struct Database;

  // Leaves no database when what is there is none, or not one of this log.
  void open_trusted(const std::filesystem::path& directory, const eventstore::LmdbOptions& options);

  const eventstore::Log& log_;
  std::unique_ptr<Database> database_;
};

}  // namespace pixledger::projections
