#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/event.h"
#include "domain/values/cuid.h"
#include "eventstore/lmdb/derived_checkpoints.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::projections {

// A charge that still waits although another charge of its session was paid: no payer should pay twice.
struct Superseded {
  domain::ChargeId charge;
  friend bool operator==(const Superseded&, const Superseded&) = default;
};
// A charge or session that has expired, or that must end now.
using Due = std::variant<domain::ChargeId, domain::CheckoutSessionId, Superseded>;

// Charges that wait for payment, and open checkout sessions, ordered by expiry. Derived data, rebuilt from
// the log. An LMDB environment with checkpoints (derived_checkpoints.h). One thread applies; reads are
// thread-safe.
class DueCharges {
 public:
  // Starts empty, with a cursor before the first event, if the existing data belongs to another log, has no
  // checkpoint or is damaged.
  DueCharges(const std::filesystem::path& directory, const eventstore::Log& log,
             eventstore::LmdbOptions options);
  // Makes a last checkpoint.
  ~DueCharges();
  DueCharges(const DueCharges&) = delete;
  DueCharges& operator=(const DueCharges&) = delete;

  eventstore::LogCursor cursor() const;

  // Applies the events and stores the cursor after them, in one transaction.
  void apply(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& cursor);

  // Returns superseded charges without a cancellation request, at most half of the limit. Then returns
  // charges and sessions that expire at `now` or before, earliest first.
  std::vector<Due> due(Timestamp now, std::size_t limit) const;
  std::optional<Timestamp> next_expiry() const;

 private:
  class Changes;
  struct Database;

  // Leaves database_ empty if the existing data is invalid or of another log.
  void open_at_checkpoint(const std::filesystem::path& directory, const eventstore::LmdbOptions& options);

  const eventstore::Log& log_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<eventstore::DerivedCheckpoints> checkpoints_;
};

}  // namespace pixledger::projections
