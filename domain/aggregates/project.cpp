#include "domain/aggregates/project.h"

#include <algorithm>

#include "domain/aggregates/take_over.h"

namespace pixledger::domain {
namespace {

struct ApplyToProject {
  std::optional<Project> project;
  Timestamp at;

  std::optional<Project> operator()(const ProjectCreated& event) {
    return Project{
        .id = event.id, .settings = event.settings, .connections = event.connections, .created_at = at};
  }
  std::optional<Project> operator()(const StoreSettingsChanged& event) {
    if (project) project->settings = event.settings;
    return std::move(project);
  }
  std::optional<Project> operator()(const ConnectionAdded& event) {
    // Behind the others: the first of an environment is its default unless another is chosen.
    if (project) project->connections.push_back(event.connection);
    return std::move(project);
  }
  std::optional<Project> operator()(const ConnectionChanged& event) {
    if (!project) return std::nullopt;
    for (auto& connection : project->connections) {
      if (connection.id == event.connection.id) connection = event.connection;
    }
    return std::move(project);
  }
  std::optional<Project> operator()(const DefaultConnectionSet& event) {
    if (!project) return std::nullopt;
    const bool is_live = event.environment == Environment::kLive;
    (is_live ? project->live_default : project->sandbox_default) = event.connection;
    return std::move(project);
  }
};

}  // namespace

StoreSettings changed(StoreSettings settings, const StoreSettingsChange& change) {
  take_over(settings.name, change.name);
  take_over(settings.pix_key, change.pix_key);
  take_over(settings.merchant_name, change.merchant_name);
  take_over(settings.merchant_city, change.merchant_city);
  take_over(settings.max_transaction_amount, change.max_transaction_amount);
  take_over(settings.pix_expiration_minutes, change.pix_expiration_minutes);
  take_over(settings.verify_documents, change.verify_documents);
  take_over(settings.fee_fixed, change.fee_fixed);
  take_over(settings.fee_basis_points, change.fee_basis_points);
  take_over(settings.dev_mode, change.dev_mode);
  take_over(settings.contact, change.contact);
  if (change.time_zone) settings.time_zone = change.time_zone;
  take_over(settings.logo, change.logo);
  take_over(settings.color, change.color);
  take_over(settings.embed_origins, change.embed_origins);
  take_over(settings.payer_proofs, change.payer_proofs);
  return settings;
}

std::optional<Cents> fee_of(const StoreSettings& settings, Cents paid) {
  if (settings.fee_fixed == Cents(0) && settings.fee_basis_points == 0) return std::nullopt;
  // Whole multiples apart from the rest, and the fixed part compared before it is added: no amount overflows.
  const auto points = settings.fee_basis_points;
  const Cents share(paid.value() / 10'000 * points + (paid.value() % 10'000 * points + 5'000) / 10'000);
  return settings.fee_fixed < paid - share ? settings.fee_fixed + share : paid;
}

const Connection* find_connection(const Project& project, Environment environment,
                                  const std::optional<ConnectionId>& id) {
  if (!id) return default_connection(project, environment);
  const auto* connection = connection_of(project, *id);
  return connection && connection->environment == environment && connection->is_enabled() ? connection
                                                                                          : nullptr;
}

const Connection* connection_of(const Project& project, const ConnectionId& id) {
  for (const auto& connection : project.connections) {
    if (connection.id == id) return &connection;
  }
  return nullptr;
}

const Connection* default_connection(const Project& project, Environment environment) {
  const auto& chosen = environment == Environment::kLive ? project.live_default : project.sandbox_default;
  if (chosen) return connection_of(project, *chosen);
  for (const auto& connection : project.connections) {
    if (connection.environment == environment) return &connection;
  }
  return nullptr;
}

bool has_alias(const Project& project, Environment environment, const Label& alias) {
  return std::any_of(project.connections.begin(), project.connections.end(), [&](const Connection& other) {
    return other.environment == environment && other.alias == alias;
  });
}

std::optional<Project> apply(std::optional<Project> project, const ProjectEvent& event, Timestamp at) {
  return std::visit(ApplyToProject{std::move(project), at}, event);
}

}  // namespace pixledger::domain
