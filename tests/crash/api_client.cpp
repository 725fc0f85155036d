#include "tests/crash/api_client.h"

#include <exception>

namespace pixledger::tests {

std::string ApiAnswer::text(std::string_view name) const {
  const auto pattern = "\"" + std::string(name) + "\":\"";
  const auto start = body.find(pattern);
  if (start == std::string::npos) return {};
  const auto value = start + pattern.size();
  return body.substr(value, body.find('"', value) - value);
}

ApiClient::ApiClient(std::uint16_t port, std::string api_key) : api_key_(std::move(api_key)) {
  try {
    connection_.emplace(port);
  } catch (const std::exception&) {
    // Requests report it.
  }
}

std::optional<ApiAnswer> ApiClient::get(const std::string& path) {
  return exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + api_key_ +
                  "\r\n\r\n");
}

std::optional<ApiAnswer> ApiClient::post(const std::string& path, const std::string& body,
                                         const std::string& extra_headers) {
  return exchange("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + api_key_ +
                  "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n" + extra_headers + "\r\n" + body);
}

std::optional<ApiAnswer> ApiClient::exchange(const std::string& request) {
  if (!connection_) return std::nullopt;
  try {
    connection_->send(request);
    auto reply = connection_->read_reply();
    return ApiAnswer{reply.status, reply.header("idempotent-replayed") == "true", std::move(reply.body)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace pixledger::tests
