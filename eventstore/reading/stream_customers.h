#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Whom an event of a customers' stream is about: a document's stream holds several customers, one after the
// other, where erasures lie between. What has been recorded stays, so each event of a stream is read once,
// however many of them are asked for and in whatever order, as long as the stream is remembered. Holds ids
// and no personal data. Thread-safe; the log outlives it.
class StreamCustomers {
 public:
  explicit StreamCustomers(const Log& log, std::size_t streams_max = 65'536)
      : log_(log), streams_max_(streams_max) {}

  // Throws LogCorrupt when nobody had been registered by then.
  domain::CustomerId at(const domain::RecordedEvent& event);

 private:
  struct Known {
    std::vector<std::pair<std::uint32_t, domain::CustomerId>>
        registrations;        // with their versions, ascending
    std::uint32_t until = 0;  // the version up to which they are all known
  };
  void read_on(Known& known, const domain::RecordedEvent& event) const;

  const Log& log_;
  const std::size_t streams_max_;
  std::mutex mutex_;
  std::unordered_map<StreamName, Known> streams_;
};

}  // namespace pixledger::eventstore
