#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/timestamp.h"

namespace pixledger::workers {

// A client's certificate and key for a bank, as text that is never written to a disk unencrypted.
struct BankCredentials {
  std::string certificate_pem;  // the client's own first
  std::string private_key_pem;
  std::string subject;  // of its certificate: "CN=Loja Exemplo,O=Loja Ltda" (RFC 2253)
  Timestamp ends_at;
};

enum class CredentialPart { kCertificate, kPrivateKey, kPfx, kPfxPassword };

// Why credentials are unusable, to be read after the name of the option that gave that part: "has expired on
// 2026-01-31T12:00:00Z". Contains no secret.
class CredentialError : public std::runtime_error {
 public:
  CredentialError(CredentialPart part, const std::string& problem)
      : std::runtime_error(problem), part_(part) {}
  CredentialPart part() const { return part_; }

 private:
  CredentialPart part_;
};

// Reads both from PEM texts: the certificate with its issuers, in any order; the key without a password.
// Throws CredentialError unless they match and the certificate is valid at `now`.
BankCredentials read_pem_credentials(std::string_view certificate_pem, std::string_view private_key_pem,
                                     Timestamp now);

// Reads both from the bytes of a PKCS #12 file (.pfx, .p12), also with the old ciphers of OpenSSL's legacy
// provider, which is loaded only for this. Throws CredentialError likewise.
BankCredentials read_pfx_credentials(std::string_view pfx, const std::string& password, Timestamp now);

struct OpensslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, OpensslFree>;
using Certificate = std::unique_ptr<X509, OpensslFree>;
using PrivateKey = std::unique_ptr<EVP_PKEY, OpensslFree>;

// Reads `text`, which outlives it.
Bio bio_of(std::string_view text);

// Returns all certificates of a PEM text, in their order; empty if none is readable.
std::vector<Certificate> read_certificates(std::string_view pem);
// Returns null if no key is readable without a password.
PrivateKey read_private_key(std::string_view pem);

}  // namespace pixledger::workers
