#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

struct ssl_st;      // SSL
struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::http {

// The certificate with its chain that a server shows, and its key, from two PEM files that can be read anew
// while handshakes go on. Thread-safe.
class ServedCertificate {
 public:
  // Throws std::runtime_error, which names the file and the reason, when they cannot be read, are no
  // certificate and key, or do not belong together.
  ServedCertificate(std::string cert_file, std::string key_file);
  ~ServedCertificate();
  ServedCertificate(const ServedCertificate&) = delete;
  ServedCertificate& operator=(const ServedCertificate&) = delete;

  // Handshakes from now on show what the files have now. Throws as the constructor does; then nothing
  // changes.
  void read_anew();

  // The context's handshakes show what was read last. This outlives the context.
  void serve_in(ssl_ctx_st* context);

  // When the certificate ends, in seconds since 1970.
  std::int64_t ends_at_unix_s() const;

 private:
  struct Pair;
  static int choose(ssl_st* handshake, void* self);
  std::shared_ptr<const Pair> read() const;
  std::shared_ptr<const Pair> current() const;

  const std::string cert_file_;
  const std::string key_file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Pair> pair_;
};

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
