#include "projections/views/view_database.h"

#include <cassert>

#include "projections/views/charge_metadata.h"
#include "projections/views/list_loader.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_rows.h"

namespace pixledger::projections {

ViewDatabase::ViewDatabase(const std::filesystem::path& directory, eventstore::LmdbOptions options)
    : environment_(directory, options), tables_(environment_) {}

void ViewDatabase::load_lists(const eventstore::Log& log) {
  const eventstore::LmdbRead read(environment_);
  lists_ = projections::load_lists(directory() / kListsFile, {tables_, read.get()},
                                   read_cursor(read.get(), tables_), log);
}

void ViewDatabase::save_lists(const std::function<void()>& before_writing) const {
  const std::lock_guard saving(saving_mutex_);
  std::vector<ProjectListVersion> versions;
  ViewCursor as_of;
  {
    const std::lock_guard lock(lists_mutex_);
    versions = lists_.versions();
    as_of = cursor();
  }
  before_writing();
  write_lists(directory() / kListsFile, encode_cursor(as_of), versions);
}

ViewCursor ViewDatabase::cursor() const {
  const eventstore::LmdbRead read(environment_);
  return read_cursor(read.get(), tables_);
}

std::optional<domain::Charge> ViewDatabase::find_charge(const eventstore::LmdbRead& rows,
                                                        const domain::ChargeId& id) const {
  const auto row = eventstore::lmdb_get(rows.get(), tables_.charges, id.text());
  if (!row) return std::nullopt;
  const auto [ordinal, state] = split_charge_row(*row);
  auto charge = decode_charge_row(state);
  charge.metadata = read_metadata(rows.get(), tables_, charge.project, ordinal);
  return charge;
}

std::optional<domain::Customer> ViewDatabase::find_customer(const eventstore::LmdbRead& rows,
                                                            const domain::CustomerId& id) const {
  const auto row = eventstore::lmdb_get(rows.get(), tables_.customers, id.text());
  if (!row) return std::nullopt;
  return decode_customer_row(split_customer_row(*row).state);
}

std::uint64_t ViewDatabase::unapplied_payments(domain::Environment environment) const {
  const eventstore::LmdbRead read(environment_);
  const auto stored = eventstore::lmdb_get(read.get(), tables_.meta, unapplied_key(environment));
  return stored ? from_big_endian(*stored) : 0;
}

std::vector<std::pair<std::string, std::uint64_t>> ViewDatabase::unmatched_payments() const {
  const eventstore::LmdbRead read(environment_);
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  eventstore::LmdbCursor cursor(read.get(), tables_.meta);
  for (bool more = cursor.seek(kUnmatchedKeys); more && cursor.key().starts_with(kUnmatchedKeys);
       more = cursor.move(MDB_NEXT))
    counts.emplace_back(cursor.key().substr(kUnmatchedKeys.size()), from_big_endian(cursor.value()));
  return counts;
}

MemoryUse ViewDatabase::list_memory() const {
  const std::lock_guard lock(lists_mutex_);
  return lists_.memory_use();
}

std::vector<ProjectListVersion> ViewDatabase::list_versions() const {
  const std::lock_guard lock(lists_mutex_);
  return lists_.versions();
}

ViewDatabase::Snapshot ViewDatabase::snapshot(const domain::ProjectId& project) const {
  const std::lock_guard lock(lists_mutex_);
  return {std::make_unique<eventstore::LmdbRead>(environment_), lists_.version(project)};
}

void ViewDatabase::apply(const std::vector<domain::RecordedEvent>& events, const Digest& last_leaf) {
  assert(!events.empty());
  eventstore::LmdbWrite write(environment_);
  ViewRows rows(tables_, write.get());
  for (const auto& event : events) rows.apply(event);
  rows.finish();
  eventstore::lmdb_put(write.get(), tables_.meta, kCursorKey,
                       encode_cursor({events.back().position, last_leaf}));

  const std::lock_guard lock(lists_mutex_);
  write.commit();
  // Partly updated lists cannot be repaired, so running out of memory here ends the process.
  [&]() noexcept { lists_.apply(rows.list_changes()); }();
}

}  // namespace pixledger::projections
