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

// A server's address and limits.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port, see Server::port

  std::size_t loops = 1;  // threads; each serves many connections
  // Beyond the limit a new connection is answered 503, unless another can be ended. Candidates, in order: a
  // request arriving for over `slow_after`, the slowest reader of a reply, the longest idle. None younger
  // than `slow_after` is ended.
  std::size_t max_connections = 20'000;
  std::size_t max_connections_per_address = 1'000;  // 0: no limit; trusted proxies have none
  std::chrono::milliseconds slow_after{1'000};
  // Between two requests of a connection. Must exceed the keep-alive of load balancers (usually 60 s), or
  // they send requests on connections that are closing.
  std::chrono::milliseconds idle_timeout{75'000};
  // For a request's head to arrive, from its first byte; also for a new connection's first byte.
  std::chrono::milliseconds head_deadline{10'000};
  std::chrono::milliseconds request_deadline{30'000};  // for a whole request to arrive
  // For preparing a request's admission; afterwards it is decided without the missing data.
  std::chrono::milliseconds prepare_max{5'000};
  // The least average rate at which a peer must accept a reply over each `send_window`; slower peers are cut
  // off.
  std::size_t min_send_rate = 1024;  // bytes a second
  std::chrono::milliseconds send_window{5'000};
  // For processing a request, without the time that it asked to wait.
  std::chrono::milliseconds work_max{10'000};
  std::size_t head_bytes_max = 16 * 1024;  // request line and headers; more: 431
  std::size_t header_count_max = 100;      // more: 431
  std::size_t body_bytes_max = 64 * 1024;  // decoded; more: 413, but see ServerServices::body_bytes_max
  // For all larger bodies together, see ByteBudget; more: 503.
  std::size_t large_bodies_max = 32 * 1024 * 1024;
  // For all large replies being sent, see ByteBudget; more: 503.
  std::size_t reply_bytes_max = 64 * 1024 * 1024;

  std::string tls_cert_file;  // PEM, with its chain; both or neither. TLS 1.2 or newer
  std::string tls_key_file;   // PEM
  // PEM: with TLS, a client needs a certificate of one of these authorities. Empty: it needs none.
  std::vector<std::string> tls_client_ca_files;

  // Peers whose X-Forwarded-For is trusted; others' is ignored.
  std::vector<Cidr> trusted_proxies;
  bool proxies_may_omit_tls = false;
};

// Receives every request, for metrics. Called concurrently from many threads; must not block or throw.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void request_arrived() = 0;  // completely
  // After request_arrived, before the reply is sent. `took`: time since request_arrived.
  virtual void request_answered(const Request& request, int status, std::chrono::nanoseconds took) = 0;
  // Before request_answered, if the reply is a refusal with a reason (Reply::error).
  virtual void error_answered(const Request&, const Reply&) {}
  // The transport refused an incomplete request. `request` has only what was read.
  virtual void request_refused(const Request& request, int status) = 0;
  // A connection ended without a reply, during its TLS handshake or within a request.
  virtual void connection_broke_off() {}
  // There was no room for a connection, and it got no reply. One that gets a reply is a request_refused.
  virtual void connection_refused() {}
};

// What the transport needs from the application. All run on the loops' threads and must not block. If
// `route`, `admit` or `application` throws, the reply is 503.
struct ServerServices {
  // The next three are called in this order, after the head and before the body. All are optional.
  //
  // `route` selects the route. Returns an error reply, or nullopt.
  std::function<std::optional<Reply>(Request&)> route;
  // Returns true if the request can be admitted or refused now. Otherwise call Responder::prepared later,
  // after this has returned.
  std::function<bool(const Responder&)> prepare;
  // Authenticates and checks the head. Returns an error reply, or nullopt.
  std::function<std::optional<Reply>(Request&)> admit;
  // The limit for an admitted request's body with a Content-Length, if higher than usual. Optional.
  std::function<std::size_t(const Request&)> body_bytes_max = nullptr;

  // Called when the request is complete.
  std::function<void(const Responder&)> application;
  std::function<void(std::span<std::byte>)> entropy;  // fills with random bytes
  std::function<std::int64_t()> unix_time_s;          // seconds since 1970-01-01 UTC, for Date
  // Logs why a request could not be processed; without personal data.
  std::function<void(const Request&, std::string_view)> log_fault;
  // Receives the count so far, at most once a minute; optional.
  std::function<void(std::uint64_t)> log_refused_connections;
  ServerObserver* observer = nullptr;
};

// The HTTP/1.1 server: a few event loops, each with many connections, without a thread per connection.
//
// Every reply, also to malformed requests, has the interface's error shape, an X-Request-Id and
// Cache-Control: no-store. Requests are admitted by their head, so the bodies of unauthorized callers are not
// read. The application gets only complete requests. Ambiguous framing (RFC 9112 §6.3, §11.2) is answered
// 400, and the connection closes.
class Server {
 public:
  // Listens on return, accepts after start(). Throws std::runtime_error with address or file and the reason
  // if it cannot listen or load the certificate.
  Server(const ServerOptions& options, const ServerServices& services);
  // Calls stop() without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  // From now on each reply announces the end of its connection, so callers reconnect elsewhere before stop()
  // closes connections. Keeps serving.
  void begin_draining();

  // Stops accepting, closes idle connections, and lets running requests finish and their replies be sent.
  // Cuts off what remains after `grace`. Returns when no loop runs any more; later replies are dropped.
  void stop(std::chrono::milliseconds grace);

  std::uint16_t port() const;
  std::size_t open_connections() const;
  std::uint64_t refused_connections() const;  // over the connection limit
  const ConnectionCounts& connections() const;
  std::size_t reply_bytes() const;        // of large replies being sent
  std::uint64_t refused_replies() const;  // over the limit for large replies
  ServedCertificate* certificate();       // null without TLS

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pixledger::http
