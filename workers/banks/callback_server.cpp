#include "workers/banks/callback_server.h"

#include <Poco/Exception.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <algorithm>
#include <stdexcept>

#include "workers/banks/callback_conversation.h"

namespace pixledger::workers {
namespace {

constexpr std::chrono::milliseconds kLookForStopEvery{200};
constexpr int kBacklog = 256;
// Those that were ended take no room, but their threads may not have noticed yet.
constexpr std::size_t kThreadsMax = 2 * CallbackServer::kCallsMax;

Poco::Net::ServerSocket listen_on(const HostPort& address) {
  try {
    Poco::Net::ServerSocket socket;
    socket.bind(Poco::Net::SocketAddress(address.host, address.port), true);
    socket.listen(kBacklog);
    return socket;
  } catch (const Poco::Exception& error) {
    throw std::runtime_error("--callback-listen: cannot listen on " + address.text() + ": " +
                             error.displayText());
  }
}

}  // namespace

struct CallbackServer::Call {
  Poco::Net::StreamSocket socket;
  IpAddress peer;
  bool from_proxy = false;
  std::atomic<bool> heard{false};   // its request was read as a whole, and takes no longer than it must
  std::atomic<bool> ended{false};   // its thread is about to end
  std::atomic<bool> is_cut{false};  // it has come to its end, or another has its room
  std::thread thread{};

  Call(const Poco::Net::StreamSocket& its_socket, const IpAddress& its_peer, bool proxy)
      : socket(its_socket), peer(its_peer), from_proxy(proxy) {}
};

CallbackServer::CallbackServer(const CallbackServerOptions& options, CallbackDesk& desk)
    : options_(options),
      desk_(desk),
      tls_(options_.tls.certificate.empty() ? Poco::Net::Context::Ptr() : make_callback_tls(options_.tls)),
      socket_(listen_on(options_.listen)),
      port_(socket_.address().port()),
      threads_([this] { stopping_ = true; }) {
  listener_ = threads_.start([this] { listen(); });
}

CallbackServer::~CallbackServer() { stop(); }

void CallbackServer::stop() {
  if (!listener_.joinable()) return;
  stopping_ = true;
  listener_.join();
  socket_.close();
  // Nobody else touches the list any more.
  for (auto& call : calls_) cut(call);
  for (auto& call : calls_) call.thread.join();
  calls_.clear();
}

std::optional<Timestamp> CallbackServer::read_anew() {
  if (options_.tls.certificate.empty()) return std::nullopt;
  auto fresh = make_callback_tls(options_.tls);
  const auto end = end_of_certificate(*fresh);
  const std::lock_guard lock(tls_mutex_);
  tls_ = std::move(fresh);
  return end;
}

Poco::Net::Context::Ptr CallbackServer::tls() const {
  const std::lock_guard lock(tls_mutex_);
  return tls_;
}

void CallbackServer::cut(Call& call) {
  call.is_cut = true;
  try {
    call.socket.shutdown();
  } catch (const Poco::Exception&) {
    // It has gone already.
  }
}

bool CallbackServer::is_proxy(const IpAddress& address) const {
  return std::any_of(options_.proxies.begin(), options_.proxies.end(),
                     [&](const Cidr& range) { return range.contains(address); });
}

void CallbackServer::listen() {
  while (!stopping_) {
    join_ended();
    try {
      if (!socket_.poll(Poco::Timespan(0, std::chrono::microseconds(kLookForStopEvery).count()),
                        Poco::Net::Socket::SELECT_READ))
        continue;
      Poco::Net::SocketAddress address;
      auto socket = socket_.acceptConnection(address);
      if (const auto peer = IpAddress::parse(address.host().toString())) begin(socket, *peer);
    } catch (const Poco::Exception&) {
      // The caller has gone, or descriptors are short: for a moment, since callers end.
      std::this_thread::sleep_for(kLookForStopEvery);
    }
  }
}

void CallbackServer::join_ended() {
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (!call->ended) {
      ++call;
      continue;
    }
    call->thread.join();
    call = calls_.erase(call);
  }
}

// Takes it from whoever has been silent the longest, of the same address where that has its share.
bool CallbackServer::make_room(const IpAddress& peer, bool from_proxy) {
  const auto is_here = [](const Call& call) { return !call.is_cut; };
  const auto is_theirs = [&](const Call& call) {
    return is_here(call) && !call.from_proxy && call.peer == peer;
  };
  if (calls_.size() >= kThreadsMax) return false;
  const auto all = static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), is_here));
  const auto theirs = static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), is_theirs));
  const bool has_share = !from_proxy && theirs >= kOfAddressMax;
  if (!has_share && all < kCallsMax) return true;
  const auto oldest = std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) {
    return is_here(call) && !call.heard && (!has_share || is_theirs(call));
  });
  if (oldest == calls_.end()) return false;
  cut(*oldest);
  return true;
}

void CallbackServer::begin(const Poco::Net::StreamSocket& socket, const IpAddress& peer) {
  const bool from_proxy = is_proxy(peer);
  if (!make_room(peer, from_proxy)) return desk_.note_failed("no_room");
  auto& call = calls_.emplace_back(socket, peer, from_proxy);
  call.thread = std::thread([this, &call] {
    converse(call);
    call.ended = true;
  });
}

void CallbackServer::converse(Call& call) {
  DeadlineWatch::Watched watched(watch_, std::chrono::steady_clock::now() + kCallMax);
  try {
    watched.use_socket(static_cast<int>(call.socket.impl()->sockfd()));
    CallbackConversation(desk_, tls(), call.from_proxy, call.heard).hold(call.socket);
  } catch (const Poco::Exception&) {
    desk_.note_failed("broken_off");
  } catch (const std::exception&) {
    desk_.note_failed("fault");
  }
  cut(call);
}

}  // namespace pixledger::workers
