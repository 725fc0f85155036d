#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include "domain/values/environment.h"

namespace pixledger::http {

// What the guard counts. The registry outlives it.
struct AccessMetrics {
  explicit AccessMetrics(prometheus::Registry& registry);

  prometheus::Counter& rate_limited(domain::Environment environment) {
    return environment == domain::Environment::kLive ? rate_limited_live : rate_limited_test;
  }

  prometheus::Counter& rate_limited_live;
  prometheus::Counter& rate_limited_test;
  prometheus::Counter& failed_authentications;          // all of them …
  prometheus::Counter& limited_failed_authentications;  // … and those answered 429
};

}  // namespace pixledger::http
