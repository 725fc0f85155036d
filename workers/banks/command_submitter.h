#pragma once

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/executor/executor.h"

namespace pixledger::workers {

inline constexpr std::string_view kProvidersActor = "worker-providers";

// The worker's way into the ledger: a command, and a wait for what it came to. Thread-safe.
class CommandSubmitter {
 public:
  // The executor outlives it.
  explicit CommandSubmitter(eventstore::Executor& executor) : executor_(executor) {}

  // What it came to; nothing: the ledger takes no commands now.
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
