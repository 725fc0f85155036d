#include <algorithm>

#include "base/platform/json.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// An entry and the environment in its reply.
struct ListedEntry {
  const domain::BlocklistEntry& entry;
  domain::Environment environment;
};

// Writes an object. Erased values are null.
void write_entry(Json& json, const ListedEntry& listed, PersonalData personal_data = PersonalData::kShown) {
  const auto& entry = listed.entry;
  const PersonalJson personal(json, personal_data);
  json.begin_object().field("id", entry.id).field("environment", listed.environment);
  if (entry.value) {
    json.field("type", domain::type_of(*entry.value));
    personal.field("value", *entry.value);
  } else {
    json.null("type").null("value");
  }
  personal.field("reason", entry.reason);
  json.field("createdAt", entry.created_at);
  json.end_object();
}

Reply render_entry(int status, const ListedEntry& entry) {
  Json json;
  json.begin_object().field("success", true).key("data");
  write_entry(json, entry);
  json.end_object();
  return {status, json.take()};
}

domain::Blocklist fold_list(const Services& services, const domain::StreamName& stream, Position as_of) {
  auto list = services.history.as<domain::Blocklist>(stream, as_of);
  return list ? std::move(*list) : domain::Blocklist{};
}

[[noreturn]] void throw_entry_missing() {
  throw eventstore::LogCorrupt("a blocklist entry that a command was about is not in the ledger");
}

Reply render_added(const Services& services, const domain::AddBlocklistEntry& command,
                   const eventstore::Completed& completed) {
  const auto environment = command.environment;
  const auto list =
      fold_list(services, domain::blocklist_stream(command.project, environment), completed.as_of);
  if (completed.count > 0) {
    if (list.entries.empty()) throw_entry_missing();
    return render_entry(201, {list.entries.back(), environment});
  }
  const auto* known = domain::find_entry(list, command.value);
  if (!known) throw_entry_missing();
  return render_entry(200, {*known, environment});
}

Reply render_removed(const Services& services, const domain::RemoveBlocklistEntry& command,
                     const eventstore::Completed& completed) {
  const Position before(completed.as_of.value() - completed.count);
  const auto& stream = completed.events().front().stream;
  const auto list = fold_list(services, stream, before);
  const auto entry =
      std::find_if(list.entries.begin(), list.entries.end(),
                   [&](const domain::BlocklistEntry& candidate) { return candidate.id == command.id; });
  if (entry == list.entries.end()) throw_entry_missing();
  return render_entry(200, {*entry, *stream.environment()});
}

struct EntryType {
  static constexpr std::string_view kRule = "must be ip, cidr, email or document";
  static std::optional<EntryType> parse(std::string_view text) {
    if (text != "ip" && text != "cidr" && text != "email" && text != "document") return std::nullopt;
    return EntryType{std::string(text)};
  }
  std::string text;
};

template <class Value>
std::optional<domain::BlocklistValue> read_value_as(const JsonObject& body) {
  auto value = body.required<Value>("value");
  if (!value) return std::nullopt;
  return domain::BlocklistValue(std::move(*value));
}

// The type determines the rule of the value; without a type only a missing value is reported.
std::optional<domain::BlocklistValue> read_value(const JsonObject& body) {
  const auto type = body.required<EntryType>("type");
  if (!type) {
    body.required<domain::Label>("value");
    return std::nullopt;
  }
  if (type->text == "ip") return read_value_as<IpAddress>(body);
  if (type->text == "cidr") return read_value_as<Cidr>(body);
  if (type->text == "email") return read_value_as<EmailAddress>(body);
  return read_value_as<domain::Document>(body);
}

// nullopt with violations.
std::optional<domain::AddBlocklistEntry> read_addition(const Caller& caller, Input& input) {
  const auto body = input.body();
  auto value = read_value(body);
  auto reason = body.optional<domain::Label>("reason");
  const auto environment = read_environment(body, caller);
  if (!input.finish()) return std::nullopt;
  return domain::AddBlocklistEntry{caller.project, std::move(*value), std::move(reason), environment};
}

Reply render_page(const std::vector<domain::BlocklistEntry>& entries, domain::Environment environment,
                  const Page& page, PersonalData personal) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  const auto first = std::min(page.offset(), entries.size());
  const auto end = std::min(first + page.limit, entries.size());
  for (auto i = first; i < end; ++i)
    write_entry(json, {entries[entries.size() - 1 - i], environment}, personal);
  json.end_array();
  write_meta(json, page, entries.size());
  json.end_object();
  return {200, json.take()};
}

}  // namespace

Reply list_blocklist(const Services& services, const Request& request) {
  Input input(request);
  const auto page = read_page(input);
  const auto& caller = *request.caller;
  const auto listed = read_listed_environment(input.query(), caller, input.violations());
  if (!input.finish()) return input.refusal();
  const auto stream = domain::blocklist_stream(caller.project, listed.environment);
  const auto state = listed.match_nothing ? nullptr : services.states.find(stream, caller.arrival);
  const auto* list = state ? std::get_if<domain::Blocklist>(state.get()) : nullptr;
  const std::vector<domain::BlocklistEntry> none;
  return render_page(list ? list->entries : none, listed.environment, page, personal_data_for(caller));
}

Answer add_blocklist_entry(const Services& services, const Request& request) {
  Input input(request);
  const auto command = read_addition(*request.caller, input);
  if (!command) return input.refusal();
  if (is_refused(*request.caller, command->environment))
    return rejection_reply(request, domain::Rejection::kLiveForTestKey);
  return execute_once(request, *command, input.canonical_body(),
                      [&services, command = *command](const eventstore::Completed& completed) {
                        return render_added(services, command, completed);
                      });
}

Answer remove_blocklist_entry(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::BlocklistEntryId>();
  if (!input.finish()) return input.refusal();
  const domain::RemoveBlocklistEntry command{request.caller->project, *id, request.caller->sandbox_only()};
  return execute(request, command, std::nullopt,
                 [&services, command](const eventstore::Completed& completed) {
                   return render_removed(services, command, completed);
                 });
}

}  // namespace pixledger::http
