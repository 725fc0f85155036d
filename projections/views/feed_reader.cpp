#include "projections/views/feed_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/platform/faults.h"
#include "eventstore/lmdb/lmdb_environment.h"

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
      // The project has no events between the last chunk and this one.
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

void FeedChunk::add(Position position, FeedAudience audience) {
  const auto place = position.value() % kPositions;
  const auto bit = std::uint64_t{1} << (place % 64);
  all_[place / 64] |= bit;
  if (audience == FeedAudience::kEveryKey) for_sandbox_[place / 64] |= bit;
}

std::optional<Position> FeedChunk::next(std::uint64_t number, Position at_or_after, bool sandbox_only) const {
  const auto first = number * kPositions;
  const auto from = at_or_after.value() > first ? at_or_after.value() - first : 0;
  if (from >= kPositions) return std::nullopt;
  const auto& bits = sandbox_only ? for_sandbox_ : all_;
  auto word = bits[from / 64] & (~std::uint64_t{0} << (from % 64));
  for (auto i = from / 64;; word = bits[i]) {
    if (word != 0) return Position(first + i * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
    if (++i == kWords) return std::nullopt;
  }
}

std::uint64_t FeedChunk::count(bool sandbox_only) const {
  std::uint64_t events = 0;
  for (const auto word : sandbox_only ? for_sandbox_ : all_)
    events += static_cast<std::uint64_t>(std::popcount(word));
  return events;
}

std::string FeedChunk::bytes() const {
  std::string bytes(2 * sizeof(Bits), '\0');
  std::memcpy(bytes.data(), all_.data(), sizeof(Bits));
  std::memcpy(bytes.data() + sizeof(Bits), for_sandbox_.data(), sizeof(Bits));
  return bytes;
}

FeedChunk FeedChunk::from_bytes(std::string_view bytes) {
  if (bytes.size() != 2 * sizeof(Bits)) throw DataDamaged("a row of the event feed is damaged");
  FeedChunk chunk;
  std::memcpy(chunk.all_.data(), bytes.data(), sizeof(Bits));
  std::memcpy(chunk.for_sandbox_.data(), bytes.data() + sizeof(Bits), sizeof(Bits));
  return chunk;
}

std::string feed_prefix(const domain::ProjectId& project) { return project.text() + '\0'; }

std::string feed_key(const domain::ProjectId& project, std::uint64_t chunk) {
  return feed_prefix(project) + big_endian(chunk);
}

}  // namespace pixledger::projections
