#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <istream>
#include <memory>
#include <mutex>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

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
constexpr std::chrono::milliseconds kLookEvery{20};

std::string read_webhook(std::istream& input) {
  std::string body;
  std::array<char, 4096> chunk{};
  while (body.size() <= kWebhookBytesMax && (input.read(chunk.data(), chunk.size()) || input.gcount() > 0)) {
    body.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (body.size() > kWebhookBytesMax) throw std::runtime_error("the body is too large");
  return body;
}

// What all handlers share.
struct Shared {
  Shared(const std::string& secret, const Clock& its_clock, std::ostream& its_out)
      : key(secret), clock(its_clock), out(its_out) {}

  const HmacSha256 key;
  const Clock& clock;
  std::ostream& out;
  std::mutex out_mutex;
  std::atomic<std::uint64_t> valid{0};
  std::atomic<std::uint64_t> invalid{0};
};

class Handler final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit Handler(Shared& shared) : shared_(shared) {}

  void handleRequest(Poco::Net::HTTPServerRequest& request,
                     Poco::Net::HTTPServerResponse& response) override {
    response.setKeepAlive(false);
    const std::string body = read_webhook(request.stream());
    const bool valid = is_signed(request, body);
    print(request, body, valid);
    using Poco::Net::HTTPResponse;
    response.setStatusAndReason(valid ? HTTPResponse::HTTP_OK : HTTPResponse::HTTP_UNAUTHORIZED);
    response.setContentLength(0);
    response.send().flush();
    ++(valid ? shared_.valid : shared_.invalid);
  }

 private:
  // During a rotation's grace the old secrets and the new one are all right.
  bool is_signed(const Poco::Net::HTTPServerRequest& request, const std::string& body) const {
    const auto verifies = [&](const char* header) {
      std::istringstream signatures(request.get(header, ""));
      for (std::string signature; signatures >> signature;) {
        if (stores::verify_webhook(signature, shared_.key, body, shared_.clock.now())) return true;
      }
      return false;
    };
    return verifies("X-Webhook-Signature") || verifies("X-Webhook-Signature-Next") ||
           verifies("X-Webhook-Signature-Between");
  }

  void print(const Poco::Net::HTTPServerRequest& request, const std::string& body, bool valid) {
    const std::lock_guard lock(shared_.out_mutex);
    shared_.out << "webhook " << printable(request.get("X-Webhook-Event", "(no event)")) << ", attempt "
                << printable(request.get("X-Webhook-Attempt", "?")) << ", id "
                << printable(request.get("X-Webhook-Id", "?"))
                << "\nsignature: " << (valid ? "valid" : "invalid") << "\n"
                << printable(body) << "\n"
                << std::flush;
  }

  Shared& shared_;
};

class Factory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit Factory(Shared& shared) : shared_(shared) {}
  Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
    return new Handler(shared_);
  }

 private:
  Shared& shared_;
};

Poco::Net::ServerSocket listen_on(const HostPort& listen) {
  try {
    return Poco::Net::ServerSocket(Poco::Net::SocketAddress(listen.host, listen.port));
  } catch (const Poco::Exception& error) {
    throw std::runtime_error("cannot listen on " + listen.text() + ": " + error.displayText());
  }
}

// A merchant's side of webhooks, to try them: answers 200 to what is signed with the secret and 401 to the
// rest, and prints each webhook atomically.
class WebhookReceiver {
 public:
  // Listens on return. The clock and `out` outlive it. Throws std::runtime_error when it cannot listen.
  WebhookReceiver(const HostPort& listen, const std::string& secret, const Clock& clock, std::ostream& out)
      : shared_(secret, clock, out),
        socket_(listen_on(listen)),
        server_(new Factory(shared_), socket_, new Poco::Net::HTTPServerParams) {
    server_.start();
  }
  ~WebhookReceiver() { server_.stopAll(true); }
  WebhookReceiver(const WebhookReceiver&) = delete;
  WebhookReceiver& operator=(const WebhookReceiver&) = delete;

  std::uint16_t port() const { return socket_.address().port(); }
  // Answered so far.
  std::uint64_t valid() const { return shared_.valid; }
  std::uint64_t invalid() const { return shared_.invalid; }

 private:
  Shared shared_;
  Poco::Net::ServerSocket socket_;
  Poco::Net::HTTPServer server_;
};

struct ReceiveOptions {
  std::string secret;
  std::string listen = "127.0.0.1:0";
  std::string port_file;
  std::uint64_t count = 0;      // 0: until it is stopped
  std::uint32_t timeout_s = 0;  // 0: none
};

int receive(const CommandContext& context, const ReceiveOptions& options) {
  const auto listen = parse_option<HostPort>("--listen", options.listen);
  block_stop_signals();
  const WebhookReceiver receiver(listen, options.secret, context.clock, std::cout);
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
