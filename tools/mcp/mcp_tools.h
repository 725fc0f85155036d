#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/platform/json_reader.h"
#include "tools/mcp/documents.h"
#include "tools/mcp/mcp_server.h"

// The tools of McpServer.
namespace pixledger::tools {

struct McpContext {
  McpApi& api;
  McpRights rights;
  std::span<const DocumentPage> documents;
};

// JSON: the list of the tools that these rights allow.
std::string mcp_tool_list(McpRights rights);

// Whether these rights have a tool of this name.
bool has_mcp_tool(McpRights rights, std::string_view name);

// Calls a tool that there is. Returns its result, a JSON object. Throws JsonRefused for wrong arguments, and
// ToolFailed.
std::string call_mcp_tool(const McpContext& context, std::string_view name, const JsonFields& arguments);

}  // namespace pixledger::tools
