#include <iostream>

#include "base/platform/json.h"
#include "stores/databases/worker_databases.h"
#include "stores/deliveries/announcements.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::Channel;
using stores::Delivery;
using stores::DeliveryReader;

constexpr std::size_t kListedDeliveriesMax = 1'000;

struct DeliveryOptions {
  std::string channel;
  std::string status;
  std::string id;
  std::string since;
  std::string until;
  std::size_t limit = 100;
};

std::unique_ptr<DeliveryReader> open_reader(const CommandContext& context) {
  return stores::WorkerDatabases::of(context.common.data).delivery_reader();
}

std::optional<Channel> find_channel(const eventstore::Log& log, const std::string& option) {
  const auto id = parse_option<domain::ChannelId>("--channel", option);
  return eventstore::fold_as<Channel>(log, domain::channel_stream(id));
}

void write_attempt(Json& json, const stores::DeliveryAttempt& attempt) {
  std::optional<int> http_status;
  if (attempt.http_status != 0) http_status = attempt.http_status;
  std::optional<std::string> error;
  if (!attempt.error.empty()) error = attempt.error;
  json.begin_object()
      .field("number", attempt.number)
      .field("at", attempt.at)
      .field("httpStatus", http_status)
      .field("latencyMs", attempt.latency_ms)
      .field("error", error)
      .field("answer", attempt.answer)
      .end_object();
}

void write_delivery(Json& json, const DeliveryReader& reader, const Delivery& delivery) {
  json.begin_object()
      .field("id", delivery.id)
      .field("channelId", delivery.channel)
      .field("event", stores::event_name(delivery))
      .field("transactionId", delivery.charge)
      .field("status", stores::to_string(delivery.status))
      .key("attempts")
      .begin_array();
  for (const auto& attempt : reader.attempts_of(delivery)) write_attempt(json, attempt);
  json.end_array()
      .field("nextAttemptAt", delivery.next_attempt_at)
      .field("createdAt", delivery.created_at)
      .end_object();
}

Row row_of(const DeliveryReader& reader, const Delivery& delivery) {
  const auto attempts = reader.attempts_of(delivery);
  std::string last = "-";
  if (!attempts.empty()) {
    const auto& attempt = attempts.back();
    last = attempt.error.empty() ? std::to_string(attempt.http_status) : attempt.error;
  }
  return {delivery.id.text(),
          std::string(stores::event_name(delivery)),
          delivery.charge ? delivery.charge->text() : "-",
          std::string(stores::to_string(delivery.status)),
          std::to_string(delivery.attempts),
          last,
          delivery.next_attempt_at ? to_iso8601(*delivery.next_attempt_at) : "-",
          to_iso8601(delivery.created_at)};
}

void print_deliveries(const CommandContext& context, const DeliveryReader* reader,
                      const std::vector<Delivery>& deliveries) {
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& delivery : deliveries) write_delivery(json, *reader, delivery);
    std::cout << json.end_array().take_line();
    return;
  }
  if (deliveries.empty()) {
    std::cout << "No such deliveries.\n";
    return;
  }
  std::vector<Row> rows;
  for (const auto& delivery : deliveries) rows.push_back(row_of(*reader, delivery));
  print_table(std::cout,
              {"DELIVERY", "EVENT", "TRANSACTION", "STATUS", "ATTEMPTS", "LAST", "NEXT", "CREATED"}, rows);
}

int list_deliveries(const CommandContext& context, const DeliveryOptions& options) {
  std::optional<stores::DeliveryStatus> status;
  if (!options.status.empty()) status = stores::parse_delivery_status(options.status);
  const auto log = context.open_log();
  const auto channel = find_channel(*log, options.channel);
  if (!channel) return say_no(domain::Rejection::kChannelNotFound);
  const auto reader = open_reader(context);
  std::vector<Delivery> deliveries;
  if (reader) deliveries = reader->page(channel->id, status, 0, options.limit);
  print_deliveries(context, reader.get(), deliveries);
  return kExitDone;
}

int redeliver(CommandContext& context, const DeliveryOptions& options) {
  const auto id = parse_option<domain::DeliveryId>("--id", options.id);
  const auto reader = open_reader(context);
  const auto delivery = reader ? reader->find(id) : std::nullopt;
  if (!delivery) return say_no(domain::Rejection::kDeliveryNotFound);
  auto ledger = context.open();
  const domain::RequestRedelivery command{{}, delivery->channel, id, delivery->attempts};
  if (!execute(context, ledger, command)) return kExitNo;
  if (context.json)
    std::cout << Json().begin_object().field("deliveryId", id).end_object().take_line();
  else
    std::cout << "The webhook worker sends it again.\n";
  return kExitDone;
}

int recover(CommandContext& context, const DeliveryOptions& options) {
  const auto now = context.clock.now();
  const auto given_since = parse_time("--since", options.since, now);
  std::optional<GivenTime> given_until;
  if (!options.until.empty()) given_until = parse_time("--until", options.until, now);
  auto ledger = context.open();
  const auto channel = find_channel(*ledger.log, options.channel);
  if (!channel) return say_no(domain::Rejection::kChannelNotFound);
  const auto zone = zone_of(*ledger.log, channel->project);
  const auto since = zone.first_of(given_since);
  const auto until = given_until ? std::optional(zone.last_of(*given_until)) : std::nullopt;
  if (until && *until < since) throw UsageError("--until must not be before --since");
  const auto reader = open_reader(context);
  const auto last = until.value_or(ledger.log->head().time);
  domain::RequestRecovery command{.caller = {}, .id = channel->id, .since = since, .until = until};
  command.queued = stores::count_missed_deliveries(*ledger.log, *channel, reader.get(), since, last, [] {});
  if (reader) command.hastened = reader->count_not_due(channel->id, since, last, context.clock.now());
  if (!execute(context, ledger, command)) return kExitNo;
  if (context.json)
    std::cout << Json()
                     .begin_object()
                     .field("queued", command.queued)
                     .field("hastened", command.hastened)
                     .end_object()
                     .take_line();
  else
    std::cout << "The webhook worker sends what was missed, " << command.queued
              << " webhooks, and at once what was to be tried later, " << command.hastened << ".\n";
  return kExitDone;
}

}  // namespace

void add_delivery_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "deliveries", "Webhooks that were sent or are to be");
  const auto options = std::make_shared<DeliveryOptions>();

  CommandLine command = add_command(group, context, "list", "A channel's deliveries, newest first",
                                    [&context, options] { return list_deliveries(context, *options); });
  command.add_option("--channel", options->channel, "The channel's id").required();
  command.add_option("--status", options->status, "Only those in this state")
      .one_of({"pending", "delivered", "failed", "exhausted"});
  command.add_option("--limit", options->limit, "At most so many")
      .show_default()
      .range(std::size_t{1}, kListedDeliveriesMax, InHelp::kHidden);
  add_json_option(command, context);

  command = add_command(group, context, "redeliver", "Send one again, whatever it came to",
                        [&context, options] { return redeliver(context, *options); });
  command.add_option("--id", options->id, "The delivery's id, as in X-Webhook-Id").required();
  add_json_option(command, context);

  command =
      add_command(group, context, "recover", "Send what a channel missed, and now what is to be tried later",
                  [&context, options] { return recover(context, *options); });
  command.add_option("--channel", options->channel, "The channel's id").required();
  command
      .add_option("--since", options->since,
                  "A time, a date (its beginning at the store), or 2h for so long ago")
      .required();
  command.add_option("--until", options->until, "The same, of a date its end; now unless given");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
