#include <functional>
#include <iostream>
#include <memory>

#include "base/platform/json.h"
#include "base/platform/sha256.h"
#include "base/platform/signals.h"
#include "base/process/option_rules.h"
#include "stores/deliveries/announcements.h"
#include "stores/deliveries/channels.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/commands/commands.h"
#include "tools/operations/feed_forwarder.h"
#include "workers/webhooks/forwarding.h"

namespace pixledger::tools {
namespace {

constexpr std::chrono::milliseconds kLookAroundEvery{200};
constexpr std::chrono::seconds kPauseWithoutReceiver{1};

struct ListenOptions {
  std::string project;
  std::string api;
  std::string key;
  std::string forward_to;
  std::string since;
  std::string secret;
  std::string api_version = "v2";
  std::vector<std::string> events;
  std::string ca_file;

  bool over_api() const { return !api.empty(); }
};

void refuse_wrong(const ListenOptions& options) {
  if (options.over_api() != options.project.empty())
    throw UsageError("give either --project, with the ledger at hand, or --api with --key");
  if (options.over_api() && options.key.empty()) throw UsageError("--api needs --key");
}

domain::WebhookEventSet events_of(const ListenOptions& options, domain::WebhookVersion version) {
  const auto events = parse_webhook_events("--events", options.events);
  if (!domain::has_all(version, events))
    throw UsageError("--events names events that only v2 has; leave out --api-version v1");
  if (options.over_api() && events.contains(domain::WebhookEvent::kStoreChanged))
    throw UsageError("--events store.changed needs --project: it is not forwarded over --api");
  return events;
}

workers::Forwarding forwarding_of(CommandContext& context, const ListenOptions& options) {
  if (!options.ca_file.empty()) open_named_file(options.ca_file);
  const auto url = parse_webhook_url(options.forward_to, HostNames::kWithUnderscores);
  if (const auto* refused = std::get_if<TargetRefused>(&url)) {
    throw UsageError("--forward-to " + refused->reason);
  }
  const auto version = domain::parse_webhook_version(options.api_version).value();
  return {events_of(options, version), version, options.forward_to,
          options.secret.empty() ? stores::new_secret(context.entropy) : options.secret};
}

workers::ForwardingTarget target_of(CommandContext& context, const ListenOptions& options,
                                    const workers::Forwarding& forwarding, const Resolver& resolver) {
  workers::SenderOptions sender;
  sender.ca_file = options.ca_file;
  return workers::ForwardingTarget(forwarding, std::move(sender), context.clock, resolver);
}

void announce(const CommandContext& context, const ListenOptions& options,
              const workers::Forwarding& forwarding) {
  const bool over_api = options.over_api();
  if (context.json) {
    Json json;
    json.begin_object();
    over_api ? json.field("api", options.api) : json.field("project", options.project);
    json.field("forwardTo", forwarding.url).field("secret", forwarding.secret);
    std::cout << json.end_object().take_line();
  } else {
    std::cout << "Forwarding the events of " << (over_api ? options.api : "project " + options.project)
              << " to " << forwarding.url << "\nThe secret that signs them: " << forwarding.secret << "\n";
  }
  std::cout << std::flush;
}

void report(const CommandContext& context, const stores::Delivery& delivery,
            const workers::PostResult& result) {
  const auto at = to_iso8601(delivery.created_at);
  const auto charge = delivery.charge ? std::optional(delivery.charge->text()) : std::nullopt;
  if (context.json) {
    Json json;
    json.begin_object()
        .field("id", delivery.id.text())
        .field("event", stores::event_name(delivery))
        .field("transactionId", charge)
        .field("createdAt", at)
        .field("attempt", delivery.attempts + 1)
        .field("httpStatus", result.http_status)
        .field("latencyMs", result.latency_ms)
        .field("error", result.error);
    std::cout << json.end_object().take_line();
  } else {
    std::cout << at << "  " << stores::event_name(delivery) << "  " << charge.value_or("-") << "  "
              << (result.http_status != 0 ? std::to_string(result.http_status) : result.error) << "  "
              << result.latency_ms << " ms\n";
  }
  std::cout << std::flush;
}

using ReportAttempt = workers::ForwardingTarget::Report;
using Stop = workers::ForwardingTarget::Stop;

// Forwards until the process is asked to stop. `step` forwards the next event, or waits briefly for it; it
// calls its second argument before a retry.
int run(CommandContext& context, const std::function<void(const ReportAttempt&, const Stop&)>& step) {
  bool stopped = false;
  const auto stop = [&stopped] {
    stopped = wait_for_stop(kPauseWithoutReceiver).has_value();
    return stopped;
  };
  const auto tell = [&context](const auto& delivery, const auto& result) {
    report(context, delivery, result);
  };
  while (!stopped && !wait_for_stop(std::chrono::milliseconds(0))) step(tell, stop);
  return kExitDone;
}

std::optional<GivenTime> parse_since(const CommandContext& context, const ListenOptions& options) {
  if (options.since.empty()) return std::nullopt;
  return parse_time("--since", options.since, context.clock.now());
}

int listen_to_ledger(CommandContext& context, const ListenOptions& options) {
  const auto forwarding = forwarding_of(context, options);
  const auto id = parse_project(options.project);
  const auto since = parse_since(context, options);
  const auto ledger = context.open_to_read();
  const auto& log = ledger.log;
  const auto project = find_project(*log, id);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  const auto after =
      since ? stores::last_position_before(*log, zone_of(*project).first_of(*since)) : log->head().position;
  block_stop_signals();
  announce(context, options, forwarding);

  const SystemResolver resolver;
  auto target = target_of(context, options, forwarding, resolver);
  const auto ended_epochs = log->snapshot()->end().ended_epochs;
  workers::WebhookForwarder forwarder(*log, ledger.keyring, ended_epochs, id, target, after);
  return run(context, [&](const ReportAttempt& tell, const Stop& stop) {
    if (!forwarder.step(tell, stop)) log->wait_past(forwarder.position(), kLookAroundEvery);
  });
}

// Reports on stderr when the API becomes unavailable and when it returns, once each.
class Outage {
 public:
  void begin(const std::string& problem) {
    if (!is_on_) std::cerr << "pixledger: " << problem << "; trying again until it answers\n";
    is_on_ = true;
  }
  void end() {
    if (is_on_) std::cerr << "pixledger: the API answers again\n";
    is_on_ = false;
  }

 private:
  bool is_on_ = false;
};

int listen_to_api(CommandContext& context, const ListenOptions& options) {
  const auto forwarding = forwarding_of(context, options);
  const auto since = parse_since(context, options);
  block_stop_signals();
  const SystemResolver resolver;
  ApiClient client(options.api, options.key, options.ca_file, resolver);
  MerchantApi api(client);
  auto target = target_of(context, options, forwarding, resolver);
  try {
    // The start of a date depends on the store's zone.
    std::optional<Timestamp> begin;
    if (since) begin = since->day() ? api.zone().first_of(*since) : since->moment();
    FeedForwarder forwarder(api, target, begin);
    forwarder.begin();
    announce(context, options, forwarding);
    Outage outage;
    return run(context, [&](const ReportAttempt& tell, const Stop& stop) {
      try {
        forwarder.step(tell, stop);
        outage.end();
      } catch (const ApiUnavailable& unavailable) {
        outage.begin(unavailable.what());
        for (auto left = unavailable.pause(); left.count() > 0 && !stop(); left -= kPauseWithoutReceiver) {
        }
      } catch (const ApiCursorCutOff& cut) {
        std::cerr << "pixledger: " << cut.what() << " Events before it may come again.\n";
      }
    });
  } catch (const ApiRefused& refused) {
    return say_no(refused.what());
  }
}

int listen(CommandContext& context, const ListenOptions& options) {
  refuse_wrong(options);
  return options.over_api() ? listen_to_api(context, options) : listen_to_ledger(context, options);
}

}  // namespace

void add_listen_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ListenOptions>();
  CommandLine command =
      add_command(program, context, "listen", "Forward webhooks to an address while developing",
                  [&context, options] { return listen(context, *options); });
  command.add_option("--project", options->project, "The project's id, with the ledger at hand");
  command.add_option("--api", options->api,
                     "The API's address, such as https://pix.example.com: the ledger may be anywhere");
  command.add_option("--key", options->key,
                     "The project's API key, with --api; better in the environment, as PIXLEDGER_KEY");
  command.add_option("--forward-to", options->forward_to, "Address, such as http://127.0.0.1:3000/webhooks")
      .required();
  command.add_option("--since", options->since,
                     "Begin with what happened since then: a time, a date (its beginning at the store), or "
                     "2h for so long ago; with what comes "
                     "unless given");
  command.add_option("--secret", options->secret, "What to sign with; a new one unless given");
  command.add_option("--api-version", options->api_version, "Form of payload and signature")
      .show_default()
      .one_of({"v1", "v2"});
  command.add_list_option("--events", options->events,
                          "What to forward, such as transaction.paid; the six standard kinds unless given");
  command.add_option("--ca-file", options->ca_file, "Certificates to trust beyond the system's, PEM")
      .check(must_not_be_a_directory);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
