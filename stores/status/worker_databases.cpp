#include "stores/status/worker_databases.h"

#include <Poco/Data/Statement.h>
#include <string>
#include <vector>

#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_session.h"

namespace pixledger::stores {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

void forget_after(Poco::Data::Session& session, const WorkerDatabase& database, Integer last) {
  const auto run = [&](const char* statement) { session << statement, bind(Integer{last}), now; };
  if (database.worker == kEmailDatabase.worker) {
    run("DELETE FROM emails WHERE position > ?");
    return;
  }
  run("DELETE FROM attempts WHERE delivery IN (SELECT number FROM deliveries WHERE position > ?)");
  run("DELETE FROM deliveries WHERE position > ?");
  run("DELETE FROM recoveries WHERE requested_at > ?");
}

}  // namespace

void copy_database(const std::filesystem::path& from, const std::filesystem::path& to) {
  auto session = open_sqlite_to_read(from);
  session << "VACUUM INTO ?", bind(std::filesystem::absolute(to).string()), now;
}

std::optional<eventstore::LogCursor> cursor_of_database(const std::filesystem::path& file) {
  auto session = open_sqlite(file, "rw");
  return find_cursor(session);
}

void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, Position last,
                  const Digest& leaf_hash) {
  auto session = open_sqlite(file, "rw");
  const auto cursor = find_cursor(session);
  if (!cursor) return;
  session.begin();
  forget_after(session, database, static_cast<Integer>(last.value()));
  if (cursor->position > last) save_cursor(session, {cursor->log, last, leaf_hash});
  session.commit();
}

}  // namespace pixledger::stores
