#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/http/transport/server.h"
#include "base/platform/clock.h"
#include "base/process/logging.h"
#include "http/services/failed_requests.h"

namespace pixledger::http {

// Which requests are logged: those that were answered 400 or above, all, or none.
enum class LoggedRequests { kErrors, kAll, kNone };

// Its requests are logged whenever any are: of what it is sent nothing else is kept.
inline constexpr std::string_view kReconciliationsPath = "/api/v1/reconciliations";

// Logs a line a request with what finds it again (requestId) and what came of it, keeps the failed ones of
// projects, and hands everything on. Of
// errors at most kErrorsMax a second are written; how many were left out is logged with the next one, and
// always counted. What did not arrive as a whole has no duration. Thread-safe.
class RequestLog final : public ServerObserver {
 public:
  static constexpr std::uint32_t kErrorsMax = 100;
  using Clock = std::chrono::steady_clock;

  // All outlive it.
  RequestLog(ServerObserver& next, Logger& logger, LoggedRequests which, FailedRequests& failed,
             const pixledger::Clock& clock)
      : next_(next), logger_(logger), which_(which), failed_(failed), clock_(clock) {}

  void request_arrived() override { next_.request_arrived(); }
  void error_answered(const Request& request, const Reply& reply) override;
  void request_answered(const Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const Request& request, int status) override;

  // Errors that were not written since the start.
  std::uint64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }

 private:
  void log(const Request& request, int status, std::optional<std::chrono::nanoseconds> took);
  // Whether one more error may be written in this second.
  bool takes_error();

  ServerObserver& next_;
  Logger& logger_;
  const LoggedRequests which_;
  FailedRequests& failed_;
  const pixledger::Clock& clock_;
  std::atomic<std::uint64_t> left_out_{0};
  std::mutex mutex_;
  Clock::time_point second_began_{};  // of these two
  std::uint32_t errors_ = 0;
  std::uint64_t left_out_told_ = 0;
};

}  // namespace pixledger::http
