#include "projections/views/view_cursor.h"

#include "eventstore/lmdb/lmdb_environment.h"
#include "projections/storage/damage.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kPositionBytes = 8;

}  // namespace

std::string encode_cursor(const ViewCursor& cursor) {
  return eventstore::big_endian(cursor.position.value()) +
         std::string(eventstore::bytes_of(cursor.leaf_hash));
}

ViewCursor decode_cursor(std::string_view bytes) {
  if (bytes.size() != kPositionBytes + sizeof(eventstore::Digest))
    throw ViewsDamaged("the cursor of the read models is damaged");
  return {domain::Position(eventstore::from_big_endian(bytes.substr(0, kPositionBytes))),
          eventstore::digest_from_bytes(bytes.substr(kPositionBytes))};
}

}  // namespace pixledger::projections
