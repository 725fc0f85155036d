#include "projections/views/feed_reader.h"

#include <algorithm>

#include "projections/views/feed_chunk.h"

namespace pixledger::projections {

FeedPage read_feed(const ViewDatabase& database, const FeedQuery& query) {
  const eventstore::LmdbRead read(database.environment());
  const auto prefix = feed_prefix(query.project);
  FeedPage page{{}, query.after, read_cursor(read.get(), database.tables()).position, true};
  eventstore::LmdbCursor row(read.get(), database.tables().feed);
  bool found = row.seek(feed_key(query.project, FeedChunk::number_of(query.after.next())));
  for (std::size_t looked_at = 0; found; ++looked_at, found = row.move(MDB_NEXT)) {
    const auto key = row.key();
    if (key.substr(0, prefix.size()) != prefix) break;
    const auto number = from_big_endian(key.substr(prefix.size()));
    if (looked_at == query.chunks_max) {
      // Nothing of the project lies between the last chunk and this one.
      const Position before(number * FeedChunk::kPositions - 1);
      page.looked_until = std::max(page.looked_until, before);
      page.at_end = false;
      break;
    }
    const auto chunk = FeedChunk::from_bytes(row.value());
    while (const auto next = chunk.next(number, page.looked_until.next(), query.sandbox_only)) {
      page.positions.push_back(*next);
      page.looked_until = *next;
      if (page.positions.size() < query.limit) continue;
      page.at_end = false;
      return page;
    }
  }
  return page;
}

}  // namespace pixledger::projections
