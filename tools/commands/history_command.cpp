#include <iostream>

#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "tools/audit/event_sentence.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/table.h"
#include "tools/cli/time_zone.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::RecordedEvent;

struct HistoryOptions {
  std::string id;
  std::string timezone = "UTC";
};

struct Subject {
  std::string_view kind;
  std::vector<RecordedEvent> events;
};

std::vector<RecordedEvent> events_of(const eventstore::Log& log, const domain::StreamName& stream) {
  std::vector<RecordedEvent> events;
  for (const auto& stored : log.read_stream(stream, 0, eventstore::kNoLimit))
    events.push_back(eventstore::decode(stored));
  return events;
}

// After an erasure the stream goes on with another customer of that document.
std::vector<RecordedEvent> only_of(const domain::CustomerId& customer,
                                   const std::vector<RecordedEvent>& stream) {
  std::vector<RecordedEvent> events;
  bool is_his = false;
  for (const auto& event : stream) {
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    const auto* registered = change ? std::get_if<domain::CustomerRegistered>(change) : nullptr;
    if (registered) is_his = registered->id == customer;
    if (is_his) events.push_back(event);
  }
  return events;
}

std::optional<Subject> find_subject(const eventstore::Log& log, const std::string& id) {
  auto of_charge = events_of(log, domain::charge_stream(parse_option<domain::ChargeId>("--id", id)));
  if (!of_charge.empty()) return Subject{"charge", std::move(of_charge)};
  const auto customer = parse_option<domain::CustomerId>("--id", id);
  const auto stream = log.claim_holder(domain::customer_claim(customer));
  if (!stream) return std::nullopt;
  return Subject{"customer", only_of(customer, events_of(log, *stream))};
}

void print_json(const std::string& id, const Subject& subject) {
  eventstore::Json json;
  json.begin_object()
      .field("id", id)
      .field("kind", subject.kind)
      .field("projectId", subject.events.front().project.text());
  json.key("events").begin_array();
  for (const auto& event : subject.events) eventstore::write_event(json, event);
  std::cout << json.end_array().end_object().take_line();
}

void print_timeline(const std::string& id, const Subject& subject, const TimeZone& zone) {
  print_facts(std::cout,
              {{std::string(subject.kind), id}, {"project", subject.events.front().project.text()}});
  std::cout << '\n';
  std::vector<Row> rows;
  for (const auto& event : subject.events) {
    rows.push_back({zone.text_of(event.recorded_at), std::to_string(event.position.value()), event.actor,
                    event.request_id.empty() ? "-" : event.request_id, sentence_of(event.event)});
  }
  print_table(std::cout, {"WHEN", "POSITION", "WHO", "REQUEST", "WHAT"}, rows);
}

int history(const CommandContext& context, const HistoryOptions& options) {
  const auto zone = parse_option<TimeZone>("--timezone", options.timezone);
  const auto log = context.open_log();
  const auto subject = find_subject(*log, options.id);
  if (!subject) return say_no("there is no charge or customer with this id");
  if (context.json) {
    print_json(options.id, *subject);
  } else {
    print_timeline(options.id, *subject, zone);
  }
  return kExitDone;
}

}  // namespace

void add_history_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<HistoryOptions>();
  CommandLine command =
      add_command(program, context, "history", "One charge or customer: who did what, when, by which request",
                  [&context, options] { return history(context, *options); });
  command.add_option("--id", options->id, "The charge's or customer's id").required();
  command.add_option("--timezone", options->timezone, "Whose hours are shown").show_default();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
