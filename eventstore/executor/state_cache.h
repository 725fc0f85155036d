#pragma once

#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/decisions/dispatch.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The states that a batch of commands is decided on: folded from the log, kept for later batches, and moved
// on by the batch's own events, so that a later command sees an earlier one's. Used by the committer's thread
// alone.
class StateCache final : public domain::States {
 public:
  // Of a stream with so many events the state is kept longer than others, as long as such states are not
  // more than half of all: to fold it again takes long.
  static constexpr std::uint32_t kLongStreamEvents = 256;

  // Keeps so many states of usual size, or fewer that are larger.
  explicit StateCache(std::size_t states_max) : states_max_(states_max) {}

  // Starts a batch: brings everything it needs up to the write's head. What cannot be read troubles only who
  // looks at it. The write outlives the batch, which ends with committed() or aborted(). False when there was
  // more of some streams than one load reads. Then either the write is ended, read_ahead() called and the
  // batch started again, so that others can write meanwhile, or finish_load() is called.
  bool load(const LogWrite& write, const domain::ReadSet& read_set);
  // Folds what the load has left, as far as the log goes.
  void read_ahead(const Log& log);
  // The same within the write, whose batch goes on with it.
  void finish_load(const LogWrite& write);

  // Throw for what could not be read what the log or the codec did: LogCorrupt, WrittenByNewerRelease.
  const domain::AggregateState* find(const StreamName& stream) const override;
  const StreamName* claim_holder(const ClaimName& claim) const override;
  // Of any claim, also one that the batch did not load: then the write is asked.
  std::optional<StreamName> holder_of(const ClaimName& claim) const override;
  // Of any stream, also one that the batch did not load: then the write is asked.
  std::uint32_t version_of(const StreamName& stream) const override;

  // Moves on by one event that the batch records.
  void record(const domain::RecordedEvent& event, const std::vector<ClaimName>& claims);

  // The batch is durable: what was folded stands for the log up to here.
  void committed(Position head);
  // The batch came to nothing: what was folded is not to be trusted.
  void aborted();

 private:
  struct Entry {
    std::uint32_t version = 0;
    std::uint64_t checked_in = 0;  // the generation in which it was last seen to be exact
    std::size_t weight = 1;
    bool is_long = false;
    std::optional<domain::AggregateState> state;
    std::list<const StreamName*>::iterator use;
  };
  Entry& touch(const StreamName& stream);
  void request(const LogWrite& write, const domain::ReadSet& read_set, LoadSet& set);
  void load_one_by_one(const LogWrite& write, const LoadSet& set);
  void take(const StreamName& stream, const StreamBatch& batch);
  // Folds one stream to its end; `read` gives the batch after a version.
  template <class Read>
  void read_on(const StreamName& stream, const Read& read);
  void fold(Entry& entry, const std::vector<StoredEvent>& events);
  // With what is being caught.
  void blame(const StreamName& stream);
  void weigh(Entry& entry);
  void forget(const StreamName& stream);
  void evict();

  std::size_t states_max_;
  std::size_t weight_ = 0;       // of all entries
  std::size_t long_weight_ = 0;  // of those of long streams
  std::unordered_map<StreamName, Entry> entries_;
  std::list<const StreamName*> by_use_;  // the most recently used first
  Position as_of_;                       // the log's head after the last batch
  std::uint64_t generation_ = 1;         // counts the writes of others; entries of the current one are exact

  // Of the current batch only.
  const LogWrite* write_ = nullptr;
  std::vector<StreamName> unfinished_;                            // there is more of them than was loaded
  std::unordered_map<StreamName, std::uint32_t> fresh_versions_;  // streams written without being loaded
  std::unordered_map<ClaimName, StreamName> claims_;
  std::unordered_map<StreamName, std::exception_ptr> stream_faults_;  // what was wrong with it
  std::unordered_map<ClaimName, std::string> claim_faults_;
};

}  // namespace pixledger::eventstore
