#include "tests/support/servers/self_signed_certificate.h"

#include <cstdio>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdexcept>

namespace pixledger::tests {
namespace {

constexpr long kValidSeconds = 3600;

void require(bool done) {
  if (!done) throw std::runtime_error("cannot make a certificate");
}

template <typename Write>
void write_file(const std::filesystem::path& path, const Write& write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  require(file != nullptr && write(file.get()) == 1);
}

}  // namespace

void write_self_signed_certificate(const std::filesystem::path& cert_file,
                                   const std::filesystem::path& key_file) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> cert(X509_new(), &X509_free);
  require(key && cert);
  X509_NAME* const name = X509_get_subject_name(cert.get());
  const unsigned char host[] = "localhost";
  require(X509_set_version(cert.get(), 2) == 1);
  require(ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1) == 1);
  require(X509_gmtime_adj(X509_getm_notBefore(cert.get()), 0) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(cert.get()), kValidSeconds) != nullptr);
  require(X509_set_pubkey(cert.get(), key.get()) == 1);
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0) == 1);
  require(X509_set_issuer_name(cert.get(), name) == 1);
  require(X509_sign(cert.get(), key.get(), EVP_sha256()) > 0);
  write_file(cert_file, [&](std::FILE* file) { return PEM_write_X509(file, cert.get()); });
  write_file(key_file, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace pixledger::tests
