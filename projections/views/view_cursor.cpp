#include "projections/views/view_cursor.h"

#include "eventstore/lmdb/lmdb_damage.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kPositionBytes = 8;

}  // namespace

std::string encode_cursor(const ViewCursor& cursor) {
  return big_endian(cursor.position.value()) + std::string(bytes_of(cursor.leaf_hash));
}

ViewCursor decode_cursor(std::string_view bytes) {
  if (bytes.size() != kPositionBytes + sizeof(Digest))
    throw ViewsDamaged("the cursor of the read models is damaged");
  return {Position(from_big_endian(bytes.substr(0, kPositionBytes))),
          digest_from_bytes(bytes.substr(kPositionBytes))};
}

ViewCursor peek_cursor(const std::filesystem::path& directory, eventstore::LmdbOptions options) {
  options.read_only = true;
  return eventstore::read_or_damaged<ViewsDamaged>([&] {
    const eventstore::LmdbEnvironment environment(directory, options);
    const eventstore::LmdbRead read(environment);
    MDB_dbi meta = 0;
    const int code = mdb_dbi_open(read.get(), "meta", 0, &meta);
    if (code == MDB_NOTFOUND) return ViewCursor();
    eventstore::check_lmdb(code, "mdb_dbi_open");
    const auto value = eventstore::lmdb_get(read.get(), meta, kCursorKey);
    return value ? decode_cursor(*value) : ViewCursor();
  });
}

}  // namespace pixledger::projections
