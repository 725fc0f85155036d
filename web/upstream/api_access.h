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

// Where the API's host is at the moment. Name servers and files are asked on a thread of its own, so that
// nobody who connects waits for them. Thread-safe.
class ApiAddress {
 public:
  // `port_file`: has the port in the place of the URL's, which another start of the server may change; may be
  // empty. Asks once before it returns.
  ApiAddress(HttpUrl url, std::filesystem::path port_file);

  const HttpUrl& url() const { return url_; }
  // nullopt while it is not known.
  std::optional<Poco::Net::SocketAddress> current() const;
  // The API was not there: asks again, and goes on to the next of its host's addresses.
  void look_again();

 private:
  using Addresses = std::vector<Poco::Net::SocketAddress>;
  Addresses find() const;
  void look();

  const HttpUrl url_;
  const std::filesystem::path port_file_;
  mutable std::mutex mutex_;
  Addresses addresses_;
  std::size_t tried_ = 0;  // how often one of them was not it
  Periodic thread_;        // looks when it is woken
};

// The key that the API knows this program by, from the file that its server made. Thread-safe.
class ApiCredentials {
 public:
  // Throws std::runtime_error that names the file when it cannot be read or holds no key.
  explicit ApiCredentials(std::filesystem::path file);

  // "Authorization: Bearer …\r\n"
  std::string header() const;
  // "Pixledger-Web-Key: …\r\n": beside the credentials of whom this program speaks for.
  std::string key_header() const;
  // The API did not take the key: there may be another one. What is no key changes nothing.
  void read_anew();

 private:
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::string key_;
};

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

// Where connections lead and who they are from; all outlive whoever connects.
struct ApiAccess {
  ApiAddress& address;
  ApiCredentials& credentials;
  ssl_ctx_st* tls;  // null: without

  ApiConnection::Target target(const Poco::Net::SocketAddress& at, ReadOptions read) const {
    return {at, address.url().host, tls, read};
  }
  // The request's line and its Host.
  std::string request_line(std::string_view method, std::string_view path) const;
  // The same, and who asks: this program.
  std::string request_head(std::string_view method, std::string_view path) const {
    return request_line(method, path) + credentials.header();
  }
};

}  // namespace pixledger::web
