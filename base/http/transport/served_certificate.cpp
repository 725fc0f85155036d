#include "base/http/transport/served_certificate.h"

#include <cerrno>
#include <fstream>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdexcept>
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

// Nobody is there to be asked for the password of an encrypted key.
int no_password(char*, int, int, void*) { return 0; }

// What OpenSSL says last, which it forgets then.
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
  // The file has ended; anything else is damage.
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

// Called by OpenSSL in each handshake, on its connection's thread. The handshake keeps references of its own.
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

}  // namespace pixledger::http
