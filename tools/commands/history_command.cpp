#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "base/platform/time_zone.h"
#include "base/text/text.h"
#include "domain/aggregates/charge.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/payment_search.h"
#include "eventstore/reading/state_reader.h"
#include "tools/audit/event_sentence.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

// Selects a charge's events about returns of one of its payments. Refunds without a payment belong to the
// first payment; those made outside the bank belong to all payments.
class RefundsOfPayment {
 public:
  explicit RefundsOfPayment(const domain::EndToEndId& payment) : payment_(payment) {}

  bool holds(const domain::ChargeEvent& event) {
    if (const auto* paid = std::get_if<domain::ChargePaid>(&event)) note(paid->end_to_end_id, true);
    if (const auto* accepted = std::get_if<domain::UnappliedPaymentAccepted>(&event))
      note(accepted->end_to_end_id, true);
    if (const auto* added = std::get_if<domain::UnappliedPaymentAdded>(&event))
      note(added->end_to_end_id, false);
    if (std::holds_alternative<domain::ChargeRefunded>(event)) return counts_;
    if (const auto* reversed = std::get_if<domain::PaymentReversed>(&event))
      return is_its(reversed->end_to_end_id);
    if (const auto* requested = std::get_if<domain::RefundRequested>(&event)) {
      if (!is_its(requested->end_to_end_id)) return false;
      refunds_.insert(requested->id.text());
      return true;
    }
    if (const auto* done = std::get_if<domain::RefundDone>(&event)) return refunds_.contains(done->id.text());
    const auto* failed = std::get_if<domain::RefundFailed>(&event);
    return failed && refunds_.contains(failed->id.text());
  }

 private:
  void note(const domain::EndToEndId& counted, bool is_first) {
    if (counted != payment_) return;
    counts_ = true;
    is_first_ = is_first;
  }
  bool is_its(const std::optional<domain::EndToEndId>& added) const {
    return added ? *added == payment_ : is_first_;
  }

  const domain::EndToEndId& payment_;
  bool counts_ = false;
  bool is_first_ = false;
  std::set<std::string> refunds_;
};

using domain::RecordedEvent;

struct HistoryOptions {
  std::string id;
  std::string timezone = "UTC";
};

struct Subject {
  std::string_view kind;
  std::vector<RecordedEvent> events;
  std::optional<domain::Charge> charge{};  // of a payment that belongs to a charge
};

std::vector<RecordedEvent> events_of(const eventstore::Log& log, const domain::StreamName& stream) {
  std::vector<RecordedEvent> events;
  for (const auto& stored : eventstore::StreamEvents(log, stream))
    events.push_back(eventstore::decode(stored));
  return events;
}

// After an erasure the stream continues with another customer of that document.
std::vector<RecordedEvent> only_of(const domain::CustomerId& customer,
                                   const std::vector<RecordedEvent>& stream) {
  std::vector<RecordedEvent> events;
  bool is_theirs = false;
  for (const auto& event : stream) {
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    const auto* registered = change ? std::get_if<domain::CustomerRegistered>(change) : nullptr;
    if (registered) is_theirs = registered->id == customer;
    if (is_theirs) events.push_back(event);
  }
  return events;
}

template <class Id>
std::optional<Subject> find_stream(const eventstore::Log& log, std::string_view kind, const std::string& id,
                                   domain::StreamName (*stream_of)(const Id&)) {
  const auto parsed = Id::parse(id);
  if (!parsed) return std::nullopt;
  auto events = events_of(log, stream_of(*parsed));
  if (events.empty()) return std::nullopt;
  return Subject{kind, std::move(events)};
}

std::optional<Subject> find_customer(const eventstore::Log& log, const std::string& id) {
  const auto customer = domain::CustomerId::parse(id);
  const auto stream = customer ? log.claim_holder(domain::customer_claim(*customer)) : std::nullopt;
  if (!stream) return std::nullopt;
  return Subject{"customer", only_of(*customer, events_of(log, *stream))};
}

void add_in_order(std::vector<RecordedEvent>& events, std::vector<RecordedEvent> more) {
  std::move(more.begin(), more.end(), std::back_inserter(events));
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.position < b.position; });
}

// Includes the events of its team.
std::optional<Subject> find_project_with_team(const eventstore::Log& log, const std::string& id) {
  auto project = find_stream(log, "project", id, &domain::project_stream);
  if (project)
    add_in_order(project->events, events_of(log, domain::team_stream(*domain::ProjectId::parse(id))));
  return project;
}

bool is_about(const domain::TeamEvent& event, const domain::UserId& user) {
  return std::visit([&](const auto& told) { return told.user == user; }, event);
}

// The teams' events about a present or former member.
std::optional<Subject> find_user(const eventstore::Log& log, const std::string& id) {
  const auto user = domain::UserId::parse(id);
  if (!user) return std::nullopt;
  std::vector<RecordedEvent> events;
  const domain::StreamName* last = nullptr;
  const auto claims = log.claims_with_prefix(domain::member_claim_prefix(*user));
  for (const auto& [claim, team] : claims) {
    // Each addition has its own claim, and those of a project are adjacent.
    if (last && *last == team) continue;
    last = &team;
    auto told = events_of(log, team);
    std::erase_if(told, [&](const RecordedEvent& event) {
      return !is_about(std::get<domain::TeamEvent>(event.event), *user);
    });
    add_in_order(events, std::move(told));
  }
  if (events.empty()) return std::nullopt;
  return Subject{"user", std::move(events)};
}

// The connections that a project's event lists completely.
std::vector<domain::Connection> connections_in(const domain::ProjectEvent& event) {
  if (const auto* created = std::get_if<domain::ProjectCreated>(&event)) return created->connections;
  if (const auto* added = std::get_if<domain::ConnectionAdded>(&event)) return {added->connection};
  if (const auto* changed = std::get_if<domain::ConnectionChanged>(&event)) return {changed->connection};
  return {};
}

bool is_about(const domain::ProjectEvent& event, const domain::ConnectionId& connection) {
  if (const auto* chosen = std::get_if<domain::DefaultConnectionSet>(&event))
    return chosen->connection == connection;
  const auto told = connections_in(event);
  return std::any_of(told.begin(), told.end(), [&](const auto& other) { return other.id == connection; });
}

// A project's events about a connection.
std::vector<RecordedEvent> told_of(const eventstore::Log& log, const domain::StreamName& project,
                                   const domain::ConnectionId& connection) {
  auto events = events_of(log, project);
  std::erase_if(events, [&](const RecordedEvent& event) {
    return !is_about(std::get<domain::ProjectEvent>(event.event), connection);
  });
  return events;
}

// Only bank connections have a stream, which names their project. For others every project is searched.
std::optional<Subject> find_connection(const eventstore::Log& log, const std::string& id) {
  const auto connection = domain::ConnectionId::parse(id);
  if (!connection) return std::nullopt;
  auto of_bank = events_of(log, domain::connection_stream(*connection));
  std::vector<RecordedEvent> events;
  if (!of_bank.empty()) {
    events = told_of(log, domain::project_stream(of_bank.front().project), *connection);
    add_in_order(events, std::move(of_bank));
  } else {
    for (const auto& project : all_projects(log)) {
      if (!domain::connection_of(project, *connection)) continue;
      events = told_of(log, domain::project_stream(project.id), *connection);
      break;
    }
  }
  if (events.empty()) return std::nullopt;
  return Subject{"connection", std::move(events)};
}

// Events of its own webhookUrl are in a channel's stream with the same id.
std::optional<Subject> find_session(const eventstore::Log& log, const std::string& id) {
  auto session = find_stream(log, "checkout session", id, &domain::checkout_stream);
  if (!session) return std::nullopt;
  if (auto channel = find_stream(log, "channel", id, &domain::channel_stream))
    add_in_order(session->events, std::move(channel->events));
  return session;
}

bool tells_of(const domain::ChargeEvent& event, const domain::EndToEndId& payment) {
  return std::visit(
      [&]<class Told>(const Told& told) {
        if constexpr (requires { told.end_to_end_id; })
          return told.end_to_end_id == payment;
        else
          return false;
      },
      event);
}

// An assigned payment continues in its charge's stream: all events that name it, and, if it counts for the
// charge, its returns.
std::vector<RecordedEvent> told_by_charge(const eventstore::Log& log, const domain::EndToEndId& payment,
                                          const domain::ChargeId& charge) {
  std::vector<RecordedEvent> told;
  RefundsOfPayment refunds(payment);
  for (auto& event : events_of(log, domain::charge_stream(charge))) {
    const auto& of_charge = std::get<domain::ChargeEvent>(event.event);
    const bool is_refund = refunds.holds(of_charge);
    if (is_refund || tells_of(of_charge, payment)) told.push_back(std::move(event));
  }
  return told;
}

// A payment that matched no charge has its own stream; others are in the charge's stream.
std::optional<Subject> find_payment(const eventstore::Log& log, const std::string& id) {
  Subject subject{"payment", {}};
  if (const auto unmatched = eventstore::find_unmatched_payment(log, id, std::nullopt))
    subject.events = events_of(log, domain::payment_stream(*unmatched));
  if (const auto known = eventstore::find_charge_payment(log, id)) {
    subject.charge = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(known->charge));
    add_in_order(subject.events, told_by_charge(log, known->payment, known->charge));
  }
  return subject.events.empty() ? std::nullopt : std::optional(std::move(subject));
}

std::optional<Subject> find_subject(const eventstore::Log& log, const std::string& id) {
  if (!domain::ChargeId::parse(id) && !domain::ApiKeyId::parse(id) && !domain::EndToEndId::parse(id))
    throw UsageError(
        "--id must be the id of a charge, customer, project, connection, key, channel, checkout session or "
        "user, the txid of a charge, or the end-to-end id of a payment");
  if (auto payment = find_payment(log, id)) return payment;
  if (auto charge = find_stream(log, "charge", id, &domain::charge_stream)) return charge;
  if (auto customer = find_customer(log, id)) return customer;
  if (auto project = find_project_with_team(log, id)) return project;
  if (auto session = find_session(log, id)) return session;
  if (auto channel = find_stream(log, "channel", id, &domain::channel_stream)) return channel;
  if (auto key = find_stream(log, "key", id, &domain::api_key_stream)) return key;
  if (auto user = find_user(log, id)) return user;
  return find_connection(log, id);
}

// The actors of events; API keys with their names.
class Actors {
 public:
  explicit Actors(const eventstore::Log& log) : log_(log) {}

  const std::string& text_of(const std::string& actor) {
    auto& text = texts_[actor];
    if (text.empty()) text = actor + name_of(actor);
    return text;
  }

 private:
  std::string name_of(const std::string& actor) const {
    constexpr std::string_view kOfKey = "key-";
    if (actor.compare(0, kOfKey.size(), kOfKey) != 0) return {};
    const auto id = domain::ApiKeyId::parse(actor.substr(kOfKey.size()));
    if (!id) return {};
    const auto key = eventstore::fold_as<domain::ApiKey>(log_, domain::api_key_stream(*id));
    return key && key->name ? " (" + key->name->text() + ")" : std::string();
  }

  const eventstore::Log& log_;
  std::map<std::string, std::string> texts_;
};

void take_over(SettingsBefore& before, const RecordedEvent& event) {
  if (const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event)) {
    if (const auto* created = std::get_if<domain::ProjectCreated>(of_project))
      before.store = created->settings;
    if (const auto* changed = std::get_if<domain::StoreSettingsChanged>(of_project))
      before.store = changed->settings;
    for (const auto& connection : connections_in(*of_project))
      before.connections.insert_or_assign(connection.id, connection);
  }
  if (const auto* of_channel = std::get_if<domain::ChannelEvent>(&event.event))
    before.channel = domain::apply(std::move(before.channel), *of_channel, event.recorded_at);
  if (const auto* of_bank = std::get_if<domain::BankConnectionEvent>(&event.event))
    before.bank = domain::apply(std::move(before.bank), *of_bank, event.recorded_at);
}

// Nullopt if it belongs to both.
std::optional<domain::Environment> environment_of(const std::string& id, const Subject& subject) {
  if (subject.charge) return subject.charge->environment;
  const auto& first = subject.events.front();
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&first.event);
  const auto* created = of_charge ? std::get_if<domain::ChargeCreated>(of_charge) : nullptr;
  if (created) return created->environment;
  if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&first.event))
    if (const auto* unmatched = std::get_if<domain::PaymentUnmatched>(of_payment))
      return unmatched->environment;
  if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&first.event))
    return domain::environment_of(*of_session);
  if (subject.kind == "connection")
    for (const auto& connection : connections_in(std::get<domain::ProjectEvent>(first.event)))
      if (connection.id.text() == id) return connection.environment;
  return first.stream.environment();
}

// One project, except for a user, who may have several.
std::vector<std::string> projects_of(const Subject& subject) {
  std::vector<std::string> projects;
  for (const auto& event : subject.events) {
    const auto& project = event.project.text();
    if (std::find(projects.begin(), projects.end(), project) == projects.end()) projects.push_back(project);
  }
  return projects;
}

void print_json(const std::string& id, const Subject& subject, const TimeZone& zone) {
  const eventstore::TimeText times = [&zone](Timestamp moment) { return zone.text_of(moment); };
  const auto projects = projects_of(subject);
  Json json;
  json.begin_object()
      .field("id", id)
      .field("kind", subject.kind)
      .field("projectId", projects.size() == 1 ? std::optional(projects.front()) : std::nullopt)
      .field("environment", environment_of(id, subject));
  json.key("events").begin_array();
  for (const auto& event : subject.events) eventstore::write_event(json, event, times);
  std::cout << json.end_array().end_object().take_line();
}

void print_timeline(const CommandContext& context, const eventstore::Log& log, const std::string& id,
                    const Subject& subject, const TimeZone& zone) {
  std::vector<std::pair<std::string, std::string>> facts{{std::string(subject.kind), id}};
  if (subject.kind != "project")
    for (const auto& project : projects_of(subject)) facts.emplace_back("project", project);
  if (subject.charge) facts.emplace_back("charge", subject.charge->id.text());
  if (const auto environment = environment_of(id, subject))
    facts.emplace_back("environment", domain::to_string(*environment));
  if (subject.kind == "key") {
    const auto uses = eventstore::read_key_uses(context.common.data.key_uses());
    const auto used = uses.find(id);
    facts.emplace_back("last used", used == uses.end() ? "-" : date_text(used->second) + " (UTC)");
  }
  print_facts(std::cout, facts);
  std::cout << '\n';
  Actors actors(log);
  SettingsBefore before;
  std::vector<Row> rows;
  for (const auto& event : subject.events) {
    rows.push_back({zone.text_of(event.recorded_at), std::to_string(event.position.value()),
                    actors.text_of(event.actor), event.request_id.empty() ? "-" : event.request_id,
                    sentence_of(event.event, zone, before)});
    take_over(before, event);
  }
  print_table(std::cout, {"WHEN", "POSITION", "WHO", "REQUEST", "WHAT"}, rows);
}

// Normalises a typed id. Payment ids keep their case; a txid becomes its charge's id.
std::string id_behind(const std::string& typed) {
  if (const auto payment = domain::TypedEndToEndId::parse(typed)) return payment->id.text();
  std::string id(without_outer_blanks(typed));
  if (domain::ChargeId::parse(id)) return id;
  const auto charge = domain::TypedChargeId::parse(id);
  return charge ? charge->id.text() : id;
}

int history(const CommandContext& context, const HistoryOptions& options) {
  const auto zone = parse_option<TimeZone>("--timezone", options.timezone);
  const auto log = context.open_log();
  const auto id = id_behind(options.id);
  const auto subject = find_subject(*log, id);
  if (!subject)
    return say_no(
        "there is no charge, customer, project, connection, key, channel, user or payment with "
        "this id");
  if (context.json) {
    print_json(id, *subject, zone);
  } else {
    print_timeline(context, *log, id, *subject, zone);
  }
  return kExitDone;
}

}  // namespace

void add_history_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<HistoryOptions>();
  CommandLine command = add_command(
      program, context, "history",
      "One charge, customer, project, connection, key, channel, user or payment: who did what, when",
      [&context, options] { return history(context, *options); });
  command
      .add_option("--id", options->id,
                  "The id of a charge, customer, project, connection, key, channel or user, the txid of a "
                  "charge, or the end-to-end id of a payment")
      .required();
  command.add_option("--timezone", options->timezone, "Whose hours are shown").show_default();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
