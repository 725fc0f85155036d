#pragma once

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/executor/executor.h"

namespace pixledger::workers {

inline constexpr std::string_view kProvidersActor = "worker-providers";

// Submits the worker's commands to the ledger and waits for their outcome. Thread-safe.
class CommandSubmitter {
 public:
  // The executor outlives it.
  explicit CommandSubmitter(eventstore::Executor& executor) : executor_(executor) {}

  // Returns the outcome, or nullopt if the ledger takes no commands now.
  std::optional<domain::Outcome> submit(domain::Command command) const {
    std::promise<eventstore::Result> promise;
    executor_.submit({std::move(command), std::string(kProvidersActor), std::nullopt, "", std::nullopt},
                     [&promise](eventstore::Result result) { promise.set_value(std::move(result)); });
    const auto result = promise.get_future().get();
    const auto* completed = std::get_if<eventstore::Completed>(&result);
    if (!completed) return std::nullopt;
    return completed->outcome;
  }

 private:
  eventstore::Executor& executor_;
};

}  // namespace pixledger::workers
