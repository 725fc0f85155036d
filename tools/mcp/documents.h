#pragma once

#include <span>
#include <string_view>

namespace pixledger::tools {

// A page of the merchants' guide as Markdown, made of docs/ by the build and embedded.
struct DocumentPage {
  std::string_view path;  // "/docs/guide/refunds.md"
  std::string_view text;  // begins with "# " and the title

  std::string_view title() const { return text.substr(2, text.find('\n') - 2); }
};
std::span<const DocumentPage> document_pages();

// tools/mcp/tools.json: the tools as the Model Context Protocol lists them.
std::string_view mcp_tool_definitions();

}  // namespace pixledger::tools
