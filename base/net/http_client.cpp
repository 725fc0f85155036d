#include "base/net/http_client.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/RejectCertificateHandler.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <algorithm>
#include <array>
#include <istream>
#include <iterator>
#include <utility>

namespace pixledger {
namespace {

using std::chrono::steady_clock;

Poco::Timespan to_timespan(std::chrono::milliseconds duration) {
  return Poco::Timespan(duration.count() * 1000);
}

std::string key_of(const WebhookUrl& url, const IpAddress& address) {
  return std::string(url.https ? "https " : "http ") + url.host + " " + std::to_string(url.port) + " " +
         address.text();
}

bool is_fresh(steady_clock::time_point since) {
  return steady_clock::now() - since < ConnectionPool::kIdleMax;
}

// An idle connection with readable data was closed by the receiver.
bool is_quiet(const TargetConnection& connection) {
  return !connection.socket.poll(Poco::Timespan(0),
                                 Poco::Net::Socket::SELECT_READ | Poco::Net::Socket::SELECT_ERROR);
}

}  // namespace

ConnectionPool::ConnectionPool(const std::string& ca_file, std::chrono::milliseconds connect_timeout)
    : ConnectionPool(make_tls_client_context(ca_file), connect_timeout) {}

ConnectionPool::ConnectionPool(Poco::Net::Context::Ptr tls, std::chrono::milliseconds connect_timeout)
    : connect_timeout_(connect_timeout), tls_(std::move(tls)) {}

std::unique_ptr<TargetConnection> ConnectionPool::take_idle(const PinnedTarget& target) {
  std::vector<Idle> stale;  // closed after unlocking, because TLS shutdown uses the network
  const std::lock_guard lock(mutex_);
  for (const auto& address : target.addresses) {
    const auto found = idle_.find(key_of(target.url, address));
    if (found == idle_.end()) continue;
    auto newest = std::move(found->second.back());
    found->second.pop_back();
    --idle_count_;
    const bool usable = is_fresh(newest.since) && is_quiet(*newest.connection);
    if (!usable) {
      idle_count_ -= found->second.size();
      std::move(found->second.begin(), found->second.end(), std::back_inserter(stale));
    }
    if (!usable || found->second.empty()) idle_.erase(found);
    if (usable) return std::move(newest.connection);
    stale.push_back(std::move(newest));
  }
  return nullptr;
}

Poco::Net::StreamSocket ConnectionPool::connect(const WebhookUrl& url, const IpAddress& address,
                                                DeadlineWatch::Watched& watched) const {
  const auto timeout = std::min(connect_timeout_, watched.left());
  if (timeout.count() == 0) throw Poco::TimeoutException();
  Poco::Net::StreamSocket socket;
  socket.connect(Poco::Net::SocketAddress(address.text(), url.port), to_timespan(timeout));
  watched.use_socket(socket.impl()->sockfd());
  socket.setNoDelay(true);
  socket.setReceiveTimeout(to_timespan(watched.left()));
  socket.setSendTimeout(to_timespan(watched.left()));
  return socket;
}

std::unique_ptr<TargetConnection> ConnectionPool::open(const PinnedTarget& target,
                                                       DeadlineWatch::Watched& watched) {
  auto connection = std::make_unique<TargetConnection>();
  for (std::size_t i = 0;; ++i) {
    const auto& address = target.addresses[i];
    try {
      connection->socket = connect(target.url, address, watched);
      connection->key = key_of(target.url, address);
      break;
    } catch (const Poco::Exception&) {
      if (i + 1 == target.addresses.size() || watched.expired()) throw;
    }
  }
  // HTTPSClientSession does not accept a connected socket. The plain session does, and runs over TLS.
  if (target.url.https) {
    const auto secure = Poco::Net::SecureStreamSocket::attach(connection->socket, target.url.host, tls_);
    connection->session = std::make_unique<TargetSession>(secure);
  } else {
    connection->session = std::make_unique<TargetSession>(connection->socket);
  }
  connection->session->setKeepAlive(true);
  return connection;
}

void ConnectionPool::keep(std::unique_ptr<TargetConnection> connection) {
  std::vector<Idle> stale;
  const std::lock_guard lock(mutex_);
  if (idle_count_ >= kIdleConnectionsMax) drop_old(stale);
  if (idle_count_ >= kIdleConnectionsMax) return;
  auto& list = idle_[connection->key];
  if (list.size() >= kIdlePerTargetMax) return;
  list.push_back({std::move(connection), steady_clock::now()});
  ++idle_count_;
}

void ConnectionPool::drop_old(std::vector<Idle>& dropped) {
  for (auto target = idle_.begin(); target != idle_.end();) {
    auto& list = target->second;
    const bool fresh = is_fresh(list.back().since);
    if (!fresh) {
      idle_count_ -= list.size();
      std::move(list.begin(), list.end(), std::back_inserter(dropped));
    }
    target = fresh ? std::next(target) : idle_.erase(target);
  }
}

namespace {

constexpr std::size_t kErrorBytesMax = 200;

}  // namespace

std::string printable_failure(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = ' ';
  }
  return text.substr(0, kErrorBytesMax);
}

std::string describe_failure(const Poco::Exception& error) {
  if (dynamic_cast<const Poco::TimeoutException*>(&error)) return "timeout";
  if (dynamic_cast<const Poco::Net::ConnectionRefusedException*>(&error)) return "connection refused";
  if (dynamic_cast<const Poco::Net::CertificateValidationException*>(&error))
    return "the server's certificate is refused";
  std::string text = error.displayText();
  // POCO has no exception type for an untrusted chain or an expired certificate.
  if (text.find("certificate verify failed") != std::string::npos)
    return "the server's certificate is refused";
  if (dynamic_cast<const Poco::Net::SSLException*>(&error)) text = "TLS failed: " + error.message();
  return printable_failure(std::move(text));
}

bool was_closed(const Poco::Exception& error) {
  return dynamic_cast<const Poco::IOException*>(&error) != nullptr &&
         dynamic_cast<const Poco::Net::MessageException*>(&error) == nullptr;
}

bool is_interim(Poco::Net::HTTPResponse::HTTPStatus status) {
  return status < Poco::Net::HTTPResponse::HTTP_OK &&
         status != Poco::Net::HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
}

bool read_body(std::istream& body, std::size_t bytes_max, std::string& text) {
  std::array<char, 4096> buffer;
  while (text.size() <= bytes_max) {
    body.read(buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(body.gcount()));
    if (body.eof()) return text.size() <= bytes_max;
    if (!body) return false;
  }
  return false;
}

using Poco::Net::Context;

namespace {

Context::Ptr make_context(Context::Params params) {
  // Strict, because the relaxed mode skips the host name check for this machine's own names.
  params.verificationMode = Context::VERIFY_STRICT;
  params.cipherList = "HIGH:!aNULL:!eNULL";
  Context::Ptr context = new Context(Context::TLS_CLIENT_USE, params);
  context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
  context->enableExtendedCertificateVerification(true);
  context->setInvalidCertificateHandler(new Poco::Net::RejectCertificateHandler(false));
  return context;
}

}  // namespace

Context::Ptr make_tls_client_context(const std::string& ca_file) {
  Context::Params params;
  params.loadDefaultCAs = true;
  params.caLocation = ca_file;
  return make_context(std::move(params));
}

Context::Ptr make_trustless_tls_client_context() {
  Context::Params params;
  params.loadDefaultCAs = false;
  return make_context(std::move(params));
}

}  // namespace pixledger
