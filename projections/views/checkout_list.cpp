#include "projections/views/checkout_list.h"

#include <string>

#include "projections/views/row_codec.h"

namespace pixledger::projections {
namespace {

// Read in one transaction, which keeps later pages of the rows alive.
constexpr std::size_t kRowsAtOnce = 2'048;

bool is_asked_for(const domain::CheckoutSession& session, const CheckoutQuery& query) {
  if (query.environment && session.environment != *query.environment) return false;
  if (query.status && session.status != *query.status) return false;
  if (query.from && session.created_at < *query.from) return false;
  if (query.to && session.created_at > *query.to) return false;
  if (!query.external_id) return true;
  const auto& id = session.external_id ? session.external_id->text() : session.id.text();
  return id == query.external_id->text();
}

// Moves to the last key below `key`.
bool seek_below(eventstore::LmdbCursor& cursor, std::string_view key) {
  return cursor.seek(key) ? cursor.move(MDB_PREV) : cursor.move(MDB_LAST);
}

}  // namespace

CheckoutPage list_checkout_sessions(const ViewDatabase& views, const domain::ProjectId& project,
                                    const CheckoutQuery& query, std::size_t offset, std::size_t limit,
                                    const std::function<void()>& check) {
  const auto prefix = checkout_key(project, "");
  auto below = prefix + '\x7f';  // above every id
  CheckoutPage page;
  for (bool more = true; more;) {
    check();
    const eventstore::LmdbRead read(views.environment());
    eventstore::LmdbCursor cursor(read.get(), views.tables().checkout_sessions);
    more = seek_below(cursor, below);
    for (std::size_t rows = 0; more && rows < kRowsAtOnce; ++rows) {
      more = cursor.key().starts_with(prefix);
      if (!more) break;
      below = cursor.key();
      auto session = decode_checkout_row(cursor.value());
      if (is_asked_for(session, query)) {
        if (page.total >= offset && page.items.size() < limit) page.items.push_back(std::move(session));
        ++page.total;
      }
      more = cursor.move(MDB_PREV);
    }
  }
  return page;
}

}  // namespace pixledger::projections
