#include "domain/values/stream_name.h"

#include <algorithm>
#include <array>

#include "base/text/ascii.h"

namespace pixledger::domain {
namespace {

struct Prefix {
  StreamKind kind;
  std::string_view text;
};

// Frozen: these prefixes are in every stored event.
constexpr std::array<Prefix, 11> kPrefixes = {{{StreamKind::kProject, "project-"},
                                               {StreamKind::kApiKey, "key-"},
                                               {StreamKind::kChannel, "channel-"},
                                               {StreamKind::kBlocklist, "blocklist-"},
                                               {StreamKind::kCustomer, "customer-"},
                                               {StreamKind::kCharge, "charge-"},
                                               {StreamKind::kRefusals, "refusals-"},
                                               {StreamKind::kConnection, "connection-"},
                                               {StreamKind::kPayment, "payment-"},
                                               {StreamKind::kCheckoutSession, "checkout-"},
                                               {StreamKind::kTeam, "team-"}}};

std::string_view prefix_of(StreamKind kind) {
  return std::find_if(kPrefixes.begin(), kPrefixes.end(), [&](const Prefix& p) { return p.kind == kind; })
      ->text;
}

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

constexpr std::size_t kDocumentTokenSize = 32;

// Frozen as well. No project id and no token equals this word.
constexpr std::string_view kOfSandbox = "-sandbox";

// "<project>" or "<project>-sandbox".
std::string in_environment(const ProjectId& project, Environment environment) {
  auto text = project.text();
  if (environment == Environment::kSandbox) text += kOfSandbox;
  return text;
}

// The part after the project and the environment, if named. Ids have no hyphens.
std::string_view behind_project(std::string_view key) {
  key.remove_prefix(std::min(key.find('-'), key.size()));
  if (key.substr(0, kOfSandbox.size()) == kOfSandbox) key.remove_prefix(kOfSandbox.size());
  return key;
}

bool is_project(std::string_view key) {
  return is_cuid(key.substr(0, key.find('-'))) && behind_project(key).empty();
}

// "<project>-<document token>" or "<project>-sandbox-<document token>".
bool is_project_and_token(std::string_view key) {
  const auto behind = behind_project(key);
  return is_cuid(key.substr(0, key.find('-'))) && !behind.empty() && behind.front() == '-' &&
         DocumentToken::parse(behind.substr(1));
}

// "20260131"
std::string day_text(Timestamp moment) {
  auto text = to_iso8601(moment).substr(0, std::string_view("2026-01-31").size());
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  return text;
}

bool is_day(std::string_view text) {
  if (text.size() != 8) return false;
  std::string date(text);
  date.insert(6, "-").insert(4, "-");
  return parse_date(date).has_value();
}

// "<project>-<document token>-<day>", or without the day.
bool is_refusals_key(std::string_view key) {
  const auto last = key.rfind('-');
  return is_project_and_token(key) || (last != std::string_view::npos && is_day(key.substr(last + 1)) &&
                                       is_project_and_token(key.substr(0, last)));
}

// An end-to-end id.
bool is_payment_key(std::string_view key) {
  return key.size() == 32 && std::all_of(key.begin(), key.end(), is_ascii_alnum);
}

bool is_key_of(StreamKind kind, std::string_view key) {
  switch (kind) {
    case StreamKind::kProject:
    case StreamKind::kChannel:
    case StreamKind::kCharge:
    case StreamKind::kConnection:
    case StreamKind::kCheckoutSession:
    case StreamKind::kTeam:
      return is_cuid(key);
    case StreamKind::kBlocklist:
      return is_project(key);
    case StreamKind::kApiKey:
      return ApiKeyId::parse(key).has_value();
    case StreamKind::kCustomer:
      return is_project_and_token(key);
    case StreamKind::kRefusals:
      return is_refusals_key(key);
    case StreamKind::kPayment:
      return is_payment_key(key);
  }
  return false;
}

}  // namespace

StreamName make_stream_name(StreamKind kind, std::string_view key) {
  const auto prefix = prefix_of(kind);
  std::string text;
  text.reserve(prefix.size() + key.size());
  text.append(prefix).append(key);
  return StreamName(kind, std::move(text));
}

std::optional<StreamName> StreamName::parse(std::string_view text) {
  const auto prefix = std::find_if(kPrefixes.begin(), kPrefixes.end(),
                                   [&](const Prefix& p) { return text.substr(0, p.text.size()) == p.text; });
  if (prefix == kPrefixes.end() || !is_key_of(prefix->kind, text.substr(prefix->text.size())))
    return std::nullopt;
  return StreamName(prefix->kind, std::string(text));
}

std::string_view StreamName::key() const { return std::string_view(text_).substr(prefix_of(kind_).size()); }

std::optional<Environment> StreamName::environment() const {
  switch (kind_) {
    case StreamKind::kBlocklist:
    case StreamKind::kCustomer:
    case StreamKind::kRefusals:
      break;
    case StreamKind::kProject:
    case StreamKind::kApiKey:
    case StreamKind::kChannel:
    case StreamKind::kCharge:
    case StreamKind::kConnection:
    case StreamKind::kPayment:
    case StreamKind::kCheckoutSession:
    case StreamKind::kTeam:
      return std::nullopt;
  }
  const auto hyphen = key().find('-');
  const bool sandbox =
      hyphen != std::string_view::npos && key().substr(hyphen, kOfSandbox.size()) == kOfSandbox;
  return sandbox ? Environment::kSandbox : Environment::kLive;
}

std::string_view StreamName::payer() const {
  const auto behind = behind_project(key()).size();
  return key().substr(0, key().size() - behind + std::min(behind, 1 + kDocumentTokenSize));
}

StreamName StreamName::in_other_environment() const {
  const auto now = environment();
  if (!now) return *this;
  auto other = text_;
  const auto behind_id = text_.size() - key().size() + std::min(key().find('-'), key().size());
  if (*now == Environment::kSandbox)
    other.erase(behind_id, kOfSandbox.size());
  else
    other.insert(behind_id, kOfSandbox);
  return StreamName(kind_, std::move(other));
}

std::optional<DocumentToken> DocumentToken::parse(std::string_view text) {
  if (text.size() != kDocumentTokenSize || !is_lower_hex(text)) return std::nullopt;
  return DocumentToken(std::string(text));
}

std::optional<ApiKeyId> ApiKeyId::parse(std::string_view text) {
  if (text.size() != 24 || !is_lower_hex(text)) return std::nullopt;
  return ApiKeyId(std::string(text));
}

StreamName project_stream(const ProjectId& project) {
  return make_stream_name(StreamKind::kProject, project.text());
}
StreamName api_key_stream(const ApiKeyId& key) { return make_stream_name(StreamKind::kApiKey, key.text()); }
StreamName channel_stream(const ChannelId& channel) {
  return make_stream_name(StreamKind::kChannel, channel.text());
}
StreamName blocklist_stream(const ProjectId& project, Environment environment) {
  return make_stream_name(StreamKind::kBlocklist, in_environment(project, environment));
}
StreamName customer_stream(const ProjectId& project, Environment environment, const DocumentToken& token) {
  return make_stream_name(StreamKind::kCustomer, in_environment(project, environment) + "-" + token.text());
}
StreamName charge_stream(const ChargeId& charge) {
  return make_stream_name(StreamKind::kCharge, charge.text());
}
StreamName connection_stream(const ConnectionId& connection) {
  return make_stream_name(StreamKind::kConnection, connection.text());
}
StreamName checkout_stream(const CheckoutSessionId& session) {
  return make_stream_name(StreamKind::kCheckoutSession, session.text());
}
StreamName team_stream(const ProjectId& project) {
  return make_stream_name(StreamKind::kTeam, project.text());
}
StreamName refusals_stream(const ProjectId& project, Environment environment, const DocumentToken& token,
                           Timestamp moment) {
  return make_stream_name(StreamKind::kRefusals,
                          in_environment(project, environment) + "-" + token.text() + "-" + day_text(moment));
}

StreamName customer_stream_of(const StreamName& refusals) {
  std::string_view key = refusals.key();
  const auto last = key.rfind('-');
  if (is_day(key.substr(last + 1))) key = key.substr(0, last);
  return make_stream_name(StreamKind::kCustomer, std::string(key));
}

}  // namespace pixledger::domain
