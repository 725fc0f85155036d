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
  std::vector<std::string> fields;  // that are wrong, as the caller wrote them
  std::string request_id;
  std::optional<std::string> key_id{};   // who it was …
  std::optional<std::string> user_id{};  // … either of them
};

// The newest failed calls of each project, since the process began. Thread-safe.
//
// Memory is bounded: of a project kOfProjectMax are kept, with kFieldsMax fields each and as much of what a
// caller wrote as kTextMax; beyond kProjectsMax the project is forgotten whose last call failed longest ago.
class FailedRequests {
 public:
  static constexpr std::size_t kOfProjectMax = 200;
  static constexpr std::size_t kProjectsMax = 256;
  static constexpr std::size_t kFieldsMax = 10;
  static constexpr std::size_t kTextMax = 100;

  void note(const domain::ProjectId& project, FailedRequest request);
  // Newest first.
  std::vector<FailedRequest> of(const domain::ProjectId& project) const;
  std::size_t projects_known() const;

 private:
  struct Line {
    std::deque<FailedRequest> requests;
    std::list<std::string>::iterator turn;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Line> lines_;  // by project
  std::list<std::string> turns_;                 // projects, the one in front failed longest ago
};

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
