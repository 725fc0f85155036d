#include "tests/support/servers/test_certificates.h"

#include <cstdio>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace pixledger::tests {
namespace {

constexpr long kHourSeconds = 3600;

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

void require(bool done) {
  if (!done) throw std::runtime_error("cannot make a certificate");
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  require(key != nullptr);
  return key;
}

Certificate make_certificate(EVP_PKEY* key, const std::string& name, long serial, long valid_until) {
  Certificate certificate(X509_new(), &X509_free);
  require(certificate && X509_set_version(certificate.get(), 2) == 1);
  require(ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial) == 1);
  require(X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHourSeconds) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_until) != nullptr);
  require(X509_set_pubkey(certificate.get(), key) == 1);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC, text, -1,
                                     -1, 0) == 1);
  return certificate;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), &X509_EXTENSION_free);
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

template <typename Write>
void write_file(const std::filesystem::path& path, const Write& write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  require(file != nullptr && write(file.get()) == 1);
}

void write_certificate(const std::filesystem::path& path, X509* certificate) {
  write_file(path, [&](std::FILE* file) { return PEM_write_X509(file, certificate); });
}

void sign(X509* certificate, const std::string& host, X509* issuer, EVP_PKEY* issuer_key) {
  require(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1);
  add_extension(certificate, issuer, NID_subject_alt_name, "DNS:" + host);
  require(X509_sign(certificate, issuer_key, EVP_sha256()) > 0);
}

CertificateFiles write_files(const std::filesystem::path& base, X509* certificate, EVP_PKEY* key) {
  CertificateFiles files{base.string() + ".pem", base.string() + ".key"};
  write_certificate(files.cert_file, certificate);
  write_file(files.key_file, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace

struct TestAuthority::Keys {
  Key key;
  Certificate certificate;
};

TestAuthority::TestAuthority() {
  auto key = make_key();
  // Each authority has a name of its own, as real ones do.
  const auto name = directory_.path().filename().string();
  auto certificate = make_certificate(key.get(), name, 1, kHourSeconds);
  require(X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get())) == 1);
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  write_certificate(ca_file(), certificate.get());
  keys_ = std::make_unique<Keys>(Keys{std::move(key), std::move(certificate)});
}

TestAuthority::~TestAuthority() = default;

CertificateFiles TestAuthority::issue_valid_until(const std::string& host, long seconds_from_now) const {
  const auto key = make_key();
  const auto certificate = make_certificate(key.get(), host, 100 + ++issued_, seconds_from_now);
  sign(certificate.get(), host, keys_->certificate.get(), keys_->key.get());
  return write_files(directory_.path() / ("issued-" + std::to_string(issued_)), certificate.get(), key.get());
}

CertificateFiles TestAuthority::issue_self_signed(const std::string& host) const {
  const auto key = make_key();
  const auto certificate = make_certificate(key.get(), host, 100 + ++issued_, kHourSeconds);
  sign(certificate.get(), host, certificate.get(), key.get());
  return write_files(directory_.path() / ("issued-" + std::to_string(issued_)), certificate.get(), key.get());
}

}  // namespace pixledger::tests
