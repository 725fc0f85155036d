#include <iostream>

#include "base/platform/json.h"
#include "base/platform/time_zone.h"
#include "base/process/option_rules.h"
#include "base/text/text.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/keys/tokens.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::ApiKey;
using domain::ApiKeyId;
using domain::Environment;

// The rights that `key issue` can set.
struct KeyRights {
  domain::ProjectId project;
  Environment environment;
  domain::ScopeSet scopes;
  bool sandbox_only;
  std::optional<Timestamp> expires_at = std::nullopt;
  std::vector<Cidr> allowed_callers = {};
  std::optional<domain::ApiKeyName> name = std::nullopt;
};

struct KeyOptions {
  std::string project;
  std::string environment;
  std::string key_id;
  std::string name;
  std::vector<std::string> scopes;
  bool sandbox_only = false;
  std::string expires;
  std::vector<std::string> allowed_callers;
  std::int64_t overlap_seconds = domain::kKeyOverlapSecondsDefault;
};

// "test", as in the key's text, not "sandbox".
std::string_view kind_of(Environment environment) {
  return environment == Environment::kLive ? "live" : "test";
}

// As users recognise it in their configuration: "sk_test_…a1B2"; "sk_test_…" if the last characters were not
// stored.
std::string shown(const ApiKey& key) {
  return "sk_" + std::string(kind_of(key.environment)) + "_…" + (key.last_four ? key.last_four->text() : "");
}

std::string_view state_of(const ApiKey& key, Timestamp now) {
  if (key.revoked_at) return "revoked";
  return domain::is_usable(key, now) ? "usable" : "expired";
}

domain::ScopeSet parse_scopes(const std::vector<std::string>& names) {
  if (names.empty()) return domain::ScopeSet::all();
  const auto scopes = domain::ScopeSet::parse(joined(names, ","));
  if (!scopes) throw UsageError("--scopes must be of: " + domain::ScopeSet::all().text());
  return *scopes;
}

// All fields but its expiry.
KeyRights parse_rights(const KeyOptions& options) {
  const bool live = options.environment == "live";
  if (live && options.sandbox_only) throw UsageError("--sandbox-only needs --env test");
  KeyRights rights{parse_project(options.project), live ? Environment::kLive : Environment::kSandbox,
                   parse_scopes(options.scopes), options.sandbox_only};
  for (const std::string& range : options.allowed_callers) {
    rights.allowed_callers.push_back(parse_option<Cidr>("--allow-ip", range));
  }
  rights.name = parse_given<domain::ApiKeyName>("--name", options.name);
  return rights;
}

eventstore::NewApiKey mint_key(CommandContext& context, const eventstore::Ledger& ledger,
                               Environment environment) {
  return eventstore::make_api_key(environment == Environment::kLive, ledger.log->identity().fingerprint(),
                                  context.entropy);
}

// `command` records the key.
int record_key(CommandContext& context, eventstore::Ledger& ledger, domain::Command command,
               const eventstore::NewApiKey& key) {
  if (!execute(context, ledger, std::move(command))) return kExitNo;
  if (context.json) {
    std::cout << Json().begin_object().field("keyId", key.id).field("key", key.text).end_object().take_line();
  } else {
    print_facts(std::cout, {{"key id", key.id.text()}, {"key", key.text}});
    std::cout << "\nThe key is shown only this once. Keep it secret.\n";
  }
  return kExitDone;
}

int issue(CommandContext& context, const KeyOptions& options) {
  auto rights = parse_rights(options);
  const auto expiry = parse_given<GivenTime>("--expires", options.expires);
  auto ledger = context.open();
  const auto project = find_project(*ledger.log, rights.project);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  if (expiry) rights.expires_at = zone_of(*project).first_of(*expiry);
  if (rights.expires_at && *rights.expires_at <= context.clock.now())
    throw UsageError("--expires must be in the future");
  const auto key = mint_key(context, ledger, rights.environment);
  domain::IssueApiKey command{.id = key.id,
                              .project = rights.project,
                              .environment = rights.environment,
                              .hash = key.hash,
                              .scopes = rights.scopes,
                              .sandbox_only = rights.sandbox_only,
                              .expires_at = rights.expires_at,
                              .allowed_callers = std::move(rights.allowed_callers),
                              .name = std::move(rights.name),
                              .last_four = key.last_four};
  return record_key(context, ledger, std::move(command), key);
}

int roll(CommandContext& context, const KeyOptions& options) {
  const auto id = parse_option<ApiKeyId>("--key-id", options.key_id);
  auto ledger = context.open();
  const auto old_key = eventstore::fold_as<ApiKey>(*ledger.log, domain::api_key_stream(id));
  if (!old_key) return say_no(domain::Rejection::kApiKeyNotFound);
  const auto key = mint_key(context, ledger, old_key->environment);
  const auto overlap_ms = options.overlap_seconds * 1000;
  return record_key(context, ledger, domain::RollApiKey{id, key.id, key.hash, overlap_ms, key.last_four},
                    key);
}

int revoke(CommandContext& context, const KeyOptions& options) {
  const auto id = parse_option<ApiKeyId>("--key-id", options.key_id);
  auto ledger = context.open();
  if (!execute(context, ledger, domain::RevokeApiKey{id})) return kExitNo;
  if (context.json) {
    std::cout << Json().begin_object().field("keyId", id).field("revoked", true).end_object().take_line();
  } else {
    std::cout << "The key " << id.text() << " is revoked.\n";
  }
  return kExitDone;
}

std::optional<std::string> last_day(const eventstore::KeyUses& uses, const ApiKey& key) {
  const auto found = uses.find(key.id.text());
  return found == uses.end() ? std::nullopt : std::optional(date_text(found->second));
}

void write_key(Json& json, const ApiKey& key, const eventstore::KeyUses& uses, Timestamp now) {
  json.begin_object()
      .field("keyId", key.id)
      .field("name", key.name)
      .field("prefix", "sk_" + std::string(kind_of(key.environment)) + "_")
      .field("lastFour", key.last_four)
      .field("env", kind_of(key.environment))
      .field("state", state_of(key, now))
      .field("scopes", key.scopes)
      .field("sandboxOnly", key.sandbox_only)
      .field("issuedAt", key.issued_at)
      .field("expiresAt", key.expires_at)
      .field("revokedAt", key.revoked_at)
      .field("lastUsedOn", last_day(uses, key))
      .key("allowIp")
      .begin_array();
  for (const Cidr& range : key.allowed_callers) json.value(range);
  json.end_array().end_object();
}

Row row_of(const ApiKey& key, const eventstore::KeyUses& uses, Timestamp now) {
  const bool all = key.scopes == domain::ScopeSet::all();
  std::string callers;
  for (const Cidr& range : key.allowed_callers) callers += (callers.empty() ? "" : ",") + range.text();
  return {key.id.text(),
          shown(key),
          key.name ? key.name->text() : "-",
          std::string(kind_of(key.environment)),
          std::string(state_of(key, now)),
          to_iso8601(key.issued_at),
          key.expires_at ? to_iso8601(*key.expires_at) : "never",
          last_day(uses, key).value_or("-"),
          callers.empty() ? "anywhere" : callers,
          all ? "all" : key.scopes.text()};
}

int list_keys(const CommandContext& context, const KeyOptions& options) {
  const auto project = parse_project(options.project);
  const auto log = context.open_log();
  if (!find_project(*log, project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto now = context.clock.now();
  const auto keys = keys_of(*log, project);
  const auto uses = eventstore::read_key_uses(context.common.data.key_uses());
  if (context.json) {
    Json json;
    json.begin_array();
    for (const ApiKey& key : keys) write_key(json, key, uses, now);
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const ApiKey& key : keys) rows.push_back(row_of(key, uses, now));
  print_table(
      std::cout,
      {"KEY ID", "KEY", "NAME", "ENV", "STATE", "ISSUED", "EXPIRES", "LAST USED", "CALLERS", "SCOPES"}, rows);
  return kExitDone;
}

}  // namespace

void add_key_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "key", "API keys");
  const auto options = std::make_shared<KeyOptions>();

  CommandLine command = add_command(group, context, "issue", "Issue a key",
                                    [&context, options] { return issue(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--env", options->environment, "live or test").required().one_of({"live", "test"});
  command.add_option("--name", options->name, "What people call it, such as the till or program that has it")
      .check(must_not_be_empty);
  command.add_list_option("--scopes", options->scopes,
                          "What it may do, such as transactions:read; everything unless given");
  command.add_flag("--sandbox-only", options->sandbox_only,
                   "Says what every test key does: it sees and touches the sandbox alone");
  command.add_option(
      "--expires", options->expires,
      "When it stops working: a date (2027-01-31) or time (2027-01-31T12:00:00Z); never unless given");
  command.add_list_option("--allow-ip", options->allowed_callers,
                          "Addresses that may use it (CIDR); any unless given");
  add_json_option(command, context);

  command = add_command(group, context, "list", "A project's keys",
                        [&context, options] { return list_keys(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_json_option(command, context);

  command = add_command(group, context, "roll", "Issue a successor with the same rights",
                        [&context, options] { return roll(context, *options); });
  command.add_option("--key-id", options->key_id, "The old key's id").required();
  command.add_option("--overlap-seconds", options->overlap_seconds, "How long the old key works on")
      .show_default()
      .range(std::int64_t{0}, domain::kKeyOverlapSecondsMax);
  add_json_option(command, context);

  command = add_command(group, context, "revoke", "Stop a key at once",
                        [&context, options] { return revoke(context, *options); });
  command.add_option("--key-id", options->key_id, "The key's id").required();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
