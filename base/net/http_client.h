#pragma once

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/StreamSocket.h>
#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/webhook_target.h"

namespace pixledger {

// An HTTP session over a connected socket.
class TargetSession final : public Poco::Net::HTTPClientSession {
 public:
  explicit TargetSession(const Poco::Net::StreamSocket& socket) : HTTPClientSession(socket) {}

  // Whether the receiver sent more than its reply; such bytes belong to no request.
  bool has_unread() const { return buffered() > 0; }
};

// A connection to a target, pinned to one of its checked addresses.
struct TargetConnection {
  std::string key;                 // scheme, host, port and address; equal keys mean the same receiver
  Poco::Net::StreamSocket socket;  // the TCP socket under the session
  std::unique_ptr<TargetSession> session;
};

// Opens connections and keeps some open ones, to save TLS handshakes. Thread-safe.
class ConnectionPool {
 public:
  static constexpr std::size_t kIdlePerTargetMax = 32;
  static constexpr std::size_t kIdleConnectionsMax = 512;
  static constexpr std::chrono::seconds kIdleMax{10};

  // `ca_file`: further trusted certificates, PEM; empty: only the system's. Throws Poco::Exception if it
  // cannot be read.
  ConnectionPool(const std::string& ca_file, std::chrono::milliseconds connect_timeout);
  // Uses this TLS context.
  ConnectionPool(Poco::Net::Context::Ptr tls, std::chrono::milliseconds connect_timeout);

  // Returns an idle connection, or nullptr.
  std::unique_ptr<TargetConnection> take_idle(const PinnedTarget& target);
  // Opens a connection to one of the addresses, then TLS 1.2 or newer with certificate and host name
  // verified. `watched` covers the socket from the first byte on. Throws Poco::Exception.
  std::unique_ptr<TargetConnection> open(const PinnedTarget& target, DeadlineWatch::Watched& watched);
  // Takes back a connection whose last reply was read completely, with nothing after it.
  void keep(std::unique_ptr<TargetConnection> connection);

 private:
  struct Idle {
    std::unique_ptr<TargetConnection> connection;
    std::chrono::steady_clock::time_point since;
  };

  Poco::Net::StreamSocket connect(const WebhookUrl& url, const IpAddress& address,
                                  DeadlineWatch::Watched& watched) const;

  void drop_old(std::vector<Idle>& dropped);

  const std::chrono::milliseconds connect_timeout_;
  Poco::Net::Context::Ptr tls_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<Idle>> idle_;
  std::size_t idle_count_ = 0;
};

// Why an exchange failed: one short printable line, the same for the same cause.
std::string describe_failure(const Poco::Exception& error);
// At most 200 characters of printable ASCII.
std::string printable_failure(std::string text);

// Whether the peer closed the connection before replying. False for replies that are not HTTP.
bool was_closed(const Poco::Exception& error);

// Whether a final reply still follows (RFC 9110 §15.2). False for 101, after which no HTTP follows.
bool is_interim(Poco::Net::HTTPResponse::HTTPStatus status);

// Appends a body to `text`; returns true if it ended within `bytes_max`. Partial bodies are appended too, and
// may exceed the limit slightly.
bool read_body(std::istream& body, std::size_t bytes_max, std::string& text);

// TLS 1.2 or newer that verifies the peer's certificate and host name. `ca_file`: further trusted
// certificates, PEM; empty: only the system's. Throws Poco::Exception if it cannot be read.
Poco::Net::Context::Ptr make_tls_client_context(const std::string& ca_file);

// The same without any trusted certificates.
Poco::Net::Context::Ptr make_trustless_tls_client_context();

}  // namespace pixledger
