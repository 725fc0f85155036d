#include "tests/support/servers/listening_server.h"

#include <stdexcept>
#include <thread>

namespace pixledger::tests {
namespace {

// Mon, 02 Jan 2023 03:04:05 GMT
constexpr std::int64_t kNow = 1'672'628'645;

http::Reply echo(const http::Request& request) {
  std::string said(http::method_name(request.method));
  said.append(" ").append(request.path).append("?").append(request.query).append(" ").append(request.body);
  return http::Reply{200, said, http::kJson, {}};
}

}  // namespace

ListeningServer::ListeningServer(http::ServerOptions options)
    : router_(routes(), [](http::Request&, const http::Route&) { return std::optional<http::Reply>(); }),
      server_(options, services()) {
  server_.start();
}

ListeningServer::~ListeningServer() {
  let_go();
  server_.stop(std::chrono::milliseconds(0));
}

std::vector<http::Route> ListeningServer::routes() {
  using http::Method;
  using http::Request;
  const auto wait = [this](const Request& request) {
    ++waiting_;
    waiting_.notify_all();
    may_go_.wait(false);
    return echo(request);
  };
  const auto work = [](const Request& request) -> http::Reply {
    for (;; std::this_thread::yield()) request.budget.check();
  };
  const auto fault = [](const Request&) -> http::Reply { throw std::runtime_error("disk full"); };
  const auto large = [](const Request&) {
    return http::Reply{200, std::string(kLargeBytes, 'x'), http::kJson, {}};
  };
  return {{Method::kGet, "/echo", "", true, echo},   {Method::kPost, "/echo", "", true, echo},
          {Method::kGet, "/large", "", true, large}, {Method::kGet, "/fault", "", true, fault},
          {Method::kGet, "/wait", "", true, wait},   {Method::kGet, "/work", "", true, work}};
}

http::ServerServices ListeningServer::services() {
  http::ServerServices services;
  services.application = [this](http::Request& request) {
    ++handled_;
    return router_.serve(request);
  };
  services.entropy = [this](std::span<std::byte> bytes) { entropy_.fill(bytes); };
  services.unix_time_s = [] { return kNow; };
  services.log_fault = [this](const http::Request& request, std::string_view what) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(request.request_id + " " + std::string(request.route_pattern) + ": " +
                      std::string(what));
  };
  services.log_refused_connections = [this](std::uint64_t) { ++logged_refusals_; };
  return services;
}

std::vector<std::string> ListeningServer::faults() {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void ListeningServer::await_waiting(int requests) {
  for (int seen = waiting_; seen < requests; seen = waiting_) waiting_.wait(seen);
}

void ListeningServer::let_go() {
  may_go_ = true;
  may_go_.notify_all();
}

}  // namespace pixledger::tests
