#pragma once

#include <set>
#include <thread>

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// Repeats the first event of another log, which must outlive it, at every position up to an end: a long log
// at no cost. Events at chosen positions are damaged, and all can be made longer. Returns which thread read
// it last, once that has ended.
class RepeatingLog final : public ForwardingLog {
 public:
  struct Shape {
    std::uint64_t end;
    std::set<std::uint64_t> damaged{};
    std::size_t event_bytes_min = 0;
  };
  RepeatingLog(eventstore::Log& inner, Shape shape)
      : ForwardingLog(inner), first_(inner.read_after({}, 1).front()), shape_(std::move(shape)) {}

  Head head() const override { return {Position(shape_.end), inner_.head().time}; }
  std::optional<Digest> leaf_hash(Position) const override { return inner_.leaf_hash(first_.position); }
  std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
    std::vector<eventstore::StoredEvent> events;
    for (auto at = after.next(); at.value() <= shape_.end && events.size() < max; at = at.next()) {
      auto& event = events.emplace_back(first_);
      event.position = at;
      if (event.bytes.size() < shape_.event_bytes_min) event.bytes.resize(shape_.event_bytes_min);
      if (shape_.damaged.count(at.value()) != 0) event.bytes.resize(first_.bytes.size() / 2);
    }
    reader_ = std::this_thread::get_id();
    return events;
  }

  std::thread::id reader() const { return reader_; }

 private:
  const eventstore::StoredEvent first_;
  const Shape shape_;
  mutable std::thread::id reader_;
};

}  // namespace pixledger::tests
