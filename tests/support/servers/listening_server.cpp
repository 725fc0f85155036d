#include "tests/support/servers/listening_server.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/http/json/error_reply.h"

namespace pixledger::tests {
namespace {

// Mon, 02 Jan 2023 03:04:05 GMT
constexpr std::int64_t kNow = 1'672'628'645;

http::Reply echo(const http::Request& request) {
  std::string said(http::method_name(request.method));
  said.append(" ").append(request.path).append("?").append(request.query).append(" ").append(request.body);
  return http::Reply{200, said};
}

// Returns one word per read.
class Words final : public http::BodySource {
 public:
  void begin(std::function<void()>) override {}
  Then append_to(std::string& bytes, std::size_t) override {
    const auto end = std::min(left_.find(' '), left_.size() - 1) + 1;
    bytes.append(left_.substr(0, end));
    left_.remove_prefix(end);
    return left_.empty() ? Then::kEnd : Then::kMore;
  }

 private:
  std::string_view left_ = ListeningServer::kStreamed;
};

}  // namespace

ListeningServer::ListeningServer(http::ServerOptions options)
    : router_(routes(),
              [](http::Request& request, const http::Route& route) {
                return route.scope.empty()
                           ? std::nullopt
                           : std::optional(http::transport_error_reply(request, 403, "Not for you."));
              }),
      server_(options, services()) {
  server_.start();
}

ListeningServer::~ListeningServer() {
  let_go();
  server_.stop(std::chrono::milliseconds(0));
  for (auto& thread : working_) thread.join();
}

std::vector<http::Route> ListeningServer::routes() {
  using http::Method;
  using http::Request;
  const auto fault = [](const Request&) -> http::Reply { throw std::runtime_error("disk full"); };
  const auto large = [](const Request&) { return http::Reply{200, std::string(kLargeBytes, 'x')}; };
  const auto stream = [](const Request&) {
    http::Reply reply;
    reply.content_type = "text/plain";
    reply.source = std::make_shared<Words>();
    return reply;
  };
  const auto nothing = [](const Request&) { return http::Reply{}; };
  http::Route file{Method::kPost, "/file", "", true, nothing};
  file.file_bytes_max = kFileBytesMax;
  return {file,
          {Method::kGet, "/echo", "", true, echo},
          {Method::kPost, "/echo", "", true, echo},
          {Method::kGet, "/later", "", true, echo},
          {Method::kPost, "/later", "", true, echo},
          {Method::kGet, "/large", "", true, large},
          {Method::kGet, "/fault", "", true, fault},
          {Method::kGet, "/wait", "", true, nothing},
          {Method::kPost, "/wait", "", true, nothing},
          {Method::kGet, "/work", "", true, nothing},
          {Method::kGet, "/stream", "", true, stream},
          {Method::kGet, "/forbidden", "none", false, nothing},
          {Method::kPost, "/forbidden", "none", false, nothing}};
}

bool ListeningServer::prepare(const http::Responder& responder) {
  const std::lock_guard lock(mutex_);
  if (responder.request().path != "/later") {
    waits_ = !waits_;
    if (waits_) responder.on_loop([responder] { responder.prepared(); });
    return !waits_;
  }
  if (may_go_) return true;
  preparing_.push_back(responder);
  ++waiting_;
  waiting_.notify_all();
  return false;
}

void ListeningServer::serve(const http::Responder& responder) {
  ++handled_;
  auto& request = responder.request();
  if (auto refused = router_.refuse_body(request)) return responder(*std::move(refused));
  if (request.path == "/wait") {
    const std::lock_guard lock(mutex_);
    if (may_go_) return responder(echo(request));
    responder.share();
    held_.push_back(responder);
    ++waiting_;
    waiting_.notify_all();
    return;
  }
  if (request.path == "/work") {
    responder.share();
    const std::lock_guard lock(mutex_);
    working_.emplace_back([responder] {
      while (!responder.request().budget.is_over()) std::this_thread::yield();
    });
    return;
  }
  responder(std::get<http::Reply>(router_.route_of(request).handler(request)));
}

http::ServerServices ListeningServer::services() {
  http::ServerServices services;
  services.route = [this](http::Request& request) { return router_.route(request); };
  services.prepare = [this](const http::Responder& responder) { return prepare(responder); };
  services.admit = [this](http::Request& request) { return router_.admit(request); };
  services.body_bytes_max = [this](const http::Request& request) {
    return router_.route_of(request).file_bytes_max;
  };
  services.application = [this](const http::Responder& responder) { serve(responder); };
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
  std::vector<http::Responder> held;
  std::vector<http::Responder> preparing;
  {
    const std::lock_guard lock(mutex_);
    may_go_ = true;
    held.swap(held_);
    preparing.swap(preparing_);
  }
  for (const auto& responder : preparing) responder.on_loop([responder] { responder.prepared(); });
  for (const auto& responder : held) responder(echo(responder.request()));
}

}  // namespace pixledger::tests
