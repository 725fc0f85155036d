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

// A conversation over a connected socket.
class TargetSession final : public Poco::Net::HTTPClientSession {
 public:
  explicit TargetSession(const Poco::Net::StreamSocket& socket) : HTTPClientSession(socket) {}

  // Whether the receiver has said more than its answer: nobody knows what that belongs to.
  bool has_unread() const { return buffered() > 0; }
};

// A connection to a target, pinned to one of its checked addresses.
struct TargetConnection {
  std::string key;                 // scheme, host, port and address: the same key is the same receiver
  Poco::Net::StreamSocket socket;  // the TCP socket under the session
  std::unique_ptr<TargetSession> session;
};

// Opens connections and keeps a few that receivers left open, so that not each webhook costs a TLS handshake.
// Thread-safe.
class ConnectionPool {
 public:
  static constexpr std::size_t kIdlePerTargetMax = 32;
  static constexpr std::size_t kIdleConnectionsMax = 512;
  static constexpr std::chrono::seconds kIdleMax{10};

  // `ca_file`: certificates to trust beyond the system's, PEM; empty: none. Throws Poco::Exception when it
  // cannot be read.
  ConnectionPool(const std::string& ca_file, std::chrono::milliseconds connect_timeout);
  // With this context for TLS.
  ConnectionPool(Poco::Net::Context::Ptr tls, std::chrono::milliseconds connect_timeout);

  // An idle connection, or nothing.
  std::unique_ptr<TargetConnection> take_idle(const PinnedTarget& target);
  // A new one: TCP to one of the addresses, then TLS 1.2 or newer with the certificate and the host's name
  // verified. The socket is under `watched` from the first byte on. Throws Poco::Exception.
  std::unique_ptr<TargetConnection> open(const PinnedTarget& target, DeadlineWatch::Watched& watched);
  // For connections whose last answer was read to its end, with nothing behind it.
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

// Why a conversation failed: one line, short, printable, and the same for the same cause.
std::string describe_failure(const Poco::Exception& error);
// At most 200 characters of printable ASCII.
std::string printable_failure(std::string text);

// The peer closed the connection without a word; what is no HTTP has other causes.
bool was_closed(const Poco::Exception& error);

// The answer is still to come (RFC 9110 §15.2); after 101, which nobody asked for, no HTTP comes anymore.
bool is_interim(Poco::Net::HTTPResponse::HTTPStatus status);

// Appends a body to `text`; true when it ended within `bytes_max`. What was read is there, whatever happens;
// it may be a little more.
bool read_body(std::istream& body, std::size_t bytes_max, std::string& text);

// TLS 1.2 or newer that verifies the other side's certificate and host name. `ca_file`: certificates to trust
// beyond the system's, PEM; empty: none. Throws Poco::Exception when it cannot be read.
Poco::Net::Context::Ptr make_tls_client_context(const std::string& ca_file);

// The same, but it trusts nobody yet.
Poco::Net::Context::Ptr make_trustless_tls_client_context();

}  // namespace pixledger
