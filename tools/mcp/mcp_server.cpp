#include "tools/mcp/mcp_server.h"

#include "base/platform/json.h"
#include "base/platform/json_reader.h"
#include "base/process/version.h"
#include "tools/mcp/mcp_tools.h"

namespace pixledger::tools {
namespace {

constexpr std::string_view kRevision = "2025-06-18";
constexpr std::string_view kNullId = "null";
constexpr std::string_view kInstructions =
    "pixledger collects Pix charges (Brazil's instant payments) for a merchant. Amounts are in cents of BRL. "
    "search_docs and read_doc have the merchants' guide; the other tools show what the key may see, without "
    "personal data. Everything is of the sandbox unless environment says live.";

// JSON-RPC 2.0.
enum class Fault { kParse = -32700, kRequest = -32600, kMethod = -32601, kParameters = -32602 };

std::string quoted(std::string_view text) { return Json().value(text).take(); }

std::string reply(std::string_view id, std::string_view member, std::string_view value) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  return text.append(id).append(",\"").append(member).append("\":").append(value).append("}");
}

std::string fault(std::string_view id, Fault code, std::string_view message) {
  Json json;
  json.begin_object().field("code", static_cast<int>(code)).field("message", message).end_object();
  return reply(id, "error", json.take());
}

// As it came: text or integer; empty for anything else.
std::string id_of(simdjson::dom::element element) {
  if (const auto text = json_value<std::string_view>(element)) return quoted(*text);
  if (const auto number = json_value<std::int64_t>(element)) return std::to_string(*number);
  return {};
}

std::string initialization() {
  Json json;
  json.begin_object().field("protocolVersion", kRevision);
  json.key("capabilities").begin_object().key("tools").begin_object().end_object().end_object();
  json.key("serverInfo")
      .begin_object()
      .field("name", "pixledger")
      .field("title", "pixledger")
      .field("version", kReleaseVersion)
      .end_object();
  return json.field("instructions", kInstructions).end_object().take();
}

std::string tool_result(std::string_view structured, bool is_error) {
  std::string text = R"({"content":[{"type":"text","text":)";
  text.append(quoted(structured)).append(R"(}],"structuredContent":)").append(structured);
  return text.append(is_error ? R"(,"isError":true})" : R"(,"isError":false})");
}

std::string failure_result(std::string_view message) {
  Json json;
  json.begin_object().field("error", message).end_object();
  return tool_result(json.take(), true);
}

std::string call_tool(const McpContext& context, std::string_view name, const JsonFields& arguments) {
  try {
    return tool_result(call_mcp_tool(context, name, arguments), false);
  } catch (const ToolFailed& failed) {
    return failure_result(failed.what());
  } catch (const JsonRefused& refused) {
    return failure_result(refused.what());
  }
}

}  // namespace

std::string McpServer::refusal_of_long_line() {
  return fault(kNullId, Fault::kRequest, "A message must have at most 1 MiB.");
}

std::optional<std::string> McpServer::answer(std::string_view line) {
  std::optional<JsonDocument> document;
  try {
    document.emplace(line);
  } catch (const JsonRefused&) {
    return fault(kNullId, Fault::kParse, "The line is not JSON.");
  }
  std::string id;
  try {
    const JsonFields message(document->root());
    const auto id_member = message.member("id");
    if (id_member) id = id_of(*id_member);
    const auto method = message.find<std::string_view>("method");
    // A reply to a request, but this server sends none.
    if (!method && (message.member("result") || message.member("error"))) return std::nullopt;
    if (message.get<std::string_view>("jsonrpc") != "2.0" || !method || (id_member && id.empty()))
      return fault(id.empty() ? kNullId : id, Fault::kRequest,
                   "The message is not a request of JSON-RPC 2.0.");
    if (!id_member) return std::nullopt;  // a notification
    if (*method == "initialize") return reply(id, "result", initialization());
    if (*method == "ping") return reply(id, "result", "{}");
    if (*method == "tools/list") return reply(id, "result", mcp_tool_list(rights_));
    if (*method != "tools/call") return fault(id, Fault::kMethod, "There is no such method.");

    const auto parameters = message.get<JsonFields>("params");
    const auto name = parameters.get<std::string_view>("name");
    if (!has_mcp_tool(rights_, name))
      return fault(id, Fault::kParameters, "There is no such tool for this key.");
    static const JsonDocument kNone("{}");
    const auto arguments = parameters.find<JsonFields>("arguments");
    return reply(id, "result",
                 call_tool({api_, rights_, documents_}, name, arguments.value_or(JsonFields(kNone.root()))));
  } catch (const JsonRefused& refused) {
    return fault(id.empty() ? kNullId : id, Fault::kParameters, refused.what());
  }
}

}  // namespace pixledger::tools
