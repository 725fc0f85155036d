#pragma once

#include <string>

struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::web {

// What connections to an API with TLS have in common: TLS 1.2 or newer, and the certificates that its own has
// to be issued by: the system's, and those of a file.
class TrustedCertificates {
 public:
  // `ca_file` (PEM) may be empty. Throws std::runtime_error that names it when it cannot be read.
  explicit TrustedCertificates(const std::string& ca_file);
  ~TrustedCertificates();
  TrustedCertificates(const TrustedCertificates&) = delete;
  TrustedCertificates& operator=(const TrustedCertificates&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  ssl_ctx_st* const context_;
};

}  // namespace pixledger::web
