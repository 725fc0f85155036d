#pragma once

#include <Poco/Net/SocketAddress.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_url.h"
#include "base/platform/periodic.h"
#include "web/upstream/api_connection.h"

struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::web {

// The current address of the API's host. A thread of its own reads name servers and files, so connecting
// never waits for them. Thread-safe.
class ApiAddress {
 public:
  // `port_file`: contains the port instead of the URL, since it may change when the API restarts; may be
  // empty. Resolves once before it returns.
  ApiAddress(HttpUrl url, std::filesystem::path port_file);

  const HttpUrl& url() const { return url_; }
  // nullopt while it is unknown.
  std::optional<Poco::Net::SocketAddress> current() const;
  // Call when connecting failed: resolves again and moves to the host's next address.
  void look_again();

 private:
  using Addresses = std::vector<Poco::Net::SocketAddress>;
  Addresses find() const;
  void look();

  const HttpUrl url_;
  const std::filesystem::path port_file_;
  mutable std::mutex mutex_;
  Addresses addresses_;
  std::size_t tried_ = 0;  // the number of failed attempts
  Periodic thread_;        // runs when woken
};

// The web key, which identifies this program to the API; from the file that the API server made. Thread-safe.
class ApiCredentials {
 public:
  // Throws std::runtime_error with the file's name if it cannot be read or contains no key.
  explicit ApiCredentials(std::filesystem::path file);

  // "Authorization: Bearer …\r\n"
  std::string header() const;
  // "Pixledger-Web-Key: …\r\n": sent beside the credentials of the user that a request is for.
  std::string key_header() const;
  // Call when the API refused the key: the file may have a new one. Keeps the old key if it has none.
  void read_anew();

 private:
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::string key_;
};

// TLS settings of connections to the API: TLS 1.2 or newer. Its certificate must have an issuer among the
// system's or in a file.
class TrustedCertificates {
 public:
  // `ca_file` (PEM) may be empty. Throws std::runtime_error with its name if it cannot be read.
  explicit TrustedCertificates(const std::string& ca_file);
  ~TrustedCertificates();
  TrustedCertificates(const TrustedCertificates&) = delete;
  TrustedCertificates& operator=(const TrustedCertificates&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  ssl_ctx_st* const context_;
};

// Address and credentials of connections to the API; all outlive the connections.
struct ApiAccess {
  ApiAddress& address;
  ApiCredentials& credentials;
  ssl_ctx_st* tls;  // null: without TLS

  ApiConnection::Target target(const Poco::Net::SocketAddress& at, ReadOptions read) const {
    return {at, address.url().host, tls, read};
  }
  // The request line and Host.
  std::string request_line(std::string_view method, std::string_view path) const;
  // The same with this program's credentials.
  std::string request_head(std::string_view method, std::string_view path) const {
    return request_line(method, path) + credentials.header();
  }
};

}  // namespace pixledger::web
