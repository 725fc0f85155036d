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

// The customer that an event of a document's stream is about: the stream holds several customers, one after
// the other, separated by erasures. Recorded events never change, so each is read once while the stream is
// remembered, in any order of calls. Holds ids and no personal data. Thread-safe; the log must outlive it.
class StreamCustomers {
 public:
  explicit StreamCustomers(const Log& log, std::size_t streams_max = 65'536)
      : log_(log), streams_max_(streams_max) {}

  // Throws LogCorrupt if no customer was registered by then.
  domain::CustomerId at(const domain::RecordedEvent& event);

 private:
  struct Known {
    std::vector<std::pair<std::uint32_t, domain::CustomerId>>
        registrations;        // with their versions, ascending
    std::uint32_t until = 0;  // the version up to which all are known
  };
  void read_on(Known& known, const domain::RecordedEvent& event) const;

  const Log& log_;
  const std::size_t streams_max_;
  std::mutex mutex_;
  std::unordered_map<StreamName, Known> streams_;
};

}  // namespace pixledger::eventstore
