#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct ssl_st;      // SSL
struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::http {

// A server's certificate chain and key, and the authorities that clients' certificates must come from, from
// PEM files that can be reloaded during handshakes. Thread-safe.
class ServedCertificate {
 public:
  // `client_ca_files` empty: clients need no certificate. Throws std::runtime_error with file and reason if a
  // file cannot be read, is invalid, or certificate and key do not match.
  ServedCertificate(std::string cert_file, std::string key_file,
                    std::vector<std::string> client_ca_files = {});
  ~ServedCertificate();
  ServedCertificate(const ServedCertificate&) = delete;
  ServedCertificate& operator=(const ServedCertificate&) = delete;

  // Reloads the files for later handshakes. Throws like the constructor, and then changes nothing.
  void read_anew();

  bool demands_clients() const { return !client_ca_files_.empty(); }
  // The context's handshakes use the latest files. This object must outlive the context.
  void serve_in(ssl_ctx_st* context);

  // The certificate's expiry, in seconds since 1970.
  std::int64_t ends_at_unix_s() const;

 private:
  struct Files;
  static int choose(ssl_st* handshake, void* self);
  std::shared_ptr<const Files> read() const;
  void read_authorities(Files& files) const;
  std::shared_ptr<const Files> current() const;

  const std::string cert_file_;
  const std::string key_file_;
  const std::vector<std::string> client_ca_files_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Files> files_;
};

// The TLS settings of a server's connections: TLS 1.2 and 1.3, only suites with forward secrecy and
// authenticated encryption, in the server's order, and only HTTP/1.1 as application protocol (RFC 7301). A
// server that demands certificates takes OpenSSL's usual suites, since its clients are known and may be old.
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
