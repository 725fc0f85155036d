#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/servers/raw_http.h"

namespace pixledger::tests {

struct ApiAnswer {
  int status = 0;
  bool replayed = false;  // Idempotent-Replayed
  std::string body;

  // Returns the first text member of that name, at any depth, or "".
  std::string text(std::string_view name) const;
};

// One keep-alive connection to a server on this machine. It never sends a request twice and never connects
// again: when the connection breaks, the outcome of the request is unknown, and the caller must handle that.
class ApiClient {
 public:
  ApiClient(std::uint16_t port, std::string api_key);

  // Returns nullopt if the connection broke before the whole answer had arrived.
  std::optional<ApiAnswer> get(const std::string& path);
  // `extra_headers`: whole lines with their ends.
  std::optional<ApiAnswer> post(const std::string& path, const std::string& body,
                                const std::string& extra_headers);

 private:
  std::optional<ApiAnswer> exchange(const std::string& request);

  std::string api_key_;
  std::optional<RawConnection> connection_;  // nullopt: could not connect
};

}  // namespace pixledger::tests
