#include "http/metrics/access_metrics.h"

namespace pixledger::http {
namespace {

prometheus::Counter& rate_limited_counter(prometheus::Registry& registry, const char* key) {
  return prometheus::BuildCounter()
      .Name("pixledger_rate_limited_requests_total")
      .Help("Requests refused because their API key sent too many, by the kind of key")
      .Register(registry)
      .Add({{"key", key}});
}

prometheus::Counter& unlabelled_counter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

AccessMetrics::AccessMetrics(prometheus::Registry& registry)
    : rate_limited_live(rate_limited_counter(registry, "live")),
      rate_limited_test(rate_limited_counter(registry, "test")),
      failed_authentications(unlabelled_counter(registry, "pixledger_failed_authentications_total",
                                                "Requests without a valid API key")),
      limited_failed_authentications(
          unlabelled_counter(registry, "pixledger_limited_failed_authentications_total",
                             "Requests without a valid API key from an address that had too "
                             "many of them, answered 429")) {}

}  // namespace pixledger::http
