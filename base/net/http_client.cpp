#include "base/net/http_client.h"

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/RejectCertificateHandler.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <algorithm>
#include <array>
#include <istream>
#include <iterator>
#include <mutex>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <utility>

namespace pixledger {
namespace {

using Poco::Net::Context;
using Poco::Net::HTTPResponse;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kIdlePerTargetMax = 32;
constexpr std::size_t kIdleConnectionsMax = 512;
constexpr std::chrono::seconds kIdleMax{10};
constexpr std::size_t kErrorBytesMax = 200;
constexpr int kAnswerFieldsMax = 100;

Poco::Timespan to_timespan(milliseconds duration) { return Poco::Timespan(duration.count() * 1000); }

std::string key_of(const WebhookUrl& url, const IpAddress& address) {
  return std::string(url.https ? "https " : "http ") + url.host + " " + std::to_string(url.port) + " " +
         address.text();
}

bool is_fresh(steady_clock::time_point since) { return steady_clock::now() - since < kIdleMax; }

}  // namespace

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

  // An idle connection with readable data was closed by the receiver.
  bool is_quiet() const {
    return !socket.poll(Poco::Timespan(0), Poco::Net::Socket::SELECT_READ | Poco::Net::Socket::SELECT_ERROR);
  }
};

// Idle connections. Thread-safe.
class ConnectionPool {
 public:
  // Returns an idle connection, or nullptr.
  std::unique_ptr<TargetConnection> take(const PinnedTarget& target);
  // Takes a connection whose last reply was read completely, with nothing after it.
  void keep(std::unique_ptr<TargetConnection> connection);

 private:
  struct Idle {
    std::unique_ptr<TargetConnection> connection;
    steady_clock::time_point since;
  };

  void drop_old(std::vector<Idle>& dropped);

  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<Idle>> idle_;
  std::size_t idle_count_ = 0;
};

std::unique_ptr<TargetConnection> ConnectionPool::take(const PinnedTarget& target) {
  std::vector<Idle> stale;  // closed after unlocking, because TLS shutdown uses the network
  const std::lock_guard lock(mutex_);
  for (const auto& address : target.addresses) {
    const auto found = idle_.find(key_of(target.url, address));
    if (found == idle_.end()) continue;
    auto newest = std::move(found->second.back());
    found->second.pop_back();
    --idle_count_;
    const bool usable = is_fresh(newest.since) && newest.connection->is_quiet();
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

// The watch ends a request that takes too long; no read or write waits longer either.
void limit_time(Poco::Net::StreamSocket& socket, milliseconds left) {
  socket.setReceiveTimeout(to_timespan(left));
  socket.setSendTimeout(to_timespan(left));
}

void write_request(Poco::Net::HTTPClientSession& session, const WebhookUrl& url,
                   const OutgoingRequest& request) {
  Poco::Net::HTTPRequest head(request.method, url.path, Poco::Net::HTTPMessage::HTTP_1_1);
  head.set("Host", url.host_header());
  // RFC 9110 §8.6: methods that define a body state its length, even if it is empty.
  if (!request.body.empty() || (request.method != "GET" && request.method != "DELETE"))
    head.setContentLength64(static_cast<Poco::Int64>(request.body.size()));
  for (const auto& [name, value] : request.headers) head.set(name, value);
  session.sendRequest(head) << request.body << std::flush;
}

// Whether a final reply still follows (RFC 9110 §15.2). False for 101, after which no HTTP follows.
bool is_interim(HTTPResponse::HTTPStatus status) {
  return status < HTTPResponse::HTTP_OK && status != HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
}

void read_body(std::istream& body, std::size_t bytes_max, const HTTPResponse& head, IncomingAnswer& answer) {
  std::array<char, 4096> buffer;
  auto& text = answer.body;
  while (body && text.size() <= bytes_max) {
    body.read(buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(body.gcount()));
  }
  // A body that ends early looks complete to POCO.
  const bool is_whole =
      !head.hasContentLength() || head.getContentLength64() == static_cast<Poco::Int64>(text.size());
  if (text.size() > bytes_max) {
    text.resize(bytes_max);
    answer.body_state = IncomingAnswer::Body::kTooLong;
  } else if (body.eof() && is_whole) {
    answer.body_state = IncomingAnswer::Body::kComplete;
  }
}

// Whether the peer closed the connection before replying. False for replies that are not HTTP.
bool was_closed(const Poco::Exception& error) {
  return dynamic_cast<const Poco::IOException*>(&error) != nullptr &&
         dynamic_cast<const Poco::Net::MessageException*>(&error) == nullptr;
}

SendFailure failure_of(const Poco::Exception& error) {
  using Cause = SendFailure::Cause;
  if (dynamic_cast<const Poco::TimeoutException*>(&error)) return {Cause::kTimeout, "timeout"};
  if (dynamic_cast<const Poco::Net::ConnectionRefusedException*>(&error))
    return {Cause::kRefused, "connection refused"};
  const auto text = error.displayText();
  // POCO has no exception type for an untrusted chain or an expired certificate.
  if (dynamic_cast<const Poco::Net::CertificateValidationException*>(&error) ||
      text.find("certificate verify failed") != std::string::npos)
    return {Cause::kCertificate, "the server's certificate is refused"};
  if (dynamic_cast<const Poco::Net::SSLException*>(&error))
    return {Cause::kTls, printable_failure("TLS failed: " + error.message())};
  const bool closed = dynamic_cast<const Poco::Net::NoMessageException*>(&error) != nullptr;
  return {closed ? Cause::kClosed : Cause::kOther, printable_failure(text)};
}

}  // namespace

struct HttpClient::Progress {
  bool was_sent = false;  // the first byte may have left
  std::optional<IncomingAnswer> answer;
};

HttpClient::HttpClient(DeadlineWatch& watch, Context::Ptr tls, milliseconds connect_timeout)
    : watch_(watch),
      tls_(std::move(tls)),
      connect_timeout_(connect_timeout),
      pool_(std::make_unique<ConnectionPool>()) {}

HttpClient::~HttpClient() = default;

std::variant<IncomingAnswer, SendFailure> HttpClient::send(const PinnedTarget& target,
                                                           const OutgoingRequest& request) {
  DeadlineWatch::Watched watched(watch_, request.deadline);
  Progress progress;
  SendFailure failure;
  try {
    attempt(target, request, watched, progress);
  } catch (const Poco::Exception& error) {
    failure = watched.expired() ? SendFailure{SendFailure::Cause::kTimeout, "timeout"} : failure_of(error);
  } catch (const std::exception& error) {
    failure.reason = printable_failure(error.what());  // out of descriptors or memory
  }
  if (progress.answer) return *std::move(progress.answer);
  failure.was_sent = progress.was_sent;
  return failure;
}

void HttpClient::attempt(const PinnedTarget& target, const OutgoingRequest& request,
                         DeadlineWatch::Watched& watched, Progress& progress) {
  if (auto idle = pool_->take(target)) {
    watched.use_socket(idle->socket.impl()->sockfd());
    limit_time(idle->socket, watched.left());
    try {
      return exchange(std::move(idle), target.url, request, progress);
    } catch (const Poco::Exception& error) {
      // The receiver may have closed the connection before it saw the request. One that has started to answer
      // saw it.
      const bool can_repeat = request.is_repeatable && !progress.answer;
      if (!can_repeat || watched.expired() || !was_closed(error)) throw;
    }
  }
  exchange(open(target, watched), target.url, request, progress);
}

std::unique_ptr<TargetConnection> HttpClient::open(const PinnedTarget& target,
                                                   DeadlineWatch::Watched& watched) const {
  const auto& url = target.url;
  auto connected = connect_to_any(target.addresses, url.port, connect_timeout_, watched);
  limit_time(connected.socket, watched.left());
  auto connection = std::make_unique<TargetConnection>();
  connection->key = key_of(url, connected.address);
  connection->socket = connected.socket;
  // HTTPSClientSession does not accept a connected socket. The plain session does, and runs over TLS.
  connection->session = std::make_unique<TargetSession>(
      url.https ? Poco::Net::SecureStreamSocket::attach(connected.socket, url.host, tls_) : connected.socket);
  connection->session->setKeepAlive(true);
  return connection;
}

void HttpClient::exchange(std::unique_ptr<TargetConnection> connection, const WebhookUrl& url,
                          const OutgoingRequest& request, Progress& progress) {
  auto& session = *connection->session;
  progress.was_sent = true;
  write_request(session, url, request);
  HTTPResponse response;
  response.setFieldLimit(kAnswerFieldsMax);
  auto* body = &session.receiveResponse(response);
  while (is_interim(response.getStatus())) body = &session.receiveResponse(response);
  auto& answer = progress.answer.emplace();
  answer.status = static_cast<int>(response.getStatus());
  answer.headers = response;
  read_body(*body, request.answer_bytes_max, response, answer);
  const bool is_http = response.getStatus() != HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
  const bool is_whole = answer.body_state == IncomingAnswer::Body::kComplete;
  if (is_whole && is_http && response.getKeepAlive() && !session.has_unread())
    pool_->keep(std::move(connection));
}

ConnectedSocket connect_to_any(const std::vector<IpAddress>& addresses, std::uint16_t port,
                               milliseconds timeout, DeadlineWatch::Watched& watched) {
  for (std::size_t i = 0;; ++i) {
    try {
      const auto left = std::min(timeout, watched.left());
      if (left.count() == 0) throw Poco::TimeoutException();
      Poco::Net::StreamSocket socket;
      socket.connect(Poco::Net::SocketAddress(addresses[i].text(), port), to_timespan(left));
      watched.use_socket(socket.impl()->sockfd());
      socket.setNoDelay(true);
      return {socket, addresses[i]};
    } catch (const Poco::Exception&) {
      if (i + 1 == addresses.size() || watched.expired()) throw;
    }
  }
}

std::string printable_failure(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = ' ';
  }
  return text.substr(0, kErrorBytesMax);
}

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
