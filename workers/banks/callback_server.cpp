#include "workers/banks/callback_server.h"

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/HTTPServerResponseImpl.h>
#include <Poco/Net/HTTPServerSession.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Net/X509Certificate.h>
#include <Poco/String.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/net/http_status.h"
#include "workers/banks/callback_handler.h"

namespace pixledger::workers {
namespace {

using Poco::Net::HTTPResponse;

constexpr unsigned char kTlsHandshake = 0x16;
constexpr std::chrono::seconds kSilenceMax{10};
// So much of what nobody wants is read, that its sender hears why.
constexpr std::size_t kDrainedMax = 4 * 1024 * 1024;
constexpr std::chrono::milliseconds kLookForStopEvery{200};
constexpr int kBacklog = 256;
// Those that were ended take no room, but their threads may not have noticed yet.
constexpr std::size_t kThreadsMax = 2 * CallbackServer::kCallsMax;

// One request and its answer. The caller's Watched limits its time.
class CallbackConversation {
 public:
  // `tls`: null where only proxies may call. `from_proxy`: the socket is that of a proxy, which may speak
  // without TLS and tell of its caller's certificate. `heard` becomes true once the request was read.
  CallbackConversation(CallbackHandler& handler, Poco::Net::Context::Ptr tls, bool from_proxy,
                       std::atomic<bool>& heard)
      : handler_(handler), tls_(std::move(tls)), from_proxy_(from_proxy), heard_(heard) {}

  // Throws Poco::Exception when the caller breaks off, is too slow, or shows no certificate.
  void hold(Poco::Net::StreamSocket socket);

 private:
  struct Identity {
    bool is_verified = false;
    std::string cn{};
  };
  void answer(Poco::Net::StreamSocket& socket, const Identity& identity);
  Identity identity_in(const Poco::Net::HTTPServerRequest& request, const Identity& of_socket) const;

  CallbackHandler& handler_;
  const Poco::Net::Context::Ptr tls_;
  const bool from_proxy_;
  std::atomic<bool>& heard_;
};

Poco::Timespan silence_max() { return {static_cast<long>(kSilenceMax.count()), 0}; }

// Whether the caller begins with TLS. Waits for its first byte.
bool speaks_tls(Poco::Net::StreamSocket& socket) {
  unsigned char first = 0;
  socket.setReceiveTimeout(silence_max());
  return socket.impl()->receiveBytes(&first, 1, MSG_PEEK) == 1 && first == kTlsHandshake;
}

// The rest of the request; nullopt: there is too much of it.
std::optional<std::string> read_body(Poco::Net::HTTPServerRequestImpl& request,
                                     Poco::Net::HTTPServerResponseImpl& response) {
  const auto announced = request.getContentLength64();
  if (announced > static_cast<std::int64_t>(kCallbackBytesMax)) return std::nullopt;
  if (request.getExpectContinue()) response.sendContinue();
  std::string body;
  std::array<char, 8192> part{};
  auto& stream = request.stream();
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    body.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (body.size() > kCallbackBytesMax) return std::nullopt;
  }
  if (announced >= 0 && body.size() < static_cast<std::size_t>(announced))
    throw Poco::IOException("the caller broke off");
  return body;
}

void drain(std::istream& stream) {
  std::array<char, 8192> part{};
  for (std::size_t drained = 0; drained < kDrainedMax; drained += part.size()) {
    stream.read(part.data(), part.size());
    if (stream.gcount() == 0) return;
  }
}

void CallbackConversation::hold(Poco::Net::StreamSocket socket) {
  if (!tls_ || (from_proxy_ && !speaks_tls(socket))) return answer(socket, {});
  auto secure = Poco::Net::SecureStreamSocket::attach(socket, tls_);
  secure.setReceiveTimeout(silence_max());
  secure.setSendTimeout(silence_max());
  secure.completeHandshake();
  answer(secure, {.is_verified = true, .cn = secure.peerCertificate().commonName()});
  secure.shutdown();
}

// A proxy's word on the certificate that its caller has shown. Whoever else writes these headers is not
// asked.
CallbackConversation::Identity CallbackConversation::identity_in(const Poco::Net::HTTPServerRequest& request,
                                                                 const Identity& of_socket) const {
  if (of_socket.is_verified || !from_proxy_) return of_socket;
  // One that came beside the proxy's own is its caller's.
  const auto only = [&](const char* name) {
    std::string value;
    int times = 0;
    for (auto at = request.find(name); at != request.end() && Poco::icompare(at->first, name) == 0; ++at) {
      value = at->second;
      ++times;
    }
    return times == 1 ? value : std::string();
  };
  return {.is_verified = only("X-Client-Cert-Verified") == "SUCCESS", .cn = only("X-Client-Cert-CN")};
}

void CallbackConversation::answer(Poco::Net::StreamSocket& socket, const Identity& of_socket) {
  Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
  params->setKeepAlive(false);
  params->setTimeout(silence_max());
  Poco::Net::HTTPServerSession session(socket, params);
  Poco::Net::HTTPServerResponseImpl response(session);
  Poco::Net::HTTPServerRequestImpl request(response, session, params);
  response.setVersion(request.getVersion());
  response.setKeepAlive(false);
  const auto identity = identity_in(request, of_socket);
  int status = kForbidden;
  if (identity.is_verified)
    status =
        handler_.answer({.method = request.getMethod(), .target = request.getURI(), .cn = identity.cn}, [&] {
          auto body = read_body(request, response);
          heard_ = true;
          return body;
        });
  else
    handler_.note_failed("no_certificate");
  response.setStatusAndReason(static_cast<HTTPResponse::HTTPStatus>(status));
  response.setContentLength(0);
  response.send().flush();
  drain(request.stream());
}

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

CallbackServer::CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler)
    : options_(options),
      handler_(handler),
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

// Evicts the caller that has been silent longest, of the same address if that has used up its share.
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
  if (!make_room(peer, from_proxy)) return handler_.note_failed("no_room");
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
    CallbackConversation(handler_, tls(), call.from_proxy, call.heard).hold(call.socket);
  } catch (const Poco::Exception&) {
    handler_.note_failed("broken_off");
  } catch (const std::exception&) {
    handler_.note_failed("fault");
  }
  cut(call);
}

}  // namespace pixledger::workers
