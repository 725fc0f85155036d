#include "web/upstream/api_access.h"

#include <Poco/Net/IPAddress.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <openssl/ssl.h>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/net/resolver.h"
#include "base/values/ip_address.h"

namespace pixledger::web {
namespace {

// nullopt if the file has no port yet.
std::optional<std::uint16_t> port_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint16_t port = 0;
  if (!(stream >> port) || port == 0) return std::nullopt;
  return port;
}

}  // namespace

ApiAddress::ApiAddress(HttpUrl url, std::filesystem::path port_file)
    : url_(std::move(url)),
      port_file_(std::move(port_file)),
      addresses_(find()),
      thread_(Periodic::kUntilWoken, Periodic::kUntilWoken, [this] { look(); }) {}

std::optional<Poco::Net::SocketAddress> ApiAddress::current() const {
  const std::lock_guard lock(mutex_);
  if (addresses_.empty()) return std::nullopt;
  return addresses_[tried_ % addresses_.size()];
}

void ApiAddress::look_again() {
  {
    const std::lock_guard lock(mutex_);
    ++tried_;
  }
  thread_.wake();
}

ApiAddress::Addresses ApiAddress::find() const {
  const auto port = port_file_.empty() ? url_.port : port_in(port_file_);
  Addresses addresses;
  if (!port) return addresses;
  for (const auto& address : SystemResolver().resolve(url_.host))
    addresses.emplace_back(Poco::Net::IPAddress(address.text()), *port);
  return addresses;
}

void ApiAddress::look() {
  auto found = find();
  // A failed resolution keeps the previous addresses.
  if (found.empty()) return;
  const std::lock_guard lock(mutex_);
  addresses_ = std::move(found);
}

namespace {

constexpr std::string_view kPrefix = "wk_";
constexpr std::size_t kKeyBytesMax = 512;

std::string key_in(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file) || !stream)
    throw std::runtime_error("cannot read the web key from " + file.string() +
                             (errno == 0 ? "" : std::string(": ") + std::strerror(errno)) +
                             "; pixledger-server --web-key-file makes it");
  std::string key;
  std::getline(stream, key);
  while (!key.empty() && (key.back() == ' ' || key.back() == '\r')) key.pop_back();
  // Any other content is never sent or shown, not even to the API.
  const bool is_key = key.starts_with(kPrefix) && key.size() <= kKeyBytesMax &&
                      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_key) throw std::runtime_error("there is no web key in " + file.string() + ": it begins with wk_");
  return key;
}

}  // namespace

ApiCredentials::ApiCredentials(std::filesystem::path file) : file_(std::move(file)), key_(key_in(file_)) {}

std::string ApiCredentials::header() const {
  const std::lock_guard lock(mutex_);
  return "Authorization: Bearer " + key_ + "\r\n";
}

std::string ApiCredentials::key_header() const {
  const std::lock_guard lock(mutex_);
  return "Pixledger-Web-Key: " + key_ + "\r\n";
}

void ApiCredentials::read_anew() {
  try {
    auto key = key_in(file_);
    const std::lock_guard lock(mutex_);
    key_ = std::move(key);
  } catch (const std::exception&) {
    // The API still refuses the old key, which its replies show.
  }
}

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

std::string ApiAccess::request_line(std::string_view method, std::string_view path) const {
  std::string text;
  text.append(method).append(" ").append(address.url().path).append(path).append(" HTTP/1.1\r\nHost: ");
  return text.append(address.url().authority()).append("\r\n");
}

}  // namespace pixledger::web
