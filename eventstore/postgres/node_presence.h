#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/periodic.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/copy_guard.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Writes a node's row once a second. A confirmed write shows that its primary's commits are replicated: a
// primary that was replaced and still runs confirms nothing. What it reads counts for kGoodFor after a
// confirmed write, which bounds how old an answer can be. Thread-safe.
class NodePresence {
 public:
  static constexpr std::chrono::seconds kGoodFor{5};

  using Connect = std::function<std::unique_ptr<PgClient>()>;
  using Explain = std::function<std::string()>;
  using End = std::function<void(const std::string& problem)>;

  // `connect` starts clients, each with a write of the node. `explain` is called after a failed write, and
  // returns what blocks all writes, or an empty text. `taken` is called if the node's row is another
  // directory's, or this directory is another node. `copy` and its guard must outlive it.
  NodePresence(SharedNode node, LmdbLog& copy, const CopyGuard& guard, Connect connect, Explain explain,
               End taken);

  // Notes that the client, which was begun then, has made a replicated write for this node.
  void confirm(std::chrono::steady_clock::time_point begun_at, const PgClient& client);
  // Whether the client uses the same server as the newest confirmed client. Another server may be a primary
  // that was replaced and does not know it yet.
  bool is_current(const PgClient& client) const;
  // Empty while what was read counts.
  std::string fault() const;
  // Throws LogUnavailable with the text of fault(), unless that is empty.
  void check() const;

  // The state of PostgreSQL at the last write.
  struct Seen {
    Position head;
    std::uint64_t batch = 0;          // of the head: a standby has it
    std::vector<std::string> leases;  // of the node's workers
    std::optional<SeenErased> erased{};
    std::vector<LostHistory> losses{};  // that no operator has accepted
  };
  Seen seen() const;
  // The time by PostgreSQL's clock, from the last write and the time since; nullopt before the first write.
  std::optional<Timestamp> time_there() const;

 private:
  // Returns how long to wait until the next beat.
  Periodic::Wait try_beat();
  void beat();
  std::string explained(std::string problem) const;
  // Requires the mutex.
  void count_confirmed(std::chrono::steady_clock::time_point begun_at);

  const SharedNode node_;
  LmdbLog& copy_;
  const CopyGuard& guard_;
  const Connect connect_;
  const Explain explain_;
  const End taken_;
  std::unique_ptr<PgClient> client_;  // used by the thread only, as are the next two
  std::int64_t scrubs_ = -1;
  std::chrono::steady_clock::time_point next_pruning_{};
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point confirmed_at_ = std::chrono::steady_clock::now();
  std::string primary_;  // the server of the newest confirmed client
  std::chrono::steady_clock::time_point primary_since_{};
  std::string problem_;  // of the last beat, empty if it succeeded
  bool is_misconfigured_ = false;
  std::string standbys_;  // PostgreSQL's setting, as last read
  Seen seen_;
  struct TimeThere {
    Timestamp then;
    std::chrono::steady_clock::time_point seen_at;
  };
  std::optional<TimeThere> time_there_;
  // The first beat comes after a pause, since short commands need none.
  Periodic thread_;
};

}  // namespace pixledger::eventstore
