#include "workers/banks/callback_server.h"

#include <Poco/Exception.h>
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
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <istream>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/bank_answers.h"

namespace pixledger::workers {
namespace {

// No operator is there to enter the password of an encrypted key.
int empty_password(char*, int, int, void*) { return 0; }

[[noreturn]] void refuse(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error(what + ": " + (reason ? reason : "unknown reason"));
}

void require_readable(const std::string& file) {
  if (!std::ifstream(file))
    throw std::runtime_error("cannot read " + file + ": " + std::generic_category().message(errno));
}

void show_own(SSL_CTX* tls, const CallbackTlsFiles& files) {
  require_readable(files.certificate);
  require_readable(files.key);
  SSL_CTX_set_default_passwd_cb(tls, empty_password);
  if (SSL_CTX_use_certificate_chain_file(tls, files.certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(tls, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(tls) != 1)
    refuse("cannot use the certificate " + files.certificate + " with the key " + files.key);
}

void demand_certificates(SSL_CTX* tls, const std::vector<std::string>& authorities) {
  // OpenSSL verifies by itself, without a callback that the process shares.
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_client_CA_list(tls, sk_X509_NAME_new_null());
  for (const auto& file : authorities) {
    require_readable(file);
    if (SSL_CTX_load_verify_locations(tls, file.c_str(), nullptr) != 1 ||
        SSL_add_file_cert_subjects_to_stack(SSL_CTX_get_client_CA_list(tls), file.c_str()) != 1)
      refuse("cannot use the authorities in " + file);
  }
}

// Makes the TLS context from the files as they are now: TLS 1.2 or newer, and the handshake fails without a
// certificate of these authorities. Throws std::runtime_error, which names the file and the reason, if one is
// unreadable or invalid, or if certificate and key do not match.
Poco::Net::Context::Ptr make_callback_tls(const CallbackTlsFiles& files) {
  Poco::Net::Context::Params params;
  params.verificationMode = Poco::Net::Context::VERIFY_STRICT;
  Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params);
  context->enableExtendedCertificateVerification(false);  // a client's certificate names no host
  auto* const tls = context->sslContext();
  SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
  SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(tls, 0);
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  ERR_clear_error();
  show_own(tls, files);
  demand_certificates(tls, files.client_cas);
  return context;
}

// Returns when the context's own certificate ends.
Timestamp end_of_certificate(const Poco::Net::Context& context) {
  tm end{};
  const auto* const certificate = SSL_CTX_get0_certificate(context.sslContext());
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return Timestamp(0);
  return Timestamp(std::int64_t{::timegm(&end)} * 1000);
}

constexpr std::string_view kNoConnection = "none";

// Compares in constant time.
bool is_secret(std::string_view told, std::string_view secret) {
  return !secret.empty() && told.size() == secret.size() &&
         CRYPTO_memcmp(told.data(), secret.data(), secret.size()) == 0;
}

// "[PREFIX]/<connection>/<secret>[/pix]", as `connection callback register` makes it from any base; the query
// is ignored.
struct CallbackPath {
  std::optional<domain::ConnectionId> connection;
  std::string_view secret;

  explicit CallbackPath(std::string_view target) {
    auto path = target.substr(0, target.find('?'));
    constexpr std::string_view kSuffix = "/pix";
    if (path.ends_with(kSuffix)) path.remove_suffix(kSuffix.size());
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return;
    secret = path.substr(slash + 1);
    path = path.substr(0, slash);
    const auto before = path.rfind('/');
    if (before != std::string_view::npos) connection = domain::ConnectionId::parse(path.substr(before + 1));
  }
};

}  // namespace

int CallbackHandler::refuse(int status, const std::string& connection, std::string_view result) {
  parts_.meters.on_callback(connection, result);
  if (refusal_due_.due())
    parts_.logger.warning("a callback was refused", {{"connection", connection}, {"result", result}});
  return status;
}

int CallbackHandler::answer(const CallbackHead& head, const ReadBody& read_body) {
  const CallbackPath path(head.target);
  std::optional<CallbackTerms> terms;
  try {
    if (path.connection) terms = parts_.banks.callback_of(*path.connection);
  } catch (const eventstore::LogUnavailable&) {
    return refuse(kServiceUnavailable, std::string(kNoConnection), "fault");
  }
  if (!terms) return refuse(kNotFound, std::string(kNoConnection), "not_found");
  const auto& connection = path.connection->text();
  if (!is_secret(path.secret, terms->secret)) return refuse(kNotFound, connection, "not_found");
  if (head.method != "POST") return refuse(kMethodNotAllowed, connection, "wrong_method");
  if (terms->cn && *terms->cn != head.cn) return refuse(kForbidden, connection, "wrong_certificate");
  const auto body = read_body();
  if (!body) return refuse(kTooLarge, connection, "too_large");
  const auto ids = read_callback(*body);
  if (!ids) return refuse(kBadRequest, connection, "no_json");
  if (ids->empty()) {
    parts_.meters.on_callback(connection, "empty");
    return kOk;
  }
  if (const auto fault = keep(*path.connection, *ids)) return refuse(kServiceUnavailable, connection, *fault);
  parts_.meters.on_callback(connection, "stored");
  parts_.when_kept();
  return kOk;
}

// Stores the payments before the answer, as the bank may not call again. Returns why that failed, or nullopt.
std::optional<std::string_view> CallbackHandler::keep(const domain::ConnectionId& connection,
                                                      const std::vector<domain::EndToEndId>& ids) {
  const auto now = parts_.clock.now();
  try {
    if (!parts_.database.keep_payments(connection, ids, stores::ReadReason::kCalledBack, now, now))
      return "no_room";
    parts_.database.note_called_back(connection, now);
    return std::nullopt;
  } catch (const std::exception&) {
    return "fault";
  }
}

namespace {

using Poco::Net::HTTPResponse;

constexpr unsigned char kTlsHandshake = 0x16;
constexpr std::chrono::seconds kSilenceMax{10};
// At most so much of a rejected body is read, so that its sender receives the status.
constexpr std::size_t kDrainedMax = 4 * 1024 * 1024;
constexpr std::chrono::milliseconds kLookForStopEvery{200};
constexpr int kBacklog = 256;
// Calls that were cut take no room, but their threads may not have ended yet.
constexpr std::size_t kThreadsMax = 2 * CallbackServer::kCallsMax;

// One request and its answer. The caller's Watched limits its time.
class CallbackConversation {
 public:
  // `tls`: null if only proxies may call. `from_proxy`: the peer is a proxy, which may omit TLS and report
  // its caller's certificate. Sets `heard` once the request was read.
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

// Returns whether the caller begins with TLS. Waits for its first byte.
bool speaks_tls(Poco::Net::StreamSocket& socket) {
  unsigned char first = 0;
  socket.setReceiveTimeout(silence_max());
  return socket.impl()->receiveBytes(&first, 1, MSG_PEEK) == 1 && first == kTlsHandshake;
}

// Returns the body, or nullopt if it is too long.
std::optional<std::string> read_callback(Poco::Net::HTTPServerRequestImpl& request,
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

// Returns what a proxy reports of its caller's certificate. These headers are ignored from any other peer.
CallbackConversation::Identity CallbackConversation::identity_in(const Poco::Net::HTTPServerRequest& request,
                                                                 const Identity& of_socket) const {
  if (of_socket.is_verified || !from_proxy_) return of_socket;
  // If a header occurs twice, one may be the caller's own.
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
          auto body = read_callback(request, response);
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
  std::atomic<bool> heard{false};   // the whole request was read
  std::atomic<bool> ended{false};   // its thread is about to end
  std::atomic<bool> is_cut{false};  // its time is over, or another call took its room
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
  // No other thread uses the list any more.
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
      // The caller has gone, or descriptors are exhausted until other calls end.
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
  const bool from_proxy = is_within(peer, options_.proxies);
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
