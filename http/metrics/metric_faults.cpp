#include "http/metrics/metric_faults.h"

#include <Poco/Exception.h>

namespace pixledger::http {

void MetricFaults::attempt(const std::string& source, const std::function<void()>& read) {
  try {
    read();
  } catch (const Poco::Exception& error) {
    log(source, error.displayText());
  } catch (const std::exception& error) {
    log(source, error.what());
  }
}

void MetricFaults::log(const std::string& source, const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (pauses_.try_emplace(source, kPause).first->second.due())
    logger_.warning("metrics are left out, since they cannot be read",
                    {{"metrics", source}, {"fault", fault}});
}

}  // namespace pixledger::http
