#include <filesystem>
#include <string>
#include <system_error>

#include "eventstore/codec/event_json.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/payer_pages.h"

namespace pixledger::http {
namespace {

// The appearance of payers' pages.
void write_look(Json& json, const domain::StoreSettings& settings) {
  json.field("timezone", settings.time_zone ? settings.time_zone->text() : domain::kTimeZoneDefault);
  json.field("logo", settings.logo).field("color", settings.color);
  json.field("supportContact", settings.contact);
  json.key("embedOrigins").begin_array();
  if (settings.embed_origins)
    for (const auto origin : settings.embed_origins->list()) json.value(origin);
  json.end_array().field("payerProofs", settings.payer_proofs);
}

Reply render(const Services& services, const domain::Project& project) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("id", project.id);
  eventstore::write_store_settings(json, project.settings);
  write_look(json, project.settings);
  json.field("returnPublicKey", services.checkout.return_public_key(project.id));
  json.end_object().end_object();
  return {200, json.take()};
}

Reply render_as_of(const Services& services, const domain::ProjectId& id, Position as_of) {
  const auto project = services.history.as<domain::Project>(domain::project_stream(id), as_of);
  if (!project) throw eventstore::LogCorrupt("a project that was there a moment ago is not in the ledger");
  return render(services, *project);
}

// A text of that kind, or an empty one, which removes the setting.
template <class T>
struct OrNone {
  static constexpr std::string_view kRule = T::kRule;
  static std::optional<OrNone> parse(std::string_view text) {
    if (text.empty()) return OrNone{};
    auto value = T::parse(text);
    return value ? std::optional(OrNone{std::move(value)}) : std::nullopt;
  }
  std::optional<T> value{};
};
template <class T>
std::optional<std::optional<T>> read_or_none(const JsonObject& body, std::string_view name) {
  auto read = body.optional<OrNone<T>>(name);
  std::optional<std::optional<T>> change;
  if (read) change.emplace(std::move(read->value));
  return change;
}

// A zone that this machine knows, too: pages show times in it.
struct KnownTimeZone {
  static constexpr std::string_view kRule = domain::TimeZoneName::kRule;
  static std::optional<KnownTimeZone> parse(std::string_view text) {
    auto name = domain::TimeZoneName::parse(text);
    std::error_code none;
    if (!name || !std::filesystem::is_regular_file("/usr/share/zoneinfo/" + name->text(), none))
      return std::nullopt;
    return KnownTimeZone{*std::move(name)};
  }
  domain::TimeZoneName name;
};

// An empty list removes the setting.
std::optional<std::optional<domain::EmbedOrigins>> read_embed_origins(const JsonObject& body) {
  constexpr std::string_view kName = "embedOrigins";
  const auto texts = body.optional_texts(kName, domain::EmbedOrigins::kRule);
  std::optional<std::optional<domain::EmbedOrigins>> change;
  if (!texts) return change;
  change.emplace();
  if (texts->empty()) return change;
  std::string joined;
  for (const auto text : *texts) {
    // A text with a blank is invalid; it must not count as two origins.
    if (!joined.empty()) joined += ' ';
    joined.append(text.find(' ') == std::string_view::npos ? text : std::string_view("-"));
  }
  *change = domain::EmbedOrigins::parse(joined);
  if (*change) return change;
  body.violation(kName, std::string(domain::EmbedOrigins::kRule));
  return std::nullopt;
}

domain::StoreSettingsChange read_change(const JsonObject& body) {
  domain::StoreSettingsChange change;
  change.name = body.optional<domain::StoreName>("name");
  const auto minutes = body.optional_integer("pixExpirationMinutes", 1, domain::kPixExpirationMinutesMax);
  if (minutes) change.pix_expiration_minutes = static_cast<std::int32_t>(*minutes);
  const auto amount = body.optional_integer("maxTransactionAmountCents", 1, domain::kAmountCentsMax);
  if (amount) change.max_transaction_amount = domain::Cents(*amount);
  if (auto zone = body.optional<KnownTimeZone>("timezone")) change.time_zone = std::move(zone->name);
  change.logo = read_or_none<domain::StoreLogo>(body, "logo");
  change.color = read_or_none<domain::StoreColor>(body, "color");
  change.contact = read_or_none<domain::Label>(body, "supportContact");
  change.embed_origins = read_embed_origins(body);
  change.payer_proofs = body.optional_boolean("payerProofs");
  return change;
}

}  // namespace

Reply get_store(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  return render(services, *project_of(services, *request.caller));
}

Answer change_store(const Services& services, const Request& request) {
  Input input(request);
  auto change = read_change(input.body());
  if (!input.finish()) return input.refusal();
  // After the body's validation, as in all operations.
  if (request.caller->sandbox_only())
    return error_reply(request,
                       {.status = 403,
                        .code = "ERR_AUTH_010",
                        .message = "This holds for live charges, too: use a live key, or as a person act in "
                                   "production, not in the sandbox."});
  const auto& id = request.caller->project;
  return execute_once(request, domain::ChangeStoreSettings{id, std::move(change)}, input.canonical_body(),
                      [&services, id](const eventstore::Completed& completed) {
                        return render_as_of(services, id, completed.as_of);
                      });
}

}  // namespace pixledger::http
