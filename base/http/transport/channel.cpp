#include "base/http/transport/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <linux/sockios.h>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace pixledger::http {
namespace {

using Kind = Transfer::Kind;

Transfer failure_of_call() {
  const bool blocks = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {.kind = blocks ? Kind::kBlocks : Kind::kBroken};
}

int clamped(std::size_t bytes) { return static_cast<int>(std::min<std::size_t>(bytes, INT_MAX)); }

}  // namespace

void Channel::FreeTls::operator()(ssl_st* tls) const { SSL_free(tls); }

Channel::Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls) : socket_(std::move(socket)) {
  if (!tls) return;
  tls_.reset(SSL_new(tls));
  if (!tls_ || SSL_set_fd(tls_.get(), this->socket()) != 1) throw std::bad_alloc();
  SSL_set_accept_state(tls_.get());
}

Channel::Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls, const std::string& host)
    : Channel(std::move(socket), tls) {
  if (!tls) return;
  SSL_set_connect_state(tls_.get());
  SSL_set_verify(tls_.get(), SSL_VERIFY_PEER, nullptr);
  // Certificates list hosts and addresses in different fields, and SNI allows only hosts (RFC 6066 §3).
  auto* const wanted = SSL_get0_param(tls_.get());
  const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  if (is_address) return;
  // Expanded from SSL_set_tlsext_host_name, to avoid its old-style casts.
  if (SSL_ctrl(tls_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(host.c_str())) != 1 ||
      X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) != 1)
    throw std::bad_alloc();
}

Channel::~Channel() = default;

int Channel::socket() const { return socket_.impl()->sockfd(); }

// OpenSSL's error queue belongs to the thread, which serves many connections: clear it before each call.
Transfer Channel::handshake() {
  if (may_be_plain_) {
    constexpr char kTlsHandshake = 0x16;
    char first = 0;
    const auto bytes = ::recv(socket(), &first, 1, MSG_PEEK);
    if (bytes < 0) return failure_of_call();
    if (bytes == 0) return {.kind = Kind::kEnded};
    may_be_plain_ = false;
    if (first != kTlsHandshake) {
      tls_.reset();
      return {.kind = Kind::kDone};
    }
  }
  ERR_clear_error();
  return tls_result(SSL_do_handshake(tls_.get()));
}

std::optional<std::string> Channel::peer_name() const {
  const X509* certificate = tls_ ? SSL_get0_peer_certificate(tls_.get()) : nullptr;
  if (!certificate) return std::nullopt;
  std::array<char, 256> name{};
  const int bytes = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                                              static_cast<int>(name.size()));
  return std::string(name.data(), static_cast<std::size_t>(std::max(bytes, 0)));
}

Transfer Channel::read(char* to, std::size_t bytes_max) {
  if (tls_) {
    ERR_clear_error();
    return tls_result(SSL_read(tls_.get(), to, clamped(bytes_max)));
  }
  return receive(to, bytes_max);
}

Transfer Channel::drop(char* to, std::size_t bytes_max) { return receive(to, bytes_max); }

Transfer Channel::receive(char* to, std::size_t bytes_max) {
  const auto bytes = ::recv(socket(), to, bytes_max, 0);
  if (bytes < 0) return failure_of_call();
  if (bytes == 0) return {.kind = Kind::kEnded};
  const auto received = static_cast<std::size_t>(bytes);
  return {.kind = Kind::kDone, .bytes = received, .drained = received < bytes_max};
}

Transfer Channel::write(std::string_view bytes, bool more) {
  if (tls_) {
    ERR_clear_error();
    return tls_result(SSL_write(tls_.get(), bytes.data(), clamped(bytes.size())));
  }
  const auto sent = ::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  if (sent < 0) return failure_of_call();
  return {.kind = Kind::kDone, .bytes = static_cast<std::size_t>(sent)};
}

Transfer Channel::tls_result(int result) {
  if (result > 0) return {.kind = Kind::kDone, .bytes = static_cast<std::size_t>(result)};
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return {.kind = Kind::kBlocks};
    case SSL_ERROR_ZERO_RETURN:
      return {.kind = Kind::kEnded};
    default:
      return {.kind = Kind::kBroken};
  }
}

std::size_t Channel::unacknowledged() const {
  int bytes = 0;
  return ::ioctl(socket(), SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(std::max(bytes, 0)) : 0;
}

void Channel::discard_unacknowledged() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

void Channel::end_sending() {
  if (tls_ && SSL_is_init_finished(tls_.get())) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  ::shutdown(socket(), SHUT_WR);
}

}  // namespace pixledger::http
