#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A node, one of the machines that answer the API of a shared ledger, as the ledger knows it.
struct NodeState {
  std::string name;
  bool is_live = false;  // it has written its own row within the last ten seconds
  Position position;     // how far its copy was then
  Position erased;       // up to where it has done its part of erasures
};

// Up to where the ledger knows a node to have done its part of erasures, and when this was read.
struct SeenErased {
  Position position;
  std::chrono::steady_clock::time_point looked_at;
};

// Acknowledged commits that PostgreSQL has lost and a kept copy of a node still has.
struct LostHistory {
  std::string node;
  std::uint64_t events = 0;  // 0: not counted yet
};
// The first words of the reason if writes are refused because of such a loss.
inline constexpr std::string_view kWritesStopped = "writes are stopped: ";

// The machines of the ledger's database, and which of them are missing.
struct Redundancy {
  struct Host {
    std::string name;
    std::string problem;  // empty: it answers
  };
  std::vector<Host> hosts;            // of the ledger's URI
  std::uint64_t standbys = 0;         // that follow the primary
  std::uint64_t standbys_wanted = 0;  // one for each further host, and those that each commit waits for
  std::string problem;                // why standbys cannot be counted; empty: they were
};

// How long writes waited for their turn among all nodes since the process started.
struct TurnWaits {
  static constexpr std::array<double, 10> kBoundsSeconds{0.001, 0.002, 0.005, 0.01, 0.025,
                                                         0.05,  0.1,   0.5,   1,    5};
  std::array<std::uint64_t, kBoundsSeconds.size() + 1> counts{};  // of each bound alone; the last: longer
  double sum_seconds = 0;
};

// A difference between PostgreSQL and a node's copy. Position 0: it concerns the whole ledger.
struct RowDifference {
  Position position;
  std::string problem;
};

struct RowComparisonOptions {
  // Compares only later events, and the commits that have any.
  Position after{};
  // Returns whether an erasure has removed that event's personal data. Called if the copy has it and
  // PostgreSQL does not.
  std::function<bool(Position)> is_erased{};
  // Called from time to time with the number of events compared, and of all events.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

// What a node knows of itself and the others; each process that has the node's copy has one. Thread-safe.
class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual const std::string& node_name() const = 0;
  // Why the node does not know what the ledger has: no write of its own was confirmed for five seconds, or
  // PostgreSQL is set up to lose what it confirms. Empty if it knows. Sends no query.
  virtual std::string fault() const = 0;
  // How many events the copy lacked at the last look. Sends no query.
  virtual std::uint64_t lag_events() const = 0;
  // The running workers of this node, as last seen. Sends no query.
  virtual std::vector<std::string> leases() const = 0;
  // The time where the order is decided, from the last confirmed write and the time since; nullopt before the
  // first. Sends no query.
  virtual std::optional<Timestamp> time_there() const = 0;
  virtual TurnWaits turn_waits() const = 0;
  // Of this process.
  virtual std::uint64_t unknown_commits() const = 0;

  // Losses that no operator has accepted yet, as last seen. Sends no query.
  virtual std::vector<LostHistory> lost_histories() const = 0;
  // Why this program's writes are refused because of losses; empty if they are not. Sends no query.
  virtual std::string write_stop() const = 0;
  // From now on losses do not stop writes.
  virtual void continue_after_loss() = 0;
  // Sets the function that reports the reason before the process ends because the node's copy is unusable.
  // Without it the reason is printed on stderr.
  virtual void tell_end_to(std::function<void(const std::string& reason)> tell) const = 0;

  // Connects to each host of the URI, which takes seconds if one does not answer. Does not throw.
  virtual Redundancy redundancy() const = 0;
  // Throws LogUnavailable.
  virtual std::vector<NodeState> nodes() const = 0;
  // Returns, as a sentence, the rights of this node's role that no node needs; empty if there are none.
  // Throws LogUnavailable.
  virtual std::string excess_rights() const = 0;
  // Returns the first difference between PostgreSQL and this node's copy as of the call. Reads in pages.
  // Throws LogUnavailable.
  virtual std::optional<RowDifference> find_difference(const RowComparisonOptions& options) const = 0;
  // Up to where this node has done its part of erasures. Throws LogUnavailable.
  virtual Position erased() const = 0;
  // erased() as this process last read it, or nullopt if it never did. Sends no query.
  virtual std::optional<SeenErased> seen_erased() const = 0;
  // Records that this node no longer has what erasures up to the position remove. Throws LogUnavailable.
  virtual void note_erased(Position position) = 0;
};

}  // namespace pixledger::eventstore
