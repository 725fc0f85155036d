#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/connection_limits.h"
#include "base/http/transport/exchange.h"
#include "base/values/ip_address.h"

namespace pixledger::http {

class ServedCertificate;

// Where a server listens, and how much of what and for how long it takes from whoever connects.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one, see Server::port

  std::size_t loops = 1;  // threads that serve connections, each many
  // One more is answered 503, unless room can be made for it by ending another, in this order: a request that
  // has been arriving for over `slow_after`, the slowest reader of a reply, the longest idle. None that is
  // younger than `slow_after` is ended.
  std::size_t max_connections = 20'000;
  std::size_t max_connections_per_address = 1'000;  // 0: no limit. Trusted proxies have none
  std::chrono::milliseconds slow_after{1'000};
  // Between two requests of a connection. Longer than balancers keep theirs (60 s is usual), or they send
  // requests on connections that end.
  std::chrono::milliseconds idle_timeout{75'000};
  // For a request's head to arrive, from its first byte on. A new connection says something within as long.
  std::chrono::milliseconds head_deadline{10'000};
  std::chrono::milliseconds request_deadline{30'000};  // for a whole request to arrive
  // For what has to be known before a request is admitted; then it is admitted or refused without.
  std::chrono::milliseconds prepare_max{5'000};
  // What a peer takes of a reply on average over each `send_window`; who takes less is cut off.
  std::size_t min_send_rate = 1024;  // bytes a second
  std::chrono::milliseconds send_window{5'000};
  // For a request to be worked on; what it asks to wait is not counted.
  std::chrono::milliseconds work_max{10'000};
  std::size_t head_bytes_max = 16 * 1024;  // request line and headers; more: 431
  std::size_t header_count_max = 100;      // more: 431
  std::size_t body_bytes_max = 64 * 1024;  // decoded; more: 413, but see ServerServices::body_bytes_max
  // Of larger bodies that are here together, see ByteBudget; more: 503.
  std::size_t large_bodies_max = 32 * 1024 * 1024;
  // Of large replies that are on their way together, see ByteBudget; more: 503.
  std::size_t reply_bytes_max = 64 * 1024 * 1024;

  std::string tls_cert_file;  // PEM, with its chain; both or none. TLS 1.2 or newer
  std::string tls_key_file;   // PEM

  // Peers whose X-Forwarded-For says who calls; other peers' is not looked at.
  std::vector<Cidr> trusted_proxies;
};

// Told of every request, for metrics. Called from many threads at once; must not block or throw.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void request_arrived() = 0;  // as a whole
  // After request_arrived, before the answer is sent. `took`: since then.
  virtual void request_answered(const Request& request, int status, std::chrono::nanoseconds took) = 0;
  // Before request_answered, where the answer is a refusal that says why (Reply::error).
  virtual void error_answered(const Request&, const Reply&) {}
  // By the transport, since it did not arrive as a whole. Of the request, only what was read is there.
  virtual void request_refused(const Request& request, int status) = 0;
};

// What the transport needs from outside. All are called from the loops' threads, so none may block; `route`,
// `admit` and `application` may throw, which is a fault that is answered 503.
struct ServerServices {
  // Once a request's head is there, and before its body is read, in this order. All three may be absent.
  // Its refusal for where it goes, or nothing.
  std::function<std::optional<Reply>(Request&)> route;
  // Whether it can be admitted or refused at once. Otherwise Responder::prepared says when it can be, not
  // before this has returned.
  std::function<bool(const Responder&)> prepare;
  // Its refusal for whose it is and what else its head says, or nothing.
  std::function<std::optional<Reply>(Request&)> admit;
  // How large the body of an admitted request may be that says its length, where that is more than usual.
  // May be absent.
  std::function<std::size_t(const Request&)> body_bytes_max = nullptr;

  // Once all of it is there.
  std::function<void(const Responder&)> application;
  std::function<void(std::span<std::byte>)> entropy;  // fills with random bytes
  std::function<std::int64_t()> unix_time_s;          // seconds since 1970-01-01 UTC, for Date
  // Why a request could not be processed; no personal data.
  std::function<void(const Request&, std::string_view)> log_fault;
  // With how many there were so far, at most once a minute; may be absent.
  std::function<void(std::uint64_t)> log_refused_connections;
  ServerObserver* observer = nullptr;
};

// The HTTP/1.1 server: a few event loops, each with many connections, none of which has a thread.
//
// Every answer, to malformed requests too, has the interface's error shape, an X-Request-Id and
// Cache-Control: no-store. A request is judged by its head, so that who may not ask has no body read, and
// handed to the application only when it has arrived as a whole; a connection whose framing is in doubt
// (RFC 9112 §6.3, §11.2) is answered 400 and closed.
class Server {
 public:
  // Listens on return, accepts from start() on. Throws std::runtime_error, which names address or file and
  // the reason, when it cannot listen or load the certificate.
  Server(const ServerOptions& options, const ServerServices& services);
  // stop()s without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  // From here on each answer is the last one of its connection, and says so: callers connect anew, elsewhere,
  // before stop() closes connections. Goes on serving.
  void begin_draining();

  // Stops accepting, closes what is idle, lets running requests finish and their replies leave. What is still
  // reading or writing after `grace` is cut off. Returns when no loop runs any more; what is answered later
  // is dropped.
  void stop(std::chrono::milliseconds grace);

  std::uint16_t port() const;
  std::size_t open_connections() const;
  std::uint64_t refused_connections() const;  // because there were too many
  const ConnectionCounts& connections() const;
  std::size_t reply_bytes() const;        // of large replies that are being sent
  std::uint64_t refused_replies() const;  // because there were too many of these
  ServedCertificate* certificate();       // null without TLS

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pixledger::http
