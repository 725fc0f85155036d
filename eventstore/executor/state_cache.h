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

// The states that a batch of commands is decided on. They are folded from the log, kept for later batches,
// and updated by the batch's own events, so that a later command sees an earlier one's. Used only by the
// committer's thread.
class StateCache final : public domain::States {
 public:
  // States of streams with at least this many events are kept longer, while they use at most half of the
  // space: folding them again takes long.
  static constexpr std::uint32_t kLongStreamEvents = 256;

  // Keeps this many states of usual size, or fewer larger ones.
  explicit StateCache(std::size_t states_max) : states_max_(states_max) {}

  // Starts a batch: brings all that it needs up to the write's head. Unreadable data fails only the callers
  // that use it. The write must outlive the batch, which ends with committed() or aborted(). Returns false if
  // some streams have more than one load reads. Then either end the write, call read_ahead() and start again,
  // so that others can write meanwhile, or call finish_load().
  bool load(const LogWrite& write, const domain::ReadSet& read_set);
  // Folds the rest of a load, as far as the log goes.
  void read_ahead(const Log& log);
  // Folds the rest of a load within the write, whose batch continues.
  void finish_load(const LogWrite& write);

  // Both throw what reading the data threw: LogCorrupt, WrittenByNewerRelease.
  const domain::AggregateState* find(const StreamName& stream) const override;
  const StreamName* claim_holder(const ClaimName& claim) const override;
  // For any claim; one that the batch did not load is read from the write.
  std::optional<StreamName> holder_of(const ClaimName& claim) const override;
  // For any stream; one that the batch did not load is read from the write.
  std::uint32_t version_of(const StreamName& stream) const override;
  // For any stream; one that the batch did not load is read from the write, and not kept.
  std::optional<domain::AggregateState> state_of(const StreamName& stream) const override;

  // Applies an event that the batch records.
  void record(const domain::RecordedEvent& event, const std::vector<ClaimName>& claims);

  // The batch is durable: the states are those of the log up to here.
  void committed(Position head);
  // The batch was not written: its states are discarded.
  void aborted();

 private:
  struct Entry {
    std::uint32_t version = 0;
    std::uint64_t checked_in = 0;  // the generation in which it was last known to be exact
    std::size_t weight = 1;
    bool is_long = false;
    std::optional<domain::AggregateState> state;
    std::list<const StreamName*>::iterator use;
  };
  Entry& touch(const StreamName& stream);
  void request(const LogWrite& write, const domain::ReadSet& read_set, LoadSet& set);
  void load_one_by_one(const LogWrite& write, const LoadSet& set);
  void take(const StreamName& stream, const StreamBatch& batch);
  // Folds one stream to its end; `read` returns the batch after a version.
  template <class Read>
  void read_on(const StreamName& stream, const Read& read);
  void fold(Entry& entry, const std::vector<StoredEvent>& events);
  // Records the exception that is being handled as the stream's fault.
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
  std::vector<StreamName> unfinished_;                            // they have more than was loaded
  std::unordered_map<StreamName, std::uint32_t> fresh_versions_;  // streams written without being loaded
  std::unordered_map<ClaimName, StreamName> claims_;
  std::unordered_map<StreamName, std::exception_ptr> stream_faults_;  // what was wrong with it
  std::unordered_map<ClaimName, std::string> claim_faults_;
};

}  // namespace pixledger::eventstore
