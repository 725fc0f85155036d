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
// again: when the connection breaks, what became of the request is unknown, and the caller has to know that.
class ApiClient {
 public:
  ApiClient(std::uint16_t port, std::string api_key);

  // nullopt: the connection broke before the whole answer was there.
  std::optional<ApiAnswer> get(const std::string& path);
  // `extra_headers`: whole lines with their ends.
  std::optional<ApiAnswer> post(const std::string& path, const std::string& body,
                                const std::string& extra_headers);

 private:
  std::optional<ApiAnswer> exchange(const std::string& request);

  std::string api_key_;
  std::optional<RawConnection> connection_;  // none: it could not be made
};

}  // namespace pixledger::tests
