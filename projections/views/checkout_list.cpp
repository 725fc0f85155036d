#include "projections/views/checkout_list.h"

#include <array>
#include <string>

#include "base/platform/faults.h"
#include "projections/views/row_codec.h"

namespace pixledger::projections {
namespace {

// Rows read per transaction, which keeps later pages of the rows alive.
constexpr std::size_t kRowsPerRead = 2'048;

using domain::CheckoutStatus;

constexpr std::array kCheckoutStatuses{CheckoutStatus::kOpen, CheckoutStatus::kComplete,
                                       CheckoutStatus::kExpired, CheckoutStatus::kCancelled};

bool is_asked_for(const domain::CheckoutSession& session, const CheckoutQuery& query) {
  if (query.environment && session.environment != *query.environment) return false;
  if (query.status && session.status != *query.status) return false;
  if (query.from && session.created_at < *query.from) return false;
  if (query.to && session.created_at > *query.to) return false;
  return true;
}

// Counts the sessions of the query's environments and statuses.
std::size_t count_sessions(MDB_txn* read, const ViewTables& tables, const domain::ProjectId& project,
                           const CheckoutQuery& query) {
  std::uint64_t count = 0;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    for (const auto status : kCheckoutStatuses) {
      const auto key = checkout_count_key(project, environment, status);
      if (query.environment.value_or(environment) != environment || query.status.value_or(status) != status)
        continue;
      if (const auto stored = eventstore::lmdb_get(read, tables.meta, key)) count += from_big_endian(*stored);
    }
  }
  return count;
}

std::string_view row_of(MDB_txn* read, const ViewTables& tables, const std::string& key) {
  const auto row = eventstore::lmdb_get(read, tables.checkout_sessions, key);
  if (!row) throw DataDamaged("an external id is of a session that the read models do not have");
  return *row;
}

// Moves to the last key below `key`.
bool seek_below(eventstore::LmdbCursor& cursor, std::string_view key) {
  return cursor.seek(key) ? cursor.move(MDB_PREV) : cursor.move(MDB_LAST);
}

}  // namespace

CheckoutPage list_checkout_sessions(const ViewDatabase& views, const domain::ProjectId& project,
                                    const CheckoutQuery& query, std::size_t offset, std::size_t limit,
                                    const std::function<void()>& check) {
  const bool is_by_name = query.external_id.has_value();
  const bool is_counted = !is_by_name && !query.from && !query.to;
  const auto& tables = views.tables();
  const auto prefix =
      is_by_name ? checkout_name_prefix(project, query.external_id->text()) : checkout_key(project, "");
  auto below = prefix + '\x7f';  // above every id
  CheckoutPage page;
  std::size_t matches = 0;
  std::optional<std::size_t> count;
  for (bool more = true; more;) {
    check();
    const eventstore::LmdbRead read(views.environment());
    if (is_counted && !count) count = count_sessions(read.get(), tables, project, query);
    eventstore::LmdbCursor cursor(read.get(), is_by_name ? tables.named_checkouts : tables.checkout_sessions);
    more = seek_below(cursor, below);
    for (std::size_t rows = 0; more && rows < kRowsPerRead; ++rows) {
      const bool is_enough = count && (page.items.size() == limit || matches == *count);
      more = cursor.key().starts_with(prefix) && !is_enough;
      if (!more) break;
      below = cursor.key();
      auto session = decode_checkout_row(
          is_by_name ? row_of(read.get(), tables, checkout_key(project, below.substr(prefix.size())))
                     : cursor.value());
      if (is_asked_for(session, query)) {
        if (matches >= offset && page.items.size() < limit) page.items.push_back(std::move(session));
        ++matches;
      }
      more = cursor.move(MDB_PREV);
    }
  }
  page.total = count.value_or(matches);
  return page;
}

}  // namespace pixledger::projections
