#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/MessageHeader.h>
#include <Poco/Net/StreamSocket.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/webhook_target.h"

namespace pixledger {

// A request to a target's path.
struct OutgoingRequest {
  std::string method;                                        // "POST"
  std::vector<std::pair<std::string, std::string>> headers;  // beside Host, Content-Length and Connection
  std::string_view body = {};
  std::size_t answer_bytes_max;  // of the answer's body
  DeadlineWatch::Time deadline;  // of connecting, handshake, sending and answer together
  // Whether the receiver may get it twice: a kept connection may close while the request is on its way.
  bool is_repeatable = false;
};

struct IncomingAnswer {
  enum class Body { kComplete, kTooLong, kBrokenOff };

  int status = 0;
  Poco::Net::MessageHeader headers;
  std::string body;  // its beginning, unless it is complete
  Body body_state = Body::kBrokenOff;
};

// Why no answer came.
struct SendFailure {
  enum class Cause { kTimeout, kRefused, kClosed, kCertificate, kTls, kOther };

  Cause cause = Cause::kOther;
  std::string reason;     // one short printable line, the same for the same cause
  bool was_sent = false;  // the receiver may have got the request
};

class ConnectionPool;
struct TargetConnection;

// Sends HTTP/1.1 requests, and keeps some connections open to save TLS handshakes. Does not follow redirects
// or ask for compression. Thread-safe.
class HttpClient {
 public:
  // The watch outlives it.
  HttpClient(DeadlineWatch& watch, Poco::Net::Context::Ptr tls, std::chrono::milliseconds connect_timeout);
  ~HttpClient();

  // Connects to the target's addresses only. Failures are results, not exceptions.
  std::variant<IncomingAnswer, SendFailure> send(const PinnedTarget& target, const OutgoingRequest& request);

 private:
  struct Progress;

  std::unique_ptr<TargetConnection> open(const PinnedTarget& target, DeadlineWatch::Watched& watched) const;
  void attempt(const PinnedTarget& target, const OutgoingRequest& request, DeadlineWatch::Watched& watched,
               Progress& progress);
  void exchange(std::unique_ptr<TargetConnection> connection, const WebhookUrl& url,
                const OutgoingRequest& request, Progress& progress);

  DeadlineWatch& watch_;
  const Poco::Net::Context::Ptr tls_;
  const std::chrono::milliseconds connect_timeout_;
  const std::unique_ptr<ConnectionPool> pool_;
};

struct ConnectedSocket {
  Poco::Net::StreamSocket socket;
  IpAddress address;
};

// Connects to the first of these addresses that accepts. `timeout` is for each; `watched` covers the socket.
// Throws Poco::Exception.
ConnectedSocket connect_to_any(const std::vector<IpAddress>& addresses, std::uint16_t port,
                               std::chrono::milliseconds timeout, DeadlineWatch::Watched& watched);

// At most 200 characters of printable ASCII.
std::string printable_failure(std::string text);

// TLS 1.2 or newer that verifies the peer's certificate and host name. `ca_file`: further trusted
// certificates, PEM; empty: only the system's. Throws Poco::Exception if it cannot be read.
Poco::Net::Context::Ptr make_tls_client_context(const std::string& ca_file);

// The same without any trusted certificates.
Poco::Net::Context::Ptr make_trustless_tls_client_context();

}  // namespace pixledger
