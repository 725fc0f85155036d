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

// How whoever erases a customer, and the process that has the views, tell each other: through a file beside
// the generations, and one in each of them.

struct ErasureRequest {
  std::uint64_t number = 0;  // 1, 2, 3… of these views; 0: none yet
  Position position;
};

// Asks the keeper of the views, whoever that is now or later, for its part of an erasure at that position,
// whose personal bytes are gone from the ledger already. Returns the request's number. One caller at a time.
std::uint64_t request_erasure(const std::filesystem::path& views, Position erased);
ErasureRequest last_erasure_request(const std::filesystem::path& views);

// Whether a generation has nothing that this request or an earlier one is to remove.
bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request);
void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request);

// Somebody is in the way of an erasure, or has something of it that only a person can decide about.
class ErasureHeldUp : public std::runtime_error {
 public:
  ErasureHeldUp(const std::string& why, std::string what_to_do)
      : std::runtime_error(why), what_to_do_(std::move(what_to_do)) {}
  // For an operator, a clause without a full stop.
  const std::string& what_to_do() const { return what_to_do_; }

 private:
  std::string what_to_do_;
};

// Until `done` is true; false when it takes longer than that.
bool wait_until(std::chrono::milliseconds patience, const std::function<bool()>& done);

// Has what erasures up to a position take away removed from the read models in a directory, by the server
// that has them, or by itself where none runs; the ledger has nothing of it any more. One caller at a time.
// Throws ErasureHeldUp.
void erase_from_views(const std::filesystem::path& views, Position erased,
                      std::chrono::milliseconds patience);

// Where customers' erasures were recorded, after the one position and up to the other.
std::vector<Position> erasures_between(const eventstore::Log& log, Position after, Position last);

// Erasures that a node has not done its part of yet, and the position up to which it knows.
struct PendingErasures {
  std::vector<eventstore::Erasure> erasures;
  Position up_to;
};
// Throws LogUnavailable, and LogCorrupt.
PendingErasures pending_erasures(const eventstore::Log& log, const eventstore::Cluster& cluster);

struct ErasureFollowerOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{30'000};  // with snapshots that are being read, and read models
};

// Does a node's part of customers' erasures that were asked for at any node: takes the personal data out of
// its copy and its read models, and notes it where all can see it, again where that was lost. Owns one
// thread; the destructor waits for what is under way. What it is given outlives it.
class ErasureFollower {
 public:
  // `on_fault` is told, on the thread, why it did not succeed; it goes on trying.
  ErasureFollower(DataDirectory data, eventstore::LedgerLog& log, eventstore::Cluster& cluster,
                  std::function<void(const std::string&)> on_fault, ErasureFollowerOptions options = {});

 private:
  // How long to wait until the next look.
  Periodic::Wait look();
  // Whether what was noted is not there any more, as when the node was taken for one that is gone for good.
  bool is_note_lost() const;
  void do_part();

  const DataDirectory data_;
  eventstore::LedgerLog& log_;
  eventstore::Cluster& cluster_;
  const std::function<void(const std::string&)> on_fault_;
  const ErasureFollowerOptions options_;
  Position looked_at_;  // nothing is pending up to there; of the thread alone
  bool has_looked_ = false;
  Position noted_;
  std::chrono::steady_clock::time_point noted_at_;
  Periodic thread_;
};

struct ErasureKeeperOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{10'000};  // with snapshots of the rows that are being read
};

// Does the part of a customer's erasure that is up to the process that has the views, when somebody asks for
// it beside them: overwrites what the rows' file still holds of them, writes the lists'
// snapshot without them, and notes that it is done. Owns one thread; the destructor ends what is under way
// between two of its steps. The views outlive it.
class ErasureKeeper {
 public:
  // `forget` comes first: this process has personal data in memory, and writes it to the ledger as well,
  // whose buffers are to be overwritten (see lmdb_scrub.h). `on_fault` is told, on the keeper's thread, why
  // it did not succeed; it goes on trying.
  ErasureKeeper(const CurrentViews& views, std::function<void()> forget,
                std::function<void(const std::string&)> on_fault, ErasureKeeperOptions options = {});

 private:
  struct Stopped {};

  // How long to wait until the next look.
  Periodic::Wait look();
  void finish(const ViewDatabase& database, std::uint64_t request);

  const CurrentViews& views_;
  std::function<void()> forget_;
  std::function<void(const std::string&)> on_fault_;
  const ErasureKeeperOptions options_;
  Periodic thread_;
};

}  // namespace pixledger::projections
