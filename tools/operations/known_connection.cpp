#include "tools/operations/known_connection.h"

#include "base/process/options.h"
#include "eventstore/reading/state_reader.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {
namespace {

using domain::BankConnection;
using domain::Connection;

using Facts = std::vector<std::pair<std::string, std::string>>;

KnownConnection known_as(const domain::Project& project, const Connection& connection) {
  return {.project = project.id,
          .connection = connection,
          .is_default = domain::default_connection(project, connection.environment) == &connection,
          .bank = std::nullopt};
}

void write_bank(Json& json, const BankConnection& bank) {
  const auto& configuration = bank.configuration;
  json.field("psp", configuration.psp)
      .field("baseUrl", configuration.base_url)
      .field("tokenUrl", configuration.token_url)
      .field("tokenAuth", domain::to_string(configuration.token_auth))
      .field("scopes", configuration.scopes)
      .field("clientId", configuration.client_id)
      .field("rate", configuration.rate)
      .field("callbackCn", configuration.callback_cn);
  if (const auto& certificate = configuration.certificate)
    json.key("certificate")
        .begin_object()
        .field("subject", certificate->subject)
        .field("endsAt", certificate->ends_at)
        .end_object();
  else
    json.null("certificate");
  json.field("callbackUrl", bank.callback_url)
      .field("createdAt", bank.created_at)
      .field("configuredAt", bank.configured_at);
}

void add_bank_facts(Facts& facts, const BankConnection& bank) {
  const auto& configuration = bank.configuration;
  facts.emplace_back("bank", configuration.psp);
  facts.emplace_back("base URL", configuration.base_url);
  facts.emplace_back("token URL", configuration.token_url);
  facts.emplace_back("token auth", domain::to_string(configuration.token_auth));
  facts.emplace_back("scopes", configuration.scopes);
  facts.emplace_back("client", configuration.client_id);
  facts.emplace_back("rate", std::to_string(configuration.rate) + " requests a second");
  const auto& certificate = configuration.certificate;
  facts.emplace_back("certificate", certificate ? certificate->subject : "none");
  if (certificate) facts.emplace_back("ends", to_iso8601(certificate->ends_at));
  facts.emplace_back("callbacks from", configuration.callback_cn ? configuration.callback_cn->text() : "-");
  facts.emplace_back("callbacks to", bank.callback_url.value_or("-"));
  facts.emplace_back("configured", to_iso8601(bank.configured_at));
}

}  // namespace

std::vector<KnownConnection> connections_of(const domain::Project& project) {
  std::vector<KnownConnection> all;
  all.reserve(project.connections.size());
  for (const auto& connection : project.connections) all.push_back(known_as(project, connection));
  return all;
}

std::optional<KnownConnection> find_named_connection(const eventstore::Log& log,
                                                     const domain::Project& project, const std::string& name,
                                                     std::optional<domain::Environment> environment) {
  const Connection* found = nullptr;
  for (const auto& connection : project.connections) {
    if (environment && connection.environment != *environment) continue;
    const bool is_id = connection.id.text() == name;
    if (!is_id && connection.alias.text() != name) continue;
    if (found && !is_id)
      throw UsageError("--connection " + name +
                       " is an alias in both environments: say --env live or --env test");
    found = &connection;
    if (is_id) break;
  }
  if (!found) return std::nullopt;
  auto known = known_as(project, *found);
  if (found->api_pix)
    known.bank = eventstore::fold_as<BankConnection>(log, domain::connection_stream(found->id));
  return known;
}

void add_naming_options(CommandLine& command, ConnectionNaming& naming) {
  command.add_option("--project", naming.project, "The project's id").required();
  command.add_option("--connection", naming.connection, "The connection's id or alias").required();
  command.add_option("--env", naming.environment, "live or test, where both have that alias")
      .one_of({"live", "test"});
}

std::optional<KnownConnection> named_connection(const eventstore::Log& log, const ConnectionNaming& naming) {
  const auto project = find_project(log, parse_project(naming.project));
  if (!project) {
    say_no(domain::Rejection::kProjectNotFound);
    return std::nullopt;
  }
  std::optional<domain::Environment> environment;
  if (naming.environment)
    environment = *naming.environment == "live" ? domain::Environment::kLive : domain::Environment::kSandbox;
  auto known = find_named_connection(log, *project, naming.connection, environment);
  if (!known) say_no(domain::Rejection::kUnknownConnection);
  return known;
}

void write_connection_fields(Json& json, const KnownConnection& known) {
  const auto& connection = known.connection;
  json.field("connectionId", connection.id)
      .field("alias", connection.alias)
      .field("providerId", connection.provider_id)
      .field("providerName", connection.provider_name)
      .field("environment", domain::to_string(connection.environment))
      .field("isDefault", known.is_default)
      .field("isEnabled", connection.is_enabled());
  if (const auto& terms = connection.api_pix)
    json.field("pixKey", terms->pix_key)
        .field("code", domain::to_string(terms->code))
        .field("fallback", domain::to_string(terms->fallback))
        .field("codeDeadlineMs", terms->code_deadline_ms);
  if (known.bank) write_bank(json, *known.bank);
}

std::vector<std::pair<std::string, std::string>> facts_of(const KnownConnection& known) {
  const auto& connection = known.connection;
  Facts facts{{"connection", connection.id.text()},
              {"alias", connection.alias.text()},
              {"provider", connection.provider_name + " (" + connection.provider_id + ")"},
              {"environment", std::string(domain::to_string(connection.environment))},
              {"default", known.is_default ? "yes" : "no"},
              {"state", std::string(domain::to_string(connection.state))}};
  if (const auto& terms = connection.api_pix) {
    facts.emplace_back("Pix key", terms->pix_key.text());
    facts.emplace_back("codes", domain::to_string(terms->code));
    facts.emplace_back("fallback", domain::to_string(terms->fallback));
    facts.emplace_back("code deadline", std::to_string(terms->code_deadline_ms) + " ms");
  }
  if (known.bank) add_bank_facts(facts, *known.bank);
  return facts;
}

}  // namespace pixledger::tools
