#include <array>
#include <iostream>

#include "eventstore/platform/json.h"
#include "eventstore/platform/sha256.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/option_rules.h"
#include "projections/deliveries/log_search.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/commands/commands.h"
#include "workers/webhooks/webhook_forwarder.h"

namespace pixledger::tools {
namespace {

constexpr std::chrono::milliseconds kLookAroundEvery{200};
constexpr std::chrono::milliseconds kPauseWithoutReceiver{1'000};
constexpr std::size_t kSecretBytes = 32;

struct ListenOptions {
  std::string project;
  std::string forward_to;
  std::string since;
  std::string secret;
  std::string api_version = "v2";
  std::vector<std::string> events;
  std::string ca_file;
};

// Of the form of a channel's.
std::string new_secret(CommandContext& context) {
  std::array<std::byte, kSecretBytes> random{};
  context.entropy.fill(random);
  const std::string_view bytes(reinterpret_cast<const char*>(random.data()), random.size());
  return "whsec_" + eventstore::to_hex(bytes);
}

workers::Forwarding forwarding_of(CommandContext& context, const ListenOptions& options) {
  const auto url = domain::parse_webhook_url(options.forward_to);
  if (const auto* refused = std::get_if<domain::TargetRefused>(&url)) {
    throw UsageError("--forward-to " + refused->reason);
  }
  const auto events = parse_webhook_events("--events", options.events);
  const auto version = domain::parse_webhook_version(options.api_version).value();
  if (!domain::has_all(version, events))
    throw UsageError("--events names what is told in v2 alone; leave out --api-version v1");
  return {parse_project(options.project), events, version, options.forward_to,
          options.secret.empty() ? new_secret(context) : options.secret};
}

void announce(const CommandContext& context, const workers::Forwarding& forwarding) {
  if (context.json) {
    std::cout << eventstore::Json()
                     .begin_object()
                     .field("project", forwarding.project.text())
                     .field("forwardTo", forwarding.url)
                     .field("secret", forwarding.secret)
                     .end_object()
                     .take_line();
  } else {
    std::cout << "Forwarding the events of project " << forwarding.project.text() << " to " << forwarding.url
              << "\nThe secret that signs them: " << forwarding.secret << "\n";
  }
  std::cout << std::flush;
}

void report(const CommandContext& context, const projections::Delivery& delivery,
            const workers::PostResult& result) {
  const auto at = domain::to_iso8601(delivery.created_at);
  const auto charge = delivery.charge ? std::optional(delivery.charge->text()) : std::nullopt;
  if (context.json) {
    eventstore::Json json;
    json.begin_object()
        .field("id", delivery.id.text())
        .field("event", projections::event_name(delivery))
        .field("transactionId", charge)
        .field("createdAt", at)
        .field("attempt", delivery.attempts + 1)
        .field("httpStatus", result.http_status)
        .field("latencyMs", result.latency_ms)
        .field("error", result.error);
    std::cout << json.end_object().take_line();
  } else {
    std::cout << at << "  " << projections::event_name(delivery) << "  " << charge.value_or("-") << "  "
              << (result.http_status != 0 ? std::to_string(result.http_status) : result.error) << "  "
              << result.latency_ms << " ms\n";
  }
  std::cout << std::flush;
}

int listen(CommandContext& context, const ListenOptions& options) {
  auto forwarding = forwarding_of(context, options);
  const auto ledger = context.open_to_read();
  const auto& log = ledger.log;
  forwarding.ended_epochs = log->snapshot()->end().ended_epochs;
  if (!find_project(*log, forwarding.project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto after = options.since.empty()
                         ? log->head().position
                         : projections::last_position_before(
                               *log, parse_time("--since", options.since, context.clock.now()).first());
  eventstore::block_stop_signals();
  announce(context, forwarding);

  const eventstore::SystemResolver resolver;
  workers::SenderOptions sender;
  sender.ca_file = options.ca_file;
  workers::WebhookForwarder forwarder(*log, ledger.keyring, context.clock, resolver, sender,
                                      std::move(forwarding), after);
  bool stopped = false;
  const auto stop = [&stopped] {
    stopped = eventstore::wait_for_stop(kPauseWithoutReceiver).has_value();
    return stopped;
  };
  const auto tell = [&context](const auto& delivery, const auto& result) {
    report(context, delivery, result);
  };
  while (!stopped && !eventstore::wait_for_stop(std::chrono::milliseconds(0))) {
    if (!forwarder.step(tell, stop)) log->wait_past(forwarder.position(), kLookAroundEvery);
  }
  return kExitDone;
}

}  // namespace

void add_listen_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ListenOptions>();
  CommandLine command =
      add_command(program, context, "listen", "Forward webhooks to an address while developing",
                  [&context, options] { return listen(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--forward-to", options->forward_to, "Address, such as http://127.0.0.1:3000/webhooks")
      .required();
  command.add_option(
      "--since", options->since,
      "Begin with what happened since then: a time, a date (UTC), or 2h for so long ago; with what comes "
      "unless given");
  command.add_option("--secret", options->secret, "What to sign with; a new one unless given");
  command.add_option("--api-version", options->api_version, "Form of payload and signature")
      .show_default()
      .one_of({"v1", "v2"});
  command.add_list_option("--events", options->events,
                          "What to forward, such as transaction.paid; the six standard kinds unless given");
  command.add_option("--ca-file", options->ca_file, "Certificates to trust beyond the system's, PEM")
      .check(eventstore::must_not_be_a_directory);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
