#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pixledger::stores {

// What is sent to a receiver.
struct WebhookPost {
  std::vector<std::pair<std::string, std::string>> headers;  // beside those of HTTP itself
  std::string body;                                          // JSON
};

}  // namespace pixledger::stores
