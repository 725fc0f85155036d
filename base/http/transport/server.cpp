#include "base/http/transport/server.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocketImpl.h>
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

#include "base/http/message/request.h"
#include "base/http/transport/connection_set.h"
#include "base/http/transport/served_certificate.h"
#include "base/net/http_url.h"
#include "base/process/logging.h"
#include "base/values/ip_address.h"

namespace pixledger::http {
namespace {

using Poco::Net::ServerSocket;
using Poco::Net::SocketAddress;
using Poco::Net::StreamSocket;

constexpr int kBacklog = 4096;
constexpr bool kReuseAddress = true;
constexpr bool kReusePort = false;
constexpr int kAcceptedPerTurn = 64;
// Limits the kernel's send buffer per connection, which would otherwise grow to megabytes.
constexpr int kSendBufferBytes = 64 * 1024;
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};

// Null without TLS.
std::unique_ptr<ServedCertificate> certificate_of(const ServerOptions& options) {
  if (options.tls_cert_file.empty() != options.tls_key_file.empty())
    throw std::runtime_error("TLS needs both a certificate and a key");
  if (options.tls_cert_file.empty()) return nullptr;
  return std::make_unique<ServedCertificate>(options.tls_cert_file, options.tls_key_file,
                                             options.tls_client_ca_files);
}

ServerSocket listen(const ServerOptions& options) {
  ServerSocket socket;
  const std::string failed = "cannot listen on " + HostPort{options.host, options.port}.text() + ": ";
  try {
    socket.bind(SocketAddress(options.host, options.port), kReuseAddress, kReusePort);
    socket.listen(kBacklog);
    socket.setBlocking(false);
    // Accepted connections inherit these.
    socket.setNoDelay(true);
    socket.setSendBufferSize(kSendBufferBytes);
  } catch (const Poco::Net::DNSException&) {
    throw std::runtime_error(failed + "there is no such host");
  } catch (const Poco::Exception& error) {
    throw std::runtime_error(
        failed + (error.code() != 0 ? std::generic_category().message(error.code()) : error.displayText()));
  }
  return socket;
}

Peer peer_of(const SocketAddress& address, const ServerOptions& options) {
  Peer peer;
  peer.address = IpAddress::parse(address.host().toString());
  if (peer.address) {
    peer.address = peer.address->unmapped();
    peer.is_trusted_proxy = is_within(*peer.address, options.trusted_proxies);
  } else {
    peer.text = address.host().toString();
  }
  return peer;
}

}  // namespace

class Server::Impl final : private PollHandler {
 public:
  Impl(const ServerOptions& options, const ServerServices& services)
      : certificate_(certificate_of(options)),
        tls_(certificate_ ? std::make_unique<TlsContext>(*certificate_) : nullptr),
        socket_(listen(options)),
        port_(socket_.address().port()),
        context_{options, services, tls_ ? tls_->get() : nullptr} {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options.loops); ++i) loops_.push_back(make_loop());
  }

  ~Impl() override { stop(std::chrono::milliseconds(0)); }

  void start() {
    loops_.front().loop->poller().add_listening(socket_.impl()->sockfd(), *this);
    for (auto& loop : loops_) loop.loop->start();
  }

  void begin_draining() { context_.draining = true; }

  void stop(std::chrono::milliseconds grace) {
    if (context_.stopping.exchange(true)) return;
    // Refuses callers who would otherwise wait in the listening socket's backlog.
    ::shutdown(socket_.impl()->sockfd(), SHUT_RDWR);
    const auto deadline = EventLoop::Clock::now() + grace;
    loops_.front().loop->post([this] {
      accept_again_.cancel();
      loops_.front().loop->poller().remove(socket_.impl()->sockfd());
    });
    on_each_loop([](ConnectionSet& connections) { connections.stop_receiving(); });
    context_.counts.wait_until_none(deadline);
    on_each_loop([](ConnectionSet& connections) { connections.cut_all(); });
    for (auto& loop : loops_) loop.loop->stop();
    socket_.close();
  }

  std::uint16_t port() const { return port_; }
  const ConnectionCounts& counts() const { return context_.counts; }
  const ByteBudget& replies() const { return context_.replies; }
  ServedCertificate* certificate() { return certificate_.get(); }

 private:
  struct Loop {
    std::shared_ptr<EventLoop> loop;
    std::unique_ptr<ConnectionSet> connections;
    std::uint64_t given = 0;  // connections, in total
  };

  Loop make_loop() {
    auto loop = std::make_shared<EventLoop>();
    auto connections = std::make_unique<ConnectionSet>(loop, context_);
    return {std::move(loop), std::move(connections)};
  }

  template <class Action>
  void on_each_loop(const Action& action) {
    for (auto& each : loops_)
      each.loop->post([action, connections = each.connections.get()] { action(*connections); });
  }

  // On the first loop: a connection is waiting.
  void on_ready(SocketReadiness) override {
    for (int i = 0; i < kAcceptedPerTurn && !context_.stopping; ++i) {
      if (!accept()) return;
    }
  }

  // Returns false if no connection is waiting.
  bool accept() {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const int descriptor = ::accept4(socket_.impl()->sockfd(), any, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) pause_accepting();
      return errno == ECONNABORTED || errno == EINTR;
    }
    StreamSocket socket(new Poco::Net::StreamSocketImpl(descriptor));
    const auto peer = peer_of(SocketAddress(any, bytes), context_.options);
    hand_over({socket, peer, context_.counts.add(peer.counted())}, next_loop_++);
    return true;
  }

  // An accepted connection on its way to a loop.
  struct Newcomer {
    StreamSocket socket;
    Peer peer;
    ConnectionCounts::Verdict verdict;
    std::size_t asked = 0;  // loops already asked for room
  };

  void hand_over(Newcomer newcomer, std::size_t to) {
    auto& chosen = loops_[to % loops_.size()];
    auto task = [this, newcomer = std::move(newcomer), to] {
      try {
        take(newcomer, to);
      } catch (const std::exception&) {
        // Out of memory or descriptors: the connection closes.
      }
    };
    if (chosen.loop->is_this_thread())
      task();
    else
      chosen.loop->post(std::move(task));
  }

  // Over the limit, every loop is first asked to end a slow connection, then every loop to end an idle one. A
  // loop's longest idle may be younger than another loop's, but no idle connection ends while any loop has a
  // slow one.
  void take(const Newcomer& newcomer, std::size_t loop) {
    auto& connections = *loops_[loop % loops_.size()].connections;
    if (newcomer.verdict == ConnectionCounts::Verdict::kAdmitted)
      return connections.add(newcomer.socket, newcomer.peer);
    using Room = ConnectionSet::Room;
    const auto room = newcomer.asked < loops_.size() ? Room::kOfSlow : Room::kOfIdle;
    if (connections.add_in_place(newcomer.socket, newcomer.peer, newcomer.verdict, room)) return;
    auto next = newcomer;
    if (++next.asked < 2 * loops_.size()) return hand_over(std::move(next), loop + 1);
    connections.refuse(newcomer.socket, newcomer.peer);
    const auto& log = context_.services.log_refused_connections;
    if (log && log_pause_.due()) log(context_.counts.endings(RoomEnding::kNewcomer));
  }

  // The listening socket stays ready, which would make the loop spin.
  void pause_accepting() {
    auto& loop = *loops_.front().loop;
    loop.poller().remove(socket_.impl()->sockfd());
    loop.timers().set(accept_again_, loop.now() + kPauseWithoutDescriptors);
  }

  const std::unique_ptr<ServedCertificate> certificate_;
  const std::unique_ptr<TlsContext> tls_;
  ServerSocket socket_;
  const std::uint16_t port_;
  ServerContext context_;
  std::vector<Loop> loops_;
  std::size_t next_loop_ = 0;  // used on the first loop's thread
  Timer accept_again_{
      [this] { loops_.front().loop->poller().add_listening(socket_.impl()->sockfd(), *this); }};
  AtMostEvery log_pause_{std::chrono::minutes(1)};
};

Server::Server(const ServerOptions& options, const ServerServices& services) {
  assert(services.application && services.entropy && services.unix_time_s && services.log_fault);
  impl_ = std::make_unique<Impl>(options, services);
}

Server::~Server() = default;

void Server::start() { impl_->start(); }

void Server::begin_draining() { impl_->begin_draining(); }

void Server::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

std::uint16_t Server::port() const { return impl_->port(); }

std::size_t Server::open_connections() const { return impl_->counts().open(); }

std::uint64_t Server::refused_connections() const { return impl_->counts().endings(RoomEnding::kNewcomer); }

const ConnectionCounts& Server::connections() const { return impl_->counts(); }

std::size_t Server::reply_bytes() const { return impl_->replies().in_flight(); }
std::uint64_t Server::refused_replies() const { return impl_->replies().refused(); }

ServedCertificate* Server::certificate() { return impl_->certificate(); }

}  // namespace pixledger::http
