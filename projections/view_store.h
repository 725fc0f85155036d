#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "domain/charge.h"
#include "domain/customer.h"
#include "domain/event.h"
#include "eventstore/lmdb_environment.h"
#include "eventstore/log.h"

namespace pixledger::projections {

// How far a read model has come, and in which log.
struct ViewCursor {
  domain::Position position;
  eventstore::Digest leaf_hash{};  // of the event at that position; zeros before the first
};

// One generation of the read models: the transaction view and the customer view, in an LMDB environment that
// is never fsynced while it runs. Reads are thread-safe; one thread applies.
class ViewStore {
 public:
  ViewStore(const std::filesystem::path& directory, eventstore::LmdbOptions options);

  ViewCursor cursor() const;

  // A charge or customer as of the cursor; nullopt when there is none of that id.
  std::optional<domain::Charge> find_charge(const domain::ChargeId& id) const;
  std::optional<domain::Customer> find_customer(const domain::CustomerId& id) const;

  // Rows and cursor move in one transaction. The events follow the cursor without a gap; `last_leaf` is the
  // leaf hash of the last one.
  void apply(const std::vector<domain::RecordedEvent>& events, const eventstore::Digest& last_leaf);

  // Makes everything durable; used when a generation is complete and at shutdown.
  void sync() const { environment_.sync(); }
  const std::filesystem::path& directory() const { return environment_.directory(); }

 private:
  class Rows;

  eventstore::LmdbEnvironment environment_;
  MDB_dbi charges_;
  MDB_dbi customers_;
  MDB_dbi customers_by_stream_;
  MDB_dbi meta_;
};

}  // namespace pixledger::projections
