#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/exchange.h"
#include "base/http/transport/server.h"
#include "base/net/http_status.h"
#include "base/net/http_url.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/platform/signals.h"
#include "base/process/option_rules.h"
#include "stores/deliveries/channels.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kWebhookBytesMax = 1024 * 1024;
constexpr std::size_t kConnectionsMax = 80;  // each may have a body of that size in memory
constexpr std::chrono::milliseconds kLookEvery{20};

http::ServerOptions server_options(const HostPort& listen) {
  http::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.max_connections = kConnectionsMax;
  options.body_bytes_max = kWebhookBytesMax;
  return options;
}

// A merchant's receiver of webhooks, for tests: answers 200 to valid signatures and 401 to others, and prints
// each webhook atomically, since one thread serves all connections.
class WebhookReceiver {
 public:
  // Listens on return. The clock, the entropy and `out` outlive it. Throws std::runtime_error if it cannot
  // listen.
  WebhookReceiver(const HostPort& listen, const std::string& secret, const Clock& clock, Entropy& entropy,
                  std::ostream& out)
      : key_(secret), clock_(clock), out_(out), server_(server_options(listen), services(entropy)) {
    server_.begin_draining();  // one webhook a connection
    server_.start();
  }

  std::uint16_t port() const { return server_.port(); }
  // Answered so far.
  std::uint64_t valid() const { return valid_; }
  std::uint64_t invalid() const { return invalid_; }

 private:
  http::ServerServices services(Entropy& entropy) {
    http::ServerServices services;
    services.application = [this](const http::Responder& responder) { answer(responder); };
    services.entropy = [&entropy](std::span<std::byte> bytes) { entropy.fill(bytes); };
    services.unix_time_s = [this] { return clock_.now().millis() / 1000; };
    services.log_fault = [](const http::Request&, std::string_view what) {
      std::cerr << "cannot check a webhook: " << what << "\n";
    };
    return services;
  }

  void answer(const http::Responder& responder) {
    const bool valid = is_signed(responder.request());
    print(responder.request(), valid);
    responder({.status = valid ? kOk : kUnauthorized, .body = {}, .content_type = "text/plain"});
    ++(valid ? valid_ : invalid_);
  }

  // During a rotation's grace period the old secrets and the new one are valid.
  bool is_signed(const http::Request& request) const {
    const auto verifies = [&](std::string_view header) {
      std::istringstream signatures(std::string(request.headers.find(header).value_or("")));
      for (std::string signature; signatures >> signature;) {
        if (stores::verify_webhook(signature, key_, request.body, clock_.now())) return true;
      }
      return false;
    };
    return verifies("X-Webhook-Signature") || verifies("X-Webhook-Signature-Next") ||
           verifies("X-Webhook-Signature-Between");
  }

  void print(const http::Request& request, bool valid) {
    const auto& headers = request.headers;
    out_ << "webhook " << printable(headers.find("X-Webhook-Event").value_or("(no event)")) << ", attempt "
         << printable(headers.find("X-Webhook-Attempt").value_or("?")) << ", id "
         << printable(headers.find("X-Webhook-Id").value_or("?"))
         << "\nsignature: " << (valid ? "valid" : "invalid") << "\n"
         << printable(request.body) << "\n"
         << std::flush;
  }

  const HmacSha256 key_;
  const Clock& clock_;
  std::ostream& out_;
  std::atomic<std::uint64_t> valid_{0};
  std::atomic<std::uint64_t> invalid_{0};
  http::Server server_;  // last: its thread uses the others
};

struct ReceiveOptions {
  std::string secret;
  std::string listen = "127.0.0.1:0";
  std::string port_file;
  std::uint64_t count = 0;      // 0: until it is stopped
  std::uint32_t timeout_s = 0;  // 0: none
};

int receive(CommandContext& context, const ReceiveOptions& options) {
  const auto listen = parse_option<HostPort>("--listen", options.listen);
  block_stop_signals();
  const WebhookReceiver receiver(listen, options.secret, context.clock, context.entropy, std::cout);
  std::cerr << "waiting for webhooks on http://" << HostPort{listen.host, receiver.port()}.text() << "/\n";
  if (!options.port_file.empty()) write_port_file(options.port_file, receiver.port());

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_s);
  while (!wait_for_stop(kLookEvery)) {
    if (options.count != 0 && receiver.invalid() > 0) return say_no("a signature was invalid");
    if (options.count != 0 && receiver.valid() >= options.count) return kExitDone;
    if (options.timeout_s != 0 && std::chrono::steady_clock::now() > deadline) {
      return say_no("only " + std::to_string(receiver.valid()) + " webhooks in time");
    }
  }
  return receiver.invalid() > 0 ? kExitNo : kExitDone;
}

}  // namespace

void add_receive_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ReceiveOptions>();
  CommandLine command =
      add_command(program, context, "receive", "Receive webhooks and check their signatures, to try them",
                  [&context, options] { return receive(context, *options); });
  command.add_option("--secret", options->secret, "The channel's secret").required();
  command.add_option("--listen", options->listen, "HOST:PORT; port 0 takes a free one").show_default();
  command.add_option("--port-file", options->port_file, "File to write the port to");
  command.add_option("--count", options->count, "End after so many; until stopped unless given")
      .check(must_be_a_positive_integer);
  command.add_option("--timeout", options->timeout_s, "Seconds to wait for them; no limit unless given")
      .check(must_be_a_positive_integer);
}

}  // namespace pixledger::tools
