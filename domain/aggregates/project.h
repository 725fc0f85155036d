#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/pix/pix_key.h"
#include "domain/values/cents.h"
#include "domain/values/charge_kinds.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"

// A store's appearance to payers. Each value keeps the text that was sent.
namespace pixledger::domain {

// The common part of these text types.
template <class Tag>
class LookText {
 public:
  const std::string& text() const { return text_; }
  friend bool operator==(const LookText&, const LookText&) = default;

 protected:
  explicit LookText(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

// A name of the IANA database. The caller checks that the zone exists.
class TimeZoneName : public LookText<struct TimeZoneTag> {
 public:
  static constexpr std::string_view kRule = "must be the IANA name of a time zone, such as America/Sao_Paulo";
  static std::optional<TimeZoneName> parse(std::string_view text);

 private:
  using LookText::LookText;
};
inline constexpr std::string_view kTimeZoneDefault = "America/Sao_Paulo";

class StoreColor : public LookText<struct StoreColorTag> {
 public:
  static constexpr std::string_view kRule = "must be a colour as #rrggbb";
  static std::optional<StoreColor> parse(std::string_view text);

 private:
  using LookText::LookText;
};

// A data URL. The image must begin with its type's signature, and is never decoded.
class StoreLogo : public LookText<struct StoreLogoTag> {
 public:
  static constexpr std::size_t kBytesMax = 24 * 1024;
  static constexpr std::string_view kRule =
      "must be a data URL in base64 of a PNG or WebP image of at most 24 KiB";
  static std::optional<StoreLogo> parse(std::string_view text);

  std::string_view type() const;    // "image/png"
  std::string_view base64() const;  // the image
  std::string image() const;

 private:
  using LookText::LookText;
};

// The origins that may embed the checkout in a frame: 1 to 10, all different, separated by blanks.
class EmbedOrigins : public LookText<struct EmbedOriginsTag> {
 public:
  static constexpr std::size_t kMax = 10;
  static constexpr std::string_view kRule =
      "must be a list of at most 10 different origins as browsers send them (https://shop.example.com, or "
      "http://localhost[:port]): lower case, without path, trailing slash or the scheme's own port";
  static std::optional<EmbedOrigins> parse(std::string_view text);

  std::vector<std::string_view> list() const;

 private:
  using LookText::LookText;
};

constexpr std::int64_t kAmountCentsMax = 99'999'999'999;
constexpr std::int32_t kPixExpirationMinutesMax = 525'600;  // one year
constexpr std::int32_t kFeeBasisPointsMax = 10'000;         // the whole amount
constexpr std::size_t kConnectionsPerProjectMax = 100;      // of both environments together

// A store's settings, which its merchant controls.
struct StoreSettings {
  Label name;
  std::optional<PixKey> pix_key;  // absent: only sandbox charges can be created
  Label merchant_name;            // shown by the payer's bank
  Label merchant_city;
  Cents max_transaction_amount{kAmountCentsMax};
  std::int32_t pix_expiration_minutes = 30;
  bool verify_documents = false;
  Cents fee_fixed{0};
  std::int32_t fee_basis_points = 0;
  bool dev_mode = false;
  std::optional<Label> contact{};  // how payers reach the store: an e-mail address, a phone, a page
  // What payers' pages show, and which origins may frame them.
  std::optional<TimeZoneName> time_zone{};  // absent: kTimeZoneDefault
  std::optional<StoreLogo> logo{};
  std::optional<StoreColor> color{};
  std::optional<EmbedOrigins> embed_origins{};
  bool payer_proofs = false;  // payers can download proof of payment

  static constexpr auto fields(auto with) {
    return with(field("name", &StoreSettings::name), field("pixKey", &StoreSettings::pix_key),
                field("merchantName", &StoreSettings::merchant_name),
                field("merchantCity", &StoreSettings::merchant_city),
                field("maxAmountCents", &StoreSettings::max_transaction_amount)
                    .stored_as("max_transaction_amount_cents")
                    .in_feed("maxTransactionAmountCents"),
                field("pixExpirationMinutes", &StoreSettings::pix_expiration_minutes),
                field("verifyDocuments", &StoreSettings::verify_documents),
                field("feeFixedCents", &StoreSettings::fee_fixed),
                field("feeBasisPoints", &StoreSettings::fee_basis_points),
                field("devMode", &StoreSettings::dev_mode), field("contact", &StoreSettings::contact),
                field("timezone", &StoreSettings::time_zone).stored_as("time_zone").shown_if_set(),
                field("logo", &StoreSettings::logo).shown_if_set(),
                field("color", &StoreSettings::color).shown_if_set(),
                field("embedOrigins", &StoreSettings::embed_origins).shown_if_set(),
                field("payerProofs", &StoreSettings::payer_proofs).shown_if_set());
  }

  friend bool operator==(const StoreSettings&, const StoreSettings&) = default;
};

// Absent settings stay unchanged, so concurrent changes do not undo each other.
struct StoreSettingsChange {
  std::optional<Label> name{};
  std::optional<std::optional<PixKey>> pix_key{};  // inner nullopt: removes the key
  std::optional<Label> merchant_name{};
  std::optional<Label> merchant_city{};
  std::optional<Cents> max_transaction_amount{};
  std::optional<std::int32_t> pix_expiration_minutes{};
  std::optional<bool> verify_documents{};
  std::optional<Cents> fee_fixed{};
  std::optional<std::int32_t> fee_basis_points{};
  std::optional<bool> dev_mode{};
  std::optional<std::optional<Label>> contact{};  // inner nullopt: removes it
  std::optional<TimeZoneName> time_zone{};
  std::optional<std::optional<StoreLogo>> logo{};
  std::optional<std::optional<StoreColor>> color{};
  std::optional<std::optional<EmbedOrigins>> embed_origins{};
  std::optional<bool> payer_proofs{};
};
StoreSettings changed(StoreSettings settings, const StoreSettingsChange& change);

// The provider of connections to a bank that speaks the central bank's API Pix.
inline constexpr std::string_view kApiPixProvider = "api-pix";

constexpr std::uint32_t kCodeDeadlineMsDefault = 2'500;
constexpr std::uint32_t kCodeDeadlineMsMin = 200;
constexpr std::uint32_t kCodeDeadlineMsMax = 10'000;

// The part of a bank connection that creating a charge needs. The bank's configuration is in a stream that no
// creation reads (bank_connection.h).
struct ApiPix {
  PixKey pix_key;  // receives its charges' payments
  CodeKind code = CodeKind::kDynamic;
  CodeFallback fallback = CodeFallback::kNone;
  std::uint32_t code_deadline_ms = kCodeDeadlineMsDefault;  // kCodeDeadlineMsMin to kCodeDeadlineMsMax

  static constexpr auto fields(auto with) {
    return with(field("pixKey", &ApiPix::pix_key), field("code", &ApiPix::code),
                field("fallback", &ApiPix::fallback), field("codeDeadlineMs", &ApiPix::code_deadline_ms));
  }

  friend bool operator==(const ApiPix&, const ApiPix&) = default;
};

// Stored by number. A disabled connection creates no charges; existing charges continue.
enum class ConnectionState : std::uint8_t { kEnabled = 0, kDisabled = 1 };
constexpr std::string_view to_string(ConnectionState state) {
  return state == ConnectionState::kEnabled ? "enabled" : "disabled";
}

// A route for incoming money. Each project starts with one connection per environment as default, until
// another is chosen. Aliases are unique within an environment.
struct Connection {
  ConnectionId id;
  Label alias;
  std::string provider_id;
  std::string provider_name;
  Environment environment;
  std::optional<ApiPix> api_pix{};  // only in connections to a bank
  ConnectionState state = ConnectionState::kEnabled;

  static constexpr auto fields(auto with) {
    return with(
        field("connectionId", &Connection::id).stored_as("id"), field("alias", &Connection::alias),
        field("providerId", &Connection::provider_id), field("providerName", &Connection::provider_name),
        field("environment", &Connection::environment), field("apiPix", &Connection::api_pix).not_in_feed(),
        field("state", &Connection::state).not_in_feed());
  }

  bool is_enabled() const { return state == ConnectionState::kEnabled; }

  friend bool operator==(const Connection&, const Connection&) = default;
};

struct ProjectCreated {
  ProjectId id;
  StoreSettings settings;
  std::vector<Connection> connections;

  static constexpr auto fields(auto with) {
    return with(field("projectId", &ProjectCreated::id).stored_as("id").not_in_feed(),
                field("settings", &ProjectCreated::settings),
                field("connections", &ProjectCreated::connections).not_in_feed());
  }
};
struct StoreSettingsChanged {
  StoreSettings settings;  // all of them, as they are from now on

  static constexpr auto fields(auto with) { return with(field("settings", &StoreSettingsChanged::settings)); }
};
struct ConnectionAdded {
  Connection connection;

  static constexpr auto fields(auto with) {
    return with(field("connection", &ConnectionAdded::connection).flattened());
  }
};
// The complete connection after a change of alias, provider name, terms or state.
struct ConnectionChanged {
  Connection connection;

  static constexpr auto fields(auto with) {
    return with(field("connection", &ConnectionChanged::connection).flattened());
  }
};
// Charges of that environment that name no connection use this one from now on.
struct DefaultConnectionSet {
  ConnectionId connection;
  Environment environment;  // the connection's

  static constexpr auto fields(auto with) {
    return with(field("connectionId", &DefaultConnectionSet::connection).stored_as("connection"),
                field("environment", &DefaultConnectionSet::environment));
  }
};
using ProjectEvent = std::variant<ProjectCreated, StoreSettingsChanged, ConnectionAdded, ConnectionChanged,
                                  DefaultConnectionSet>;

struct Project {
  ProjectId id;
  StoreSettings settings;
  std::vector<Connection> connections;
  Timestamp created_at;
  // The chosen defaults; absent: the environment's first connection.
  std::optional<ConnectionId> live_default{};
  std::optional<ConnectionId> sandbox_default{};
};

// The fee of a payment: fixed part plus basis points rounded half up, at most the payment. nullopt if the
// store has no fee.
std::optional<Cents> fee_of(const StoreSettings& settings, Cents paid);

// The connection for a new charge: the enabled one with that id and environment, or the environment's default
// without an id. nullptr if not found.
const Connection* find_connection(const Project& project, Environment environment,
                                  const std::optional<ConnectionId>& id);

// The connection with that id, enabled or not, for existing charges. nullptr if unknown.
const Connection* connection_of(const Project& project, const ConnectionId& id);

// nullptr if the project has no connection in that environment.
const Connection* default_connection(const Project& project, Environment environment);

bool has_alias(const Project& project, Environment environment, const Label& alias);

std::optional<Project> apply(std::optional<Project> project, const ProjectEvent& event, Timestamp at);

}  // namespace pixledger::domain
