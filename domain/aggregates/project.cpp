#include "domain/aggregates/project.h"

#include <algorithm>
#include <variant>

#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/values/webhook_url.h"
#include "domain/aggregates/field.h"

namespace pixledger::domain {
namespace {

constexpr std::size_t kZoneBytesMax = 64;
constexpr std::string_view kDataScheme = "data:";
constexpr std::string_view kBase64Mark = ";base64,";
constexpr std::string_view kPng = "image/png";
constexpr std::string_view kWebp = "image/webp";

bool is_zone_character(char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '+' || c == '/'; }

bool begins_as(std::string_view type, std::string_view image) {
  using namespace std::string_view_literals;
  if (type == kPng) return image.substr(0, 16) == "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv;
  return type == kWebp && image.size() > 16 && image.substr(0, 4) == "RIFF" && image.substr(8, 4) == "WEBP";
}

// Scheme, host and port in the one form in which browsers send an Origin.
bool is_embed_origin(std::string_view text) {
  const auto parsed = parse_webhook_url(text);
  const auto* url = std::get_if<WebhookUrl>(&parsed);
  if (!url || (!url->https && url->host != "localhost")) return false;
  return text == (url->https ? "https://" : "http://") + url->host_header();
}

}  // namespace

std::optional<TimeZoneName> TimeZoneName::parse(std::string_view text) {
  if (text.empty() || text.size() > kZoneBytesMax || text.front() == '/') return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_zone_character)) return std::nullopt;
  return TimeZoneName(std::string(text));
}

std::optional<StoreColor> StoreColor::parse(std::string_view text) {
  const auto is_hex = [](char c) { return hex_digit(c) >= 0; };
  if (text.size() != 7 || text.front() != '#') return std::nullopt;
  if (!std::all_of(text.begin() + 1, text.end(), is_hex)) return std::nullopt;
  return StoreColor(std::string(text));
}

std::optional<StoreLogo> StoreLogo::parse(std::string_view text) {
  if (text.substr(0, kDataScheme.size()) != kDataScheme) return std::nullopt;
  StoreLogo logo{std::string(text)};
  if (logo.type() != kPng && logo.type() != kWebp) return std::nullopt;
  // Checked before decoding, to bound the work.
  if (logo.base64().size() > (kBytesMax + 2) / 3 * 4) return std::nullopt;
  const auto image = bytes_from_base64(logo.base64());
  if (!image || image->size() > kBytesMax || !begins_as(logo.type(), *image)) return std::nullopt;
  return logo;
}

std::string_view StoreLogo::type() const {
  const std::string_view rest = std::string_view(text()).substr(kDataScheme.size());
  const auto mark = rest.find(kBase64Mark);
  return mark == std::string_view::npos ? std::string_view() : rest.substr(0, mark);
}

std::string_view StoreLogo::base64() const {
  const std::string_view whole = text();
  const auto mark = whole.find(kBase64Mark);
  return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + kBase64Mark.size());
}

std::string StoreLogo::image() const { return bytes_from_base64(base64()).value_or(std::string()); }

std::optional<EmbedOrigins> EmbedOrigins::parse(std::string_view text) {
  EmbedOrigins origins{std::string(text)};
  auto list = origins.list();
  if (list.size() > kMax || !std::all_of(list.begin(), list.end(), is_embed_origin)) return std::nullopt;
  std::sort(list.begin(), list.end());
  if (std::adjacent_find(list.begin(), list.end()) != list.end()) return std::nullopt;
  return origins;
}

std::vector<std::string_view> EmbedOrigins::list() const {
  std::vector<std::string_view> origins;
  for (std::string_view rest = text();;) {
    const auto blank = rest.find(' ');
    origins.push_back(rest.substr(0, blank));
    if (blank == std::string_view::npos) return origins;
    rest.remove_prefix(blank + 1);
  }
}

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
    // Appended last: the first connection of an environment is its default unless another is chosen.
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
  // Multiplies quotient and remainder separately and compares before adding: no amount overflows.
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
