#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/mcp/documents.h"

namespace pixledger::tools {

// The API as one key sees it. Calls throw ToolFailed when there is no answer.
class McpApi {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  virtual ~McpApi() = default;
  // `target`: path and query, such as "/api/v1/requests".
  virtual Answer get(const std::string& target) = 0;
  // With an Idempotency-Key of its own. `body` is JSON.
  virtual Answer post(const std::string& target, const std::string& body) = 0;
};

// A tool could not do what it was asked for. The text is for the model.
class ToolFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct McpRights {
  bool is_test_key = false;
  bool may_read_live = false;  // with a live key
};

// A server of the Model Context Protocol (revision 2025-06-18): tools that read the documents, and what the
// key may see of charges, deliveries and failed requests, without personal data; with a test key also tools
// that try things out in the sandbox. Used by one thread; its parameters outlive it.
class McpServer {
 public:
  static constexpr std::size_t kLineBytesMax = 1024 * 1024;

  McpServer(McpApi& api, McpRights rights, std::span<const DocumentPage> documents = document_pages())
      : api_(api), rights_(rights), documents_(documents) {}

  // Returns the reply to one line of JSON-RPC, without a line feed; nullopt if it needs no reply.
  std::optional<std::string> answer(std::string_view line);

  // The reply to a line of more than kLineBytesMax.
  static std::string refusal_of_long_line();

 private:
  McpApi& api_;
  const McpRights rights_;
  const std::span<const DocumentPage> documents_;
};

}  // namespace pixledger::tools
