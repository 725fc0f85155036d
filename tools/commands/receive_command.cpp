#include <iostream>

#include "base/platform/signals.h"
#include "base/process/option_rules.h"
#include "tools/commands/commands.h"
#include "tools/commands/webhook_receiver.h"

namespace pixledger::tools {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};

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
