#include "http/transport/server.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/NetSSL.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/TCPServer.h>
#include <Poco/ThreadPool.h>
#include <algorithm>
#include <cassert>
#include <openssl/ssl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

#include "eventstore/net/host_port.h"
#include "eventstore/process/at_most_every.h"
#include "http/json/error_reply.h"
#include "http/transport/connection.h"
#include "http/transport/served_certificate.h"

namespace pixledger::http {
namespace {

using Poco::Net::StreamSocket;

constexpr int kBacklog = 1024;
constexpr bool kReuseAddress = true;
constexpr bool kReusePort = false;
// POCO gives a connection a pooled thread of its own, and a thread that has just finished is for a moment
// neither free nor in use: with no thread to spare, a connection could wait in the queue until another one
// ends. More than there can be newcomers in the place of connections that have not ended yet.
constexpr int kSpareThreads = 64;
static_assert(kSpareThreads > 2 * ConnectionRegistry::kLeavingMax);

std::chrono::milliseconds tick_of(const ServerOptions& options) {
  using std::chrono::milliseconds;
  const milliseconds shortest = std::min(options.keep_alive_timeout, options.request_deadline);
  return std::clamp(shortest / 10, milliseconds(5), milliseconds(100));
}

// How long a thread of POCO's waits for its next connection. stop() wakes two of them and waits for the
// others, of which there can be more.
constexpr Poco::Timespan::TimeDiff kThreadIdleTimeUs = 200'000;

// Of TLS 1.2: forward secrecy and authenticated encryption alone. All ciphers of TLS 1.3 have both.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
    "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384";
constexpr int kVerifyDepth = 9;  // of callers' certificates, which are not asked for
constexpr bool kLoadSystemAuthorities = false;

// Null without TLS.
std::unique_ptr<ServedCertificate> certificate_of(const ServerOptions& options) {
  if (options.tls_cert_file.empty() != options.tls_key_file.empty())
    throw std::runtime_error("TLS needs both a certificate and a key");
  if (options.tls_cert_file.empty()) return nullptr;
  return std::make_unique<ServedCertificate>(options.tls_cert_file, options.tls_key_file);
}

Poco::Net::ServerSocket tls_socket(ServedCertificate& certificate) {
  using Poco::Net::Context;
  Context::Ptr context = new Context(Context::TLS_SERVER_USE, "", "", "", Context::VERIFY_NONE, kVerifyDepth,
                                     kLoadSystemAuthorities, kCiphers);
  context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
  SSL_CTX_set_options(context->sslContext(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  certificate.serve_in(context->sslContext());
  return Poco::Net::SecureServerSocket(context);
}

Poco::Net::ServerSocket listen(const ServerOptions& options, ServedCertificate* certificate) {
  Poco::Net::ServerSocket socket = certificate ? tls_socket(*certificate) : Poco::Net::ServerSocket();
  const std::string failed =
      "cannot listen on " + eventstore::HostPort{options.host, options.port}.text() + ": ";
  try {
    socket.bind(Poco::Net::SocketAddress(options.host, options.port), kReuseAddress, kReusePort);
    socket.listen(kBacklog);
  } catch (const Poco::Net::DNSException&) {
    throw std::runtime_error(failed + "there is no such host");
  } catch (const Poco::Exception& error) {
    throw std::runtime_error(
        failed + (error.code() != 0 ? std::generic_category().message(error.code()) : error.displayText()));
  }
  return socket;
}

Poco::Net::TCPServerParams::Ptr params_of(const ServerOptions& options) {
  Poco::Net::TCPServerParams::Ptr params = new Poco::Net::TCPServerParams;
  params->setMaxThreads(static_cast<int>(options.max_connections) + kSpareThreads);
  params->setMaxQueued(static_cast<int>(options.max_connections) + kSpareThreads);
  params->setThreadIdleTime(kThreadIdleTimeUs);
  return params;
}

class Connections final : public Poco::Net::TCPServerConnectionFactory {
 public:
  explicit Connections(ServerContext& context) : context_(context) {}

  Poco::Net::TCPServerConnection* createConnection(const StreamSocket& socket) override {
    return new Connection(socket, context_);
  }

 private:
  ServerContext& context_;
};

// Answers the connections over the limit, on the thread that accepts them, so it must not block: the answer
// fits the empty send buffer of a new socket. With TLS the connection is just closed, because answering takes
// a handshake.
class Overflow final : public Poco::Net::TCPServerConnectionFilter {
 public:
  Overflow(ServerContext& context, std::function<std::size_t()> open_connections)
      : context_(context),
        open_connections_(std::move(open_connections)),
        request_ids_(context.services.entropy) {}

  bool accept(const StreamSocket& socket) override {
    if (open_connections_() < context_.options.max_connections) return true;
    if (context_.registry.make_room()) return true;
    const auto refused = ++context_.refused_connections;
    const auto& log = context_.services.log_refused_connections;
    if (log && log_pause_.due()) log(refused);
    if (context_.is_tls()) return false;
    Request request;
    request_ids_.next(request.request_id);
    const Reply reply = transport_error_reply(request, 503, kTooManyConnections);
    ReplyFraming framing;
    framing.request_id = request.request_id;
    framing.date = date_.at(context_.services.unix_time_s());
    framing.keep_alive = false;
    write_reply(reply, framing, bytes_);
    ::send(socket.impl()->sockfd(), bytes_.data(), bytes_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    context_.registry.linger(socket, ConnectionRegistry::Receiving::kOpen);
    return false;
  }

 private:
  ServerContext& context_;
  std::function<std::size_t()> open_connections_;
  eventstore::AtMostEvery log_pause_{std::chrono::minutes(1)};
  RequestIds request_ids_;
  DateText date_;
  std::string bytes_;
};

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, const ServerServices& services)
      : certificate_(certificate_of(options)),
        socket_(listen(options, certificate_.get())),
        port_(socket_.address().port()),
        context_{options, services, ConnectionRegistry(tick_of(options), options.slow_after)},
        threads_(1, static_cast<int>(context_.options.max_connections) + 2 * kSpareThreads),
        server_(new Connections(context_), threads_, socket_, params_of(context_.options)) {
    server_.setConnectionFilter(new Overflow(context_, [this] { return open_connections(); }));
  }

  ~Impl() { stop(std::chrono::milliseconds(0)); }

  void start() { server_.start(); }

  void stop(std::chrono::milliseconds grace) {
    if (context_.stopping.exchange(true)) return;
    // Refuses callers who would wait in the backlog of a socket that still listens, and wakes POCO's thread,
    // which looks up from its poll only four times a second.
    ::shutdown(socket_.impl()->sockfd(), SHUT_RDWR);
    server_.stop();
    socket_.close();
    context_.registry.stop_receiving();
    if (!context_.registry.wait_until_empty(ConnectionRegistry::Clock::now() + grace))
      context_.registry.cut_all();
    threads_.joinAll();
  }

  std::uint16_t port() const { return port_; }

  std::size_t open_connections() const {
    return static_cast<std::size_t>(server_.currentConnections() + server_.queuedConnections());
  }

  std::size_t busy_threads() const { return static_cast<std::size_t>(threads_.used()); }

  std::uint64_t refused_connections() const { return context_.refused_connections; }
  const ReplyBudget& replies() const { return context_.replies; }

  ServedCertificate* certificate() { return certificate_.get(); }

 private:
  const std::unique_ptr<ServedCertificate> certificate_;
  Poco::Net::ServerSocket socket_;
  const std::uint16_t port_;
  ServerContext context_;
  Poco::ThreadPool threads_;
  Poco::Net::TCPServer server_;
};

Server::Server(const ServerOptions& options, const ServerServices& services) {
  assert(services.application && services.entropy && services.unix_time_s && services.log_fault);
  if (!options.tls_cert_file.empty() || !options.tls_key_file.empty()) Poco::Net::initializeSSL();
  impl_ = std::make_unique<Impl>(options, services);
}

Server::~Server() = default;

void Server::start() { impl_->start(); }

void Server::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

std::uint16_t Server::port() const { return impl_->port(); }

std::size_t Server::open_connections() const { return impl_->open_connections(); }

std::size_t Server::busy_threads() const { return impl_->busy_threads(); }

std::uint64_t Server::refused_connections() const { return impl_->refused_connections(); }
std::size_t Server::reply_bytes() const { return impl_->replies().in_flight(); }
std::uint64_t Server::refused_replies() const { return impl_->replies().refused(); }

ServedCertificate* Server::certificate() { return impl_->certificate(); }

}  // namespace pixledger::http
