#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

struct ssl_st;      // SSL
struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::http {

// A server's certificate chain and key, from two PEM files that can be reloaded during handshakes.
// Thread-safe.
class ServedCertificate {
 public:
  // Throws std::runtime_error with file and reason if a file cannot be read, is invalid, or the pair does not
  // match.
  ServedCertificate(std::string cert_file, std::string key_file);
  ~ServedCertificate();
  ServedCertificate(const ServedCertificate&) = delete;
  ServedCertificate& operator=(const ServedCertificate&) = delete;

  // Reloads the files for later handshakes. Throws like the constructor, and then changes nothing.
  void read_anew();

  // The context's handshakes use the latest pair. This object must outlive the context.
  void serve_in(ssl_ctx_st* context);

  // The certificate's expiry, in seconds since 1970.
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

// The TLS settings of a server's connections: TLS 1.2 and 1.3, only suites with forward secrecy and
// authenticated encryption, in the server's order, and only HTTP/1.1 as application protocol (RFC 7301).
class TlsContext {
 public:
  // The certificate must outlive it. Throws std::runtime_error.
  explicit TlsContext(ServedCertificate& certificate);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  ssl_ctx_st* const context_;
};

}  // namespace pixledger::http
