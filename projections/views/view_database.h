#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "projections/list/project_lists.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {

// File name of the lists' snapshot in a generation's directory.
inline constexpr const char* kListsFile = "lists";

// One generation of the read models: rows of charges and customers in an LMDB environment whose commits
// are not synced, and the transaction lists in memory, which are rows of the same state in columns.
// Reads are thread-safe; one thread applies.
class ViewDatabase {
 public:
  ViewDatabase(const std::filesystem::path& directory, eventstore::LmdbOptions options);

  // Brings the lists to the cursor: from their snapshot and the log's events after it, or else from the rows.
  // Call it before anything but cursor().
  void load_lists(const eventstore::Log& log);
  // Writes the lists' snapshot while the database stays in use. `before_writing` makes the rows durable: rows
  // that go back behind the snapshot could not use it.
  void save_lists(const std::function<void()>& before_writing) const;

  ViewCursor cursor() const;

  // Rows as of one cursor. Kept short, since it keeps every later page of the rows alive.
  eventstore::LmdbRead read() const { return eventstore::LmdbRead(environment_); }
  std::optional<domain::Charge> find_charge(const domain::ChargeId& id) const {
    return find_charge(read(), id);
  }
  // nullopt if no row has that id.
  std::optional<domain::Charge> find_charge(const eventstore::LmdbRead& rows,
                                            const domain::ChargeId& id) const;
  std::optional<domain::Customer> find_customer(const eventstore::LmdbRead& rows,
                                                const domain::CustomerId& id) const;

  // Money that arrived, was not applied to its charge and is not settled, in all projects.
  std::uint64_t unapplied_payments(domain::Environment environment) const;
  // Open payments that match no charge, by connection; only connections that have any.
  std::vector<std::pair<std::string, std::uint64_t>> unmatched_payments() const;
  MemoryUse list_memory() const;
  std::vector<ProjectListVersion> list_versions() const;

  // Rows, lists and cursor as of one position, while it lives. Keep it short-lived: it keeps all later pages
  // of the rows alive.
  struct Snapshot {
    std::unique_ptr<eventstore::LmdbRead> rows;
    std::shared_ptr<const ListVersion> list;  // of the requested project
  };
  Snapshot snapshot(const domain::ProjectId& project) const;
  const ViewTables& tables() const { return tables_; }

  // Advances rows, lists and cursor together. The events follow the cursor without a gap; `last_leaf` is the
  // leaf hash of the last one.
  void apply(const std::vector<domain::RecordedEvent>& events, const Digest& last_leaf);

  const std::filesystem::path& directory() const { return environment_.directory(); }
  const eventstore::LmdbEnvironment& environment() const { return environment_; }

 private:
  eventstore::LmdbEnvironment environment_;
  ViewTables tables_;
  // Held from the rows' commit until the lists are updated, so that a snapshot never sees a state in between.
  mutable std::mutex lists_mutex_;
  mutable std::mutex saving_mutex_;  // one snapshot at a time; lock it before the other
  ProjectLists lists_;
};

}  // namespace pixledger::projections
