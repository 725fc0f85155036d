#include "base/http/transport/served_certificate.h"

#include <cerrno>
#include <fstream>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace pixledger::http {
namespace {

template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* owned) const { free(owned); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeChain {
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Chain = std::unique_ptr<STACK_OF(X509), FreeChain>;

void require_readable(const char* what, const std::string& file) {
  if (!std::ifstream(file))
    throw std::runtime_error(std::string("cannot read the ") + what + " " + file + ": " +
                             std::generic_category().message(errno));
}

// A service cannot prompt for the password of an encrypted key.
int no_password(char*, int, int, void*) { return 0; }

// The last OpenSSL error; clears the error queue.
std::string openssl_reason() {
  const auto code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason ? reason : "unknown reason";
}

}  // namespace

struct ServedCertificate::Pair {
  Certificate certificate;
  Chain chain;
  Key key;
};

ServedCertificate::ServedCertificate(std::string cert_file, std::string key_file)
    : cert_file_(std::move(cert_file)), key_file_(std::move(key_file)), pair_(read()) {}

ServedCertificate::~ServedCertificate() = default;

std::shared_ptr<const ServedCertificate::Pair> ServedCertificate::read() const {
  require_readable("certificate", cert_file_);
  require_readable("key", key_file_);
  const auto refuse = [this] {
    throw std::runtime_error("cannot use the certificate " + cert_file_ + " with the key " + key_file_ +
                             ": " + openssl_reason());
  };
  ERR_clear_error();
  Pair pair;
  const Bio certificates(BIO_new_file(cert_file_.c_str(), "r"));
  const Bio keys(BIO_new_file(key_file_.c_str(), "r"));
  if (!certificates || !keys) refuse();
  pair.certificate.reset(PEM_read_bio_X509_AUX(certificates.get(), nullptr, no_password, nullptr));
  if (!pair.certificate) refuse();
  pair.chain.reset(sk_X509_new_null());
  while (X509* next = PEM_read_bio_X509(certificates.get(), nullptr, no_password, nullptr))
    sk_X509_push(pair.chain.get(), next);
  // The end of the file is expected; any other error is damage.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) refuse();
  ERR_clear_error();
  pair.key.reset(PEM_read_bio_PrivateKey(keys.get(), nullptr, no_password, nullptr));
  if (!pair.key || X509_check_private_key(pair.certificate.get(), pair.key.get()) != 1) refuse();
  return std::make_shared<const Pair>(std::move(pair));
}

void ServedCertificate::read_anew() {
  auto pair = read();
  const std::lock_guard lock(mutex_);
  pair_ = std::move(pair);
}

std::shared_ptr<const ServedCertificate::Pair> ServedCertificate::current() const {
  const std::lock_guard lock(mutex_);
  return pair_;
}

void ServedCertificate::serve_in(ssl_ctx_st* context) { SSL_CTX_set_cert_cb(context, choose, this); }

// Called by OpenSSL in each handshake, on the connection's thread. The handshake holds its own references.
int ServedCertificate::choose(ssl_st* handshake, void* self) {
  constexpr int kReplace = 1;
  const auto pair = static_cast<const ServedCertificate*>(self)->current();
  return SSL_use_cert_and_key(handshake, pair->certificate.get(), pair->key.get(), pair->chain.get(),
                              kReplace);
}

std::int64_t ServedCertificate::ends_at_unix_s() const {
  tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(current()->certificate.get()), &end) != 1) return 0;
  return ::timegm(&end);
}

namespace {

// For TLS 1.2; all suites of TLS 1.3 have both properties.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
    "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384";

// Prefixed with its length, as in the extension.
constexpr std::string_view kProtocol = "\x08http/1.1";

// Refuses clients that offer protocols but not this one (RFC 7301 §3.2).
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned offered_bytes, void*) {
  const std::string_view names(reinterpret_cast<const char*>(offered), offered_bytes);
  for (std::size_t at = 0; at < names.size(); at += 1 + static_cast<unsigned char>(names[at])) {
    if (!names.substr(at).starts_with(kProtocol)) continue;
    *chosen = offered + at + 1;
    *chosen_bytes = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

TlsContext::TlsContext(ServedCertificate& certificate) : context_(SSL_CTX_new(TLS_server_method())) {
  if (!context_) throw std::runtime_error("cannot use TLS: OpenSSL gave no context");
  if (SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context_, kCiphers) != 1) {
    SSL_CTX_free(context_);
    throw std::runtime_error("cannot use TLS: OpenSSL has none of the ciphers");
  }
  SSL_CTX_set_options(context_,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle connections keep no buffers, and a partial write may continue from another buffer address.
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Ticket keys would stay in memory while the server runs, which breaks forward secrecy.
  SSL_CTX_set_options(context_, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context_, 0);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context_, choose_protocol, nullptr);
  certificate.serve_in(context_);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace pixledger::http
