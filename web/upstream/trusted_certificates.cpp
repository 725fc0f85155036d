#include "web/upstream/trusted_certificates.h"

#include <openssl/ssl.h>
#include <stdexcept>

namespace pixledger::web {

TrustedCertificates::TrustedCertificates(const std::string& ca_file)
    : context_(SSL_CTX_new(TLS_client_method())) {
  if (!context_) throw std::runtime_error("cannot use TLS: OpenSSL gave no context");
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_default_verify_paths(context_);
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (ca_file.empty() || SSL_CTX_load_verify_file(context_, ca_file.c_str()) == 1) return;
  SSL_CTX_free(context_);
  throw std::runtime_error("cannot read certificates from " + ca_file);
}

TrustedCertificates::~TrustedCertificates() { SSL_CTX_free(context_); }

}  // namespace pixledger::web
