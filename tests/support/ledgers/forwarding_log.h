#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/log/log.h"

namespace pixledger::tests {

// Forwards everything to another log, which must outlive it: the base of logs that misbehave or measure.
class ForwardingLog : public eventstore::Log {
 public:
  explicit ForwardingLog(eventstore::Log& inner) : inner_(inner) {}

  const eventstore::LogIdentity& identity() const override { return inner_.identity(); }
  std::unique_ptr<eventstore::LogWrite> begin_write() override { return inner_.begin_write(); }
  Head head() const override { return inner_.head(); }
  Head catch_up() const override { return inner_.catch_up(); }
  std::uint32_t version_of(const eventstore::StreamName& stream) const override {
    return inner_.version_of(stream);
  }
  std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
    return inner_.read_after(after, max);
  }
  eventstore::StreamBatch read_stream(const eventstore::StreamName& stream, std::uint32_t after_version,
                                      Position up_to) const override {
    return inner_.read_stream(stream, after_version, up_to);
  }
  std::optional<eventstore::StreamName> claim_holder(const eventstore::ClaimName& claim) const override {
    return inner_.claim_holder(claim);
  }
  std::vector<std::pair<eventstore::ClaimName, eventstore::StreamName>> claims_with_prefix(
      const std::string& prefix) const override {
    return inner_.claims_with_prefix(prefix);
  }
  std::optional<Digest> leaf_hash(Position position) const override { return inner_.leaf_hash(position); }
  std::optional<std::string> tree_record(Position position) const override {
    return inner_.tree_record(position);
  }
  eventstore::ClockAcceptance clock_acceptance() const override { return inner_.clock_acceptance(); }
  void accept_clock(const eventstore::ClockReading& clock) override { inner_.accept_clock(clock); }
  bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                    const WakeSignal::Condition& other) const override {
    return inner_.wait_past_or(position, timeout, other);
  }
  void wake() const override { inner_.wake(); }

 protected:
  eventstore::Log& inner_;
};

}  // namespace pixledger::tests
