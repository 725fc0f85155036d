#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "domain/event.h"
#include "eventstore/lmdb_log.h"
#include "tools/verify/finding.h"

namespace pixledger::tools {

// Personal data are missing where a customer's erasure explains it, and nowhere else; what an erasure takes
// away is gone. Told the events of one stream after the other.
class PersonalRules {
 public:
  // `erasures` are the positions of the log's CustomerErased. Those that come later are looked up when
  // something is missing. Throws LogCorrupt.
  PersonalRules(const eventstore::LmdbLog& log, const std::vector<domain::Position>& erasures);

  void begin_stream();
  std::optional<Finding> check(const domain::RecordedEvent& event, const eventstore::StoredEvent& stored);

 private:
  const eventstore::LmdbLog& log_;
  const eventstore::Digest none_ = eventstore::sha256("");
  std::unordered_map<domain::CustomerId, domain::Position> erased_;

  std::optional<domain::CustomerId> customer_;  // whom the stream is about
};

}  // namespace pixledger::tools
