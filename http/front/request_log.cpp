#include "http/front/request_log.h"

#include <utility>

#include "base/text/text.h"
#include "http/front/caller.h"

namespace pixledger::http {
namespace {

constexpr int kFirstError = 400;
constexpr int kFirstFault = 500;
constexpr std::chrono::seconds kSecond{1};

// Rounded up, so that no duration is zero.
std::int64_t in_ms(std::chrono::nanoseconds took) {
  return std::chrono::ceil<std::chrono::milliseconds>(took).count();
}

void shorten(std::string& text) { text.resize(first_bytes(text, FailedRequests::kTextMax).size()); }

}  // namespace

void RequestLog::error_answered(const Request& request, const Reply& reply) {
  next_.error_answered(request, reply);
  // Refusals of payers and of users without a project belong to no project.
  const auto& caller = request.caller;
  if (!caller || (!caller->key && !caller->user) || caller->project == of_no_project()) return;
  FailedRequest failed{.at = clock_.now(),
                       .environment = caller->environment,
                       .method = method_name(request.method),
                       .route = request.route_pattern,
                       .status = reply.status,
                       .code = reply.error->code,
                       .fields = reply.error->fields,
                       .request_id = request.request_id};
  if (caller->key) failed.key_id = caller->key->text();
  if (caller->user) failed.user_id = caller->user->id.text();
  failed_.note(caller->project, std::move(failed));
}

void RequestLog::request_answered(const Request& request, int status, std::chrono::nanoseconds took) {
  next_.request_answered(request, status, took);
  log(request, status, took);
}

void RequestLog::request_refused(const Request& request, int status) {
  next_.request_refused(request, status);
  log(request, status, std::nullopt);
}

void RequestLog::log(const Request& request, int status, std::optional<std::chrono::nanoseconds> took) {
  if (which_ == LoggedRequests::kNone) return;
  const bool is_error = status >= kFirstError;
  if (!is_error && which_ == LoggedRequests::kErrors && request.route_pattern != kReconciliationsPath) return;
  if (is_error && !takes_error()) return;
  const auto level = status >= kFirstFault ? LogLevel::kWarning : LogLevel::kInfo;
  const auto route = request.route_pattern.empty() ? std::string_view("unmatched") : request.route_pattern;
  const auto write = [&](auto... known) {
    logger_.log(level, "request",
                {{"requestId", request.request_id},
                 {"method", method_name(request.method)},
                 {"route", route},
                 {"status", status},
                 known...,
                 {"caller", request.caller_address}});
  };
  if (!took) return write();
  const LogField duration("durationMs", in_ms(*took));
  if (!request.caller) return write(duration);
  if (request.caller->user) return write(duration, LogField("userId", request.caller->user->id.text()));
  if (!request.caller->key) return write(duration);
  write(duration, LogField("keyId", request.caller->key->text()));
}

bool RequestLog::takes_error() {
  std::uint64_t to_tell = 0;
  bool takes = true;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now - second_began_ >= kSecond) {
      second_began_ = now;
      errors_ = 0;
      const auto left_out = left_out_.load(std::memory_order_relaxed);
      to_tell = left_out - left_out_told_;
      left_out_told_ = left_out;
    }
    takes = errors_ < kErrorsMax;
    if (takes)
      ++errors_;
    else
      left_out_.fetch_add(1, std::memory_order_relaxed);
  }
  if (to_tell > 0)
    logger_.warning("more requests were refused than are written a second", {{"leftOut", to_tell}});
  return takes;
}

void FailedRequests::note(const domain::ProjectId& project, FailedRequest request) {
  if (request.fields.size() > kFieldsMax) request.fields.resize(kFieldsMax);
  for (auto& field : request.fields) shorten(field);
  shorten(request.request_id);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = lines_.try_emplace(project.text());
  auto& line = found->second;
  if (is_new)
    line.turn = turns_.insert(turns_.end(), project.text());
  else
    turns_.splice(turns_.end(), turns_, line.turn);
  line.requests.push_front(std::move(request));
  if (line.requests.size() > kOfProjectMax) line.requests.pop_back();
  if (lines_.size() <= kProjectsMax) return;
  lines_.erase(turns_.front());
  turns_.pop_front();
}

std::vector<FailedRequest> FailedRequests::of(const domain::ProjectId& project) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(project.text());
  if (found == lines_.end()) return {};
  return {found->second.requests.begin(), found->second.requests.end()};
}

}  // namespace pixledger::http
