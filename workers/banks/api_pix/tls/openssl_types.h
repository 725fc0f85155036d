#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::workers {

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

// All certificates of a PEM text, in their order; none where there is none that can be read.
std::vector<Certificate> read_certificates(std::string_view pem);
// Null: there is none that can be read without a password.
PrivateKey read_private_key(std::string_view pem);

}  // namespace pixledger::workers
