#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include "domain/values/environment.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

// The creations that were refused and left no event, counted by environment. Thread-safe.
class RefusalMetrics {
 public:
  // The registry outlives it.
  explicit RefusalMetrics(prometheus::Registry& registry);

  // What a charge's creation came to.
  void note(domain::Environment environment, const eventstore::Result& result);

 private:
  prometheus::Family<prometheus::Counter>& family_;
  prometheus::Counter& live_;
  prometheus::Counter& sandbox_;
};

}  // namespace pixledger::http
