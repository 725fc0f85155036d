#include "base/http/transport/served_certificate.h"

#include <cerrno>
#include <fstream>
#include <new>
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
struct FreeNames {
  void operator()(STACK_OF(X509_NAME) * names) const { sk_X509_NAME_pop_free(names, X509_NAME_free); }
};
using Names = std::unique_ptr<STACK_OF(X509_NAME), FreeNames>;
using Store = std::unique_ptr<X509_STORE, Free<X509_STORE, X509_STORE_free>>;

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

struct ServedCertificate::Files {
  Certificate certificate;
  Chain chain;
  Key key;
  Store authorities;  // null, like their names, if clients need no certificate
  Names authority_names;
};

ServedCertificate::ServedCertificate(std::string cert_file, std::string key_file,
                                     std::vector<std::string> client_ca_files)
    : cert_file_(std::move(cert_file)),
      key_file_(std::move(key_file)),
      client_ca_files_(std::move(client_ca_files)),
      files_(read()) {}

ServedCertificate::~ServedCertificate() = default;

std::shared_ptr<const ServedCertificate::Files> ServedCertificate::read() const {
  require_readable("certificate", cert_file_);
  require_readable("key", key_file_);
  const auto refuse = [this] {
    throw std::runtime_error("cannot use the certificate " + cert_file_ + " with the key " + key_file_ +
                             ": " + openssl_reason());
  };
  ERR_clear_error();
  Files files;
  const Bio certificates(BIO_new_file(cert_file_.c_str(), "r"));
  const Bio keys(BIO_new_file(key_file_.c_str(), "r"));
  if (!certificates || !keys) refuse();
  files.certificate.reset(PEM_read_bio_X509_AUX(certificates.get(), nullptr, no_password, nullptr));
  if (!files.certificate) refuse();
  files.chain.reset(sk_X509_new_null());
  while (X509* next = PEM_read_bio_X509(certificates.get(), nullptr, no_password, nullptr))
    sk_X509_push(files.chain.get(), next);
  // The end of the file is expected; any other error is damage.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) refuse();
  ERR_clear_error();
  files.key.reset(PEM_read_bio_PrivateKey(keys.get(), nullptr, no_password, nullptr));
  if (!files.key || X509_check_private_key(files.certificate.get(), files.key.get()) != 1) refuse();
  if (demands_clients()) read_authorities(files);
  return std::make_shared<const Files>(std::move(files));
}

void ServedCertificate::read_authorities(Files& files) const {
  files.authorities.reset(X509_STORE_new());
  files.authority_names.reset(sk_X509_NAME_new_null());
  if (!files.authorities || !files.authority_names) throw std::bad_alloc();
  for (const auto& file : client_ca_files_) {
    require_readable("authorities", file);
    if (X509_STORE_load_file(files.authorities.get(), file.c_str()) != 1 ||
        SSL_add_file_cert_subjects_to_stack(files.authority_names.get(), file.c_str()) != 1)
      throw std::runtime_error("cannot use the authorities in " + file + ": " + openssl_reason());
  }
}

void ServedCertificate::read_anew() {
  auto files = read();
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

std::shared_ptr<const ServedCertificate::Files> ServedCertificate::current() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

void ServedCertificate::serve_in(ssl_ctx_st* context) { SSL_CTX_set_cert_cb(context, choose, this); }

// Called by OpenSSL in each handshake, on the connection's thread. The handshake holds its own references.
int ServedCertificate::choose(ssl_st* handshake, void* self) {
  constexpr int kReplace = 1;
  const auto files = static_cast<const ServedCertificate*>(self)->current();
  if (files->authorities) {
    if (SSL_set1_verify_cert_store(handshake, files->authorities.get()) != 1) return 0;
    SSL_set_client_CA_list(handshake, SSL_dup_CA_list(files->authority_names.get()));
  }
  return SSL_use_cert_and_key(handshake, files->certificate.get(), files->key.get(), files->chain.get(),
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
      (!certificate.demands_clients() && SSL_CTX_set_cipher_list(context_, kCiphers) != 1)) {
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
  // OpenSSL verifies by itself, in each handshake against the authorities of that moment.
  if (certificate.demands_clients())
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  certificate.serve_in(context_);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace pixledger::http
