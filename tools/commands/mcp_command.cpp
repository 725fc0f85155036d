#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>

#include "tools/commands/commands.h"
#include "tools/mcp/mcp_server.h"
#include "tools/operations/feed_forwarder.h"

namespace pixledger::tools {
namespace {

struct McpOptions {
  std::string api;
  std::string key_file;
  std::string ca_file;
  bool allow_live_reads = false;
};

// Never an argument: others on this machine see those.
std::string read_key(const McpOptions& options) {
  std::string key;
  if (options.key_file.empty()) {
    const char* const given = std::getenv("PIXLEDGER_KEY");
    if (given == nullptr) throw UsageError("give --key-file, or the key in the environment as PIXLEDGER_KEY");
    key = given;
  } else {
    std::ifstream file(options.key_file);
    if (!std::getline(file, key)) throw UsageError("cannot read a key from " + options.key_file);
  }
  while (!key.empty() && (key.back() == '\r' || key.back() == ' ')) key.pop_back();
  return key;
}

class ApiOverHttp : public McpApi {
 public:
  ApiOverHttp(ApiClient& client, Entropy& entropy) : client_(client), entropy_(entropy) {}

  Answer get(const std::string& target) override { return answer_to({.method = "GET", .target = target}); }
  Answer post(const std::string& target, const std::string& body) override {
    std::array<std::uint64_t, 2> random{};
    entropy_.fill(std::as_writable_bytes(std::span(random)));
    ApiRequest request{.method = "POST",
                       .target = target,
                       .headers = {{"Idempotency-Key",
                                    "mcp-" + std::to_string(random[0]) + "-" + std::to_string(random[1])}},
                       .body = body};
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    return answer_to(request);
  }

 private:
  Answer answer_to(const ApiRequest& request) {
    try {
      auto answer = client_.send(request);
      return {answer.status, std::move(answer.body)};
    } catch (const ApiUnavailable& unavailable) {
      throw ToolFailed(unavailable.what());
    }
  }

  ApiClient& client_;
  Entropy& entropy_;
};

// Reads to the line's end. Returns false at the end of input; `is_long` if more than the longest line was
// left out.
bool read_message(std::istream& in, std::string& line, bool& is_long) {
  line.clear();
  is_long = false;
  char c = 0;
  while (in.get(c) && c != '\n') {
    is_long = is_long || line.size() == McpServer::kLineBytesMax;
    if (!is_long) line += c;
  }
  return !line.empty() || in.good();
}

int serve(CommandContext& context, const McpOptions& options) {
  const auto key = read_key(options);
  const McpRights rights{.is_test_key = key.rfind("sk_test_", 0) == 0,
                         .may_read_live = options.allow_live_reads && key.rfind("sk_live_", 0) == 0};
  if (options.allow_live_reads && !rights.may_read_live)
    throw UsageError("--allow-live-reads needs a live key");
  const SystemResolver resolver;
  ApiClient client(options.api, key, options.ca_file, resolver);
  ApiOverHttp api(client, context.entropy);
  McpServer server(api, rights);
  std::string line;
  bool is_long = false;
  while (std::cout && read_message(std::cin, line, is_long)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto reply = is_long ? McpServer::refusal_of_long_line() : server.answer(line);
    if (reply) std::cout << *reply << '\n' << std::flush;
  }
  return kExitDone;
}

}  // namespace

void add_mcp_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<McpOptions>();
  CommandLine command =
      add_command(program, context, "mcp",
                  "Let a language model read documents and charges (Model Context Protocol over stdio)",
                  [&context, options] { return serve(context, *options); });
  command.add_option("--api", options->api, "The API's address, such as https://pix.example.com").required();
  command.add_option(
      "--key-file", options->key_file,
      "File with an API key; in PIXLEDGER_KEY unless given. A test key lets the model create and "
      "pay charges in the sandbox");
  command.add_flag("--allow-live-reads", options->allow_live_reads,
                   "Show ids and amounts of live charges, too, with a live key");
  command.add_option("--ca-file", options->ca_file, "Certificates to trust beyond the system's, PEM");
}

}  // namespace pixledger::tools
