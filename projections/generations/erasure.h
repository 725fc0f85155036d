#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/platform/data_directory.h"
#include "base/platform/periodic.h"
#include "base/values/position.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/reading/erasure.h"
#include "projections/generations/generation.h"

namespace pixledger::projections {

// A request from the process that erases a customer to the process that owns the views. They communicate by a
// file beside the generations, and one in each generation.

struct ErasureRequest {
  std::uint64_t number = 0;  // 1, 2, 3… in these views; 0: none yet
  Position position;
};

// Asks the current or next owner of the views to do its part of an erasure at that position. The personal
// bytes must already be gone from the ledger. Returns the request's number. One caller at a time.
std::uint64_t request_erasure(const std::filesystem::path& views, Position erased);
ErasureRequest last_erasure_request(const std::filesystem::path& views);

// True if a generation contains nothing that this request or an earlier one must remove.
bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request);
void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request);

// Another process blocks an erasure, or holds data of it that only an operator can decide about.
class ErasureHeldUp : public std::runtime_error {
 public:
  ErasureHeldUp(const std::string& why, std::string what_to_do)
      : std::runtime_error(why), what_to_do_(std::move(what_to_do)) {}
  // For the operator, a clause without a full stop.
  const std::string& what_to_do() const { return what_to_do_; }

 private:
  std::string what_to_do_;
};

// Polls until `done` is true; returns false after `patience`.
bool wait_until(std::chrono::milliseconds patience, const std::function<bool()>& done);

// Removes the data of erasures up to a position from the read models in a directory. The server that owns the
// views does it, or this process if no server runs. The ledger must already be free of the data. One caller
// at a time. Throws ErasureHeldUp.
void erase_from_views(const std::filesystem::path& views, Position erased,
                      std::chrono::milliseconds patience);

// Positions of customers' erasures after `after`, up to and including `last`.
std::vector<Position> erasures_between(const eventstore::Log& log, Position after, Position last);

// Erasures that a node still has to do its part of, and the position up to which it knows them.
struct PendingErasures {
  std::vector<eventstore::Erasure> erasures;
  Position up_to;
};
// Throws LogUnavailable and LogCorrupt.
PendingErasures pending_erasures(const eventstore::Log& log, const eventstore::Cluster& cluster);

struct ErasureFollowerOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{30'000};  // for readers of snapshots, and for the read models
};

// Does a node's part of customers' erasures that any node requested. Removes the personal data from the
// node's copy and read models, and records that for all nodes; records it again if the note was lost. Owns
// one thread; the destructor waits for work in progress. The arguments must outlive it.
class ErasureFollower {
 public:
  // Calls `on_fault` on the thread with the reason of a failure; it keeps retrying.
  ErasureFollower(DataDirectory data, eventstore::LedgerLog& log, eventstore::Cluster& cluster,
                  std::function<void(const std::string&)> on_fault, ErasureFollowerOptions options = {});

 private:
  // Returns how long to wait until the next check.
  Periodic::Wait look();
  // True if the recorded note is gone, as when another node declared this one permanently gone.
  bool is_note_lost() const;
  void do_part();

  const DataDirectory data_;
  eventstore::LedgerLog& log_;
  eventstore::Cluster& cluster_;
  const std::function<void(const std::string&)> on_fault_;
  const ErasureFollowerOptions options_;
  Position looked_at_;  // nothing is pending up to there; used by the thread only
  bool has_looked_ = false;
  Position noted_;
  std::chrono::steady_clock::time_point noted_at_;
  Periodic thread_;
};

struct ErasureKeeperOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{10'000};  // for readers of row snapshots
};

// Does the views owner's part of a customer's erasure when another process requests it. Overwrites the
// remains in the rows' file, writes the lists' snapshot without them, and records completion. Owns one
// thread; the destructor stops work between two steps. The views must outlive it.
class ErasureKeeper {
 public:
  // `forget` runs first: this process holds personal data in memory and also writes it to the ledger, whose
  // buffers must be overwritten (see lmdb_scrub.h). Calls `on_fault` on the keeper's thread with the reason
  // of a failure; it keeps retrying.
  ErasureKeeper(const CurrentViews& views, std::function<void()> forget,
                std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options = {});

 private:
  struct Stopped {};

  // Returns how long to wait until the next check.
  Periodic::Wait look();
  void finish(Generation& generation, std::uint64_t request);

  const CurrentViews& views_;
  std::function<void()> forget_;
  std::function<void(const std::string&)> on_fault_;
  const ErasureKeeperOptions options_;
  Periodic thread_;
};

}  // namespace pixledger::projections
