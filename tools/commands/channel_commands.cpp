#include <algorithm>
#include <iostream>

#include "base/net/webhook_target.h"
#include "base/platform/json.h"
#include "stores/deliveries/channels.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::Channel;

struct ChannelOptions {
  std::string project;
  std::string url;
  std::string name;
  std::string api_version = "v2";
  std::vector<std::string> events;
  std::vector<std::string> environments;
  bool allow_http = false;
  std::vector<std::string> allow_targets;
};

void check_channel_target(const ChannelOptions& options) {
  TargetPolicy policy;
  policy.allow_http = options.allow_http;
  for (const std::string& range : options.allow_targets) {
    policy.allowed.push_back(parse_option<Cidr>("--allow-target", range));
  }
  const auto target = check_webhook_target(options.url, policy, SystemResolver());
  if (const auto* refused = std::get_if<TargetRefused>(&target)) {
    const bool is_good_url =
        std::holds_alternative<WebhookUrl>(parse_webhook_url(options.url, HostNames::kWithUnderscores));
    throw UsageError("--url " + refused->reason +
                     (is_good_url ? "; for development see --allow-http and --allow-target" : ""));
  }
}

int add_channel(CommandContext& context, const ChannelOptions& options) {
  const auto project = parse_project(options.project);
  const auto events = parse_webhook_events("--events", options.events);
  const auto environments = parse_environments("--environments", options.environments);
  const auto version = domain::parse_webhook_version(options.api_version).value();
  const auto name = parse_given<domain::Label>("--name", options.name);
  check_channel_target(options);

  auto ledger = context.open();
  const auto id = eventstore::fresh_id<domain::ChannelId>(*ledger.log, context.clock, context.entropy);
  const auto secret = stores::make_channel_secret(id, ledger.keyring, context.entropy);
  const auto ever = stores::project_channels(*ledger.log, project).ever;
  const auto existing = channels_of(*ledger.log, project);
  const auto same_kind = std::count_if(existing.begin(), existing.end(), [&](const Channel& channel) {
    return channel.was_told_of_live == environments.contains(domain::Environment::kLive);
  });
  domain::AddChannel command{.id = id,
                             .project = project,
                             .name = name,
                             .url = options.url,
                             .events = events,
                             .version = version,
                             .secret = secret.sealed,
                             .secret_hint = secret.hint,
                             .environments = environments,
                             .channels = static_cast<std::size_t>(same_kind),
                             .number = ever + 1};
  if (!execute(context, ledger, std::move(command))) return kExitNo;

  if (context.json) {
    std::cout
        << Json().begin_object().field("channelId", id).field("secret", secret.text).end_object().take_line();
    return kExitDone;
  }
  print_facts(std::cout, {{"channel", id.text()}, {"secret", secret.text}});
  std::cout << "\nThe secret is shown only this once: the receiver checks signatures with it.\n";
  if (environments.contains(domain::Environment::kLive) &&
      environments.contains(domain::Environment::kSandbox))
    std::cout << "It receives events of live and sandbox charges. The sandbox pays without money: let the "
                 "receiver look at "
                 "data.isSandbox\nbefore it delivers, or add the channel with --environments live.\n";
  return kExitDone;
}

void write_channel(Json& json, const Channel& channel) {
  json.begin_object()
      .field("channelId", channel.id)
      .field("name", channel.name)
      .field("url", channel.url)
      .field("events", channel.events)
      .field("environments", channel.environments)
      .field("apiVersion", channel.version)
      .field("secretHint", channel.secret_hint)
      .field("createdAt", channel.created_at)
      .field("isActive", channel.is_active)
      .field("disabledReason", channel.disabled_reason)
      .end_object();
}

std::string state_of(const Channel& channel) {
  if (channel.is_active) return "active";
  return channel.disabled_reason ? std::string(domain::to_string(*channel.disabled_reason)) : "off";
}

int list_channels(const CommandContext& context, const ChannelOptions& options) {
  const auto project = parse_project(options.project);
  const auto log = context.open_log();
  if (!find_project(*log, project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto channels = channels_of(*log, project);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const Channel& channel : channels) write_channel(json, channel);
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const Channel& channel : channels) {
    const bool standard = channel.events == domain::WebhookEventSet::standard();
    rows.push_back({channel.id.text(), channel.name ? channel.name->text() : "-",
                    std::string(domain::to_string(channel.version)), state_of(channel),
                    standard ? "standard" : channel.events.text(), channel.environments.text(),
                    "…" + channel.secret_hint, channel.url});
  }
  if (rows.empty()) {
    std::cout << "No notification channels yet. Add one: pixledger channel add --project " << project.text()
              << " --url https://…\n";
  } else {
    print_table(std::cout, {"CHANNEL", "NAME", "VERSION", "STATE", "EVENTS", "ENVIRONMENTS", "SECRET", "URL"},
                rows);
  }
  return kExitDone;
}

}  // namespace

void add_channel_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "channel", "Where webhooks go");
  const auto options = std::make_shared<ChannelOptions>();

  CommandLine command = add_command(group, context, "add", "Add a notification channel",
                                    [&context, options] { return add_channel(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--url", options->url, "https address of the merchant's receiver").required();
  command.add_option("--name", options->name, "What people call it");
  command
      .add_option("--api-version", options->api_version, "Form of payload and signature; v1 is for migration")
      .show_default()
      .one_of({"v1", "v2"});
  command.add_list_option(
      "--events", options->events,
      "Events that it receives, such as transaction.paid; the six standard kinds unless given");
  command.add_list_option("--environments", options->environments,
                          "Environments whose events it receives: live, sandbox; both unless given");
  command.add_flag("--allow-http", options->allow_http, "For development: http addresses too");
  command.add_list_option("--allow-target", options->allow_targets,
                          "For development: addresses that are not public (CIDR)");
  add_json_option(command, context);

  command = add_command(group, context, "list", "A project's channels",
                        [&context, options] { return list_channels(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
