#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/http/transport/server.h"
#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"

namespace pixledger::http {

// A call that was refused or failed.
struct FailedRequest {
  Timestamp at;
  domain::Environment environment;  // the caller's
  std::string_view method;          // a literal
  std::string_view route;           // a literal, with its parameters' names
  int status;
  std::string code;
  std::vector<std::string> fields;  // the invalid ones, as the caller wrote them
  std::string request_id;
  std::optional<std::string> key_id{};   // the caller is a key …
  std::optional<std::string> user_id{};  // … or a user
};

// The newest failed calls of each project, since the process began. Thread-safe.
//
// Memory is bounded by the limits below; kFieldsMax and kTextMax apply to each call. Beyond kProjectsMax the
// project is evicted whose last failure is oldest.
class FailedRequests {
 public:
  static constexpr std::size_t kOfProjectMax = 200;
  static constexpr std::size_t kProjectsMax = 256;
  static constexpr std::size_t kFieldsMax = 10;
  static constexpr std::size_t kTextMax = 100;

  void note(const domain::ProjectId& project, FailedRequest request);
  // Newest first.
  std::vector<FailedRequest> of(const domain::ProjectId& project) const;

 private:
  struct Line {
    std::deque<FailedRequest> requests;
    std::list<std::string>::iterator turn;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Line> lines_;  // by project
  std::list<std::string> turns_;                 // projects; the front one's last failure is oldest
};

// Which requests are logged: those answered 400 or above, all, or none.
enum class LoggedRequests { kErrors, kAll, kNone };

// Its requests are logged unless none are: nothing else of what they send is kept.
inline constexpr std::string_view kReconciliationsPath = "/api/v1/reconciliations";

// Logs one line a request with its requestId and outcome, keeps failed calls of projects, and passes
// everything on. At most kErrorsMax errors a second are written; a later line says how many were left out,
// which are always counted. Incomplete requests have no duration. Thread-safe.
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

  // Errors not written since the start.
  std::uint64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }

 private:
  void log(const Request& request, int status, std::optional<std::chrono::nanoseconds> took);
  // Whether another error may be written in this second.
  bool takes_error();

  ServerObserver& next_;
  Logger& logger_;
  const LoggedRequests which_;
  FailedRequests& failed_;
  const pixledger::Clock& clock_;
  std::atomic<std::uint64_t> left_out_{0};
  std::mutex mutex_;
  Clock::time_point second_began_{};  // guarded by the mutex, as are the next two
  std::uint32_t errors_ = 0;
  std::uint64_t left_out_told_ = 0;
};

}  // namespace pixledger::http
