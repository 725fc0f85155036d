#include "workers/banks/bank_directory.h"

#include <stdexcept>
#include <utility>

#include "eventstore/keys/connection_secrets.h"
#include "eventstore/keys/keyring_file.h"

namespace pixledger::workers {
namespace {

void end_span(const stores::EventTraces& traces, const domain::ConnectionId& connection,
              const BankCallReport& report) {
  std::vector<SpanAttribute> attributes{{"pixledger.connection", connection.text()},
                                        {"pixledger.outcome", std::string(report.outcome)}};
  if (report.http_status != 0) attributes.push_back({"http.response.status_code", report.http_status});
  const bool has_worked = report.outcome == "done" || report.outcome == "not_found";
  traces.end(*report.span, "bank " + std::string(to_string(report.operation)), std::move(attributes),
             has_worked ? "" : report.outcome);
}

}  // namespace

std::optional<ResolvedBank> BankDirectory::find(const domain::ProjectId& project,
                                                const domain::ConnectionId& connection) {
  const auto state = states_.find(domain::project_stream(project), log_.head());
  const auto* found = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  const auto* known = found ? domain::connection_of(*found, connection) : nullptr;
  if (!known || !known->api_pix) return std::nullopt;
  auto client = client_of(*known);
  if (!client) return std::nullopt;
  return ResolvedBank{.client = std::move(client),
                      .connection = *known,
                      .merchant_name = found->settings.merchant_name.text(),
                      .merchant_city = found->settings.merchant_city.text(),
                      .project = project};
}

std::optional<ResolvedBank> BankDirectory::find(const domain::ConnectionId& connection) {
  const auto bank = state_of(connection);
  if (!bank) return std::nullopt;
  return find(bank->project, connection);
}

std::optional<CallbackTerms> BankDirectory::callback_of(const domain::ConnectionId& connection) {
  const auto bank = state_of(connection);
  if (!bank) return std::nullopt;
  CallbackTerms terms;
  try {
    terms.secret = eventstore::unseal(connection, bank->configuration.secrets, keyring_).callback_secret;
  } catch (const eventstore::KeyringError& fault) {
    logger_.error("a bank cannot be spoken to", {{"connection", connection.text()}, {"fault", fault.what()}});
    return std::nullopt;
  }
  if (const auto& cn = bank->configuration.callback_cn) terms.cn = cn->text();
  return terms;
}

std::shared_ptr<const domain::BankConnection> BankDirectory::state_of(
    const domain::ConnectionId& connection) {
  auto state = states_.find(domain::connection_stream(connection), log_.head());
  const auto* bank = state ? std::get_if<domain::BankConnection>(state.get()) : nullptr;
  return {std::move(state), bank};
}

std::shared_ptr<BankClient> BankDirectory::client_of(const domain::Connection& connection) {
  const auto bank = state_of(connection.id);
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(connection.id.text());
  const auto revision = bank ? bank->revision : 0;
  if (known != known_.end() && known->second.revision == revision &&
      (!known->second.client || known->second.client->access().pix_key == connection.api_pix->pix_key))
    return known->second.client;
  std::shared_ptr<BankClient> client;
  try {
    if (!bank) throw std::invalid_argument("it is not configured");
    const auto& certificate = bank->configuration.certificate;
    meters_.on_certificate(connection.id, certificate ? std::optional(certificate->ends_at) : std::nullopt);
    auto access = bank_access_of(connection, bank->configuration, keyring_);
    const auto* before = known != known_.end() ? known->second.client.get() : nullptr;
    // Another address for callbacks, for example, does not concern the client.
    if (before && before->access() == access) {
      known->second.revision = revision;
      return known->second.client;
    }
    auto dependencies = dependencies_;
    dependencies.observer = [&meters = meters_, traces = dependencies.traces,
                             id = connection.id](const BankCallReport& report) {
      meters.on_call(id, report);
      if (report.span) end_span(*traces, id, report);
    };
    meters_.on_client(connection.id);
    client = std::make_shared<BankClient>(std::move(access), std::move(dependencies), before);
  } catch (const std::exception& fault) {
    logger_.error("a bank cannot be spoken to",
                  {{"connection", connection.id.text()}, {"fault", fault.what()}});
  }
  known_.insert_or_assign(connection.id.text(), Known{revision, client});
  return client;
}

BankAccess bank_access_of(const domain::Connection& connection,
                          const domain::BankConfiguration& configuration,
                          const eventstore::Keyring& keyring) {
  const auto* profile = find_bank_profile(configuration.psp);
  if (!profile) throw std::invalid_argument("this release does not know the bank " + configuration.psp);
  auto secrets = eventstore::unseal(connection.id, configuration.secrets, keyring);
  return {.profile = profile,
          .base_url = configuration.base_url,
          .token_url = configuration.token_url,
          .token_auth = configuration.token_auth,
          .scopes = configuration.scopes,
          .client_id = configuration.client_id,
          .client_secret = std::move(secrets.client_secret),
          .certificate_pem = std::move(secrets.certificate_pem),
          .private_key_pem = std::move(secrets.private_key_pem),
          .psp_app_key = std::move(secrets.app_key),
          .pix_key = connection.api_pix->pix_key,
          .rate = static_cast<int>(configuration.rate)};
}

}  // namespace pixledger::workers
