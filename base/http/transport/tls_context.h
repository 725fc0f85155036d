#pragma once

#include <memory>

#include "base/http/transport/served_certificate.h"

namespace pixledger::http {

// What TLS connections of a server have in common: TLS 1.2 and 1.3, suites with forward secrecy and
// authenticated encryption alone, in the server's order; HTTP/1.1 as the one application protocol (RFC 7301).
class TlsContext {
 public:
  // The certificate outlives it. Throws std::runtime_error.
  explicit TlsContext(ServedCertificate& certificate);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  ssl_ctx_st* const context_;
};

}  // namespace pixledger::http
