#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"

namespace pixledger::domain {

// The aggregate that a stream's events belong to. The name's prefix encodes it: "charge-<id>".
enum class StreamKind : unsigned char {
  kProject,
  kApiKey,
  kChannel,
  kBlocklist,
  kCustomer,
  kCharge,
  kRefusals,
  kConnection,
  kPayment,
  kCheckoutSession,
  kTeam
};

// The name of one aggregate's stream. Names never contain personal data: a customer's document enters only as
// a keyed hash (see DocumentToken). The streams of customers, refusals and blocklists belong to an
// environment. Sandbox names have "sandbox-" after the project ("-sandbox" if nothing follows).
class StreamName {
 public:
  // Accepts what the functions below make; anything else is nullopt.
  static std::optional<StreamName> parse(std::string_view text);

  const std::string& text() const { return text_; }
  StreamKind kind() const { return kind_; }
  // The part after the prefix: "abc" in "charge-abc".
  std::string_view key() const;
  // The environment in the name, or nullopt if the kind has none.
  std::optional<Environment> environment() const;
  // For customers' and refusals' streams: the part of the key that identifies the payer, without a trailing
  // day.
  std::string_view payer() const;
  // The same name in the other environment; unchanged if the kind has no environment.
  StreamName in_other_environment() const;

  friend bool operator==(const StreamName& a, const StreamName& b) { return a.text_ == b.text_; }
  friend auto operator<=>(const StreamName& a, const StreamName& b) { return a.text_ <=> b.text_; }

 private:
  friend StreamName make_stream_name(StreamKind, std::string_view);
  StreamName(StreamKind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  StreamKind kind_;
  std::string text_;
};

// 32 lower-case hex characters: an HMAC of project and document under a key of the keyring. The token names
// the customer's stream, so each document, project and environment has one customer.
class DocumentToken {
 public:
  static std::optional<DocumentToken> parse(std::string_view text);
  const std::string& text() const { return text_; }
  friend bool operator==(const DocumentToken&, const DocumentToken&) = default;

 private:
  explicit DocumentToken(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// The id of an API key: the first 24 hex characters of the SHA-256 of its text.
class ApiKeyId {
 public:
  static constexpr std::string_view kRule = "must be 24 characters of 0-9a-f";
  static std::optional<ApiKeyId> parse(std::string_view text);
  const std::string& text() const { return text_; }
  friend bool operator==(const ApiKeyId&, const ApiKeyId&) = default;

 private:
  explicit ApiKeyId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

StreamName project_stream(const ProjectId& project);
StreamName api_key_stream(const ApiKeyId& key);
StreamName channel_stream(const ChannelId& channel);
StreamName blocklist_stream(const ProjectId& project, Environment environment);
StreamName customer_stream(const ProjectId& project, Environment environment, const DocumentToken& token);
StreamName charge_stream(const ChargeId& charge);
// The bank configuration of a connection. The connection itself is recorded in its project's stream.
StreamName connection_stream(const ConnectionId& connection);
StreamName checkout_stream(const CheckoutSessionId& session);
// The users that may sign in for the project.
StreamName team_stream(const ProjectId& project);
// `moment` selects the stream's day, in UTC.
StreamName refusals_stream(const ProjectId& project, Environment environment, const DocumentToken& token,
                           Timestamp moment);
// The stream of the customer, registered or not, whose refusals the given stream holds.
StreamName customer_stream_of(const StreamName& refusals);

// A unique name that one stream holds for ever. An event states it, and its commit writes it.
class ClaimName {
 public:
  explicit ClaimName(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  friend bool operator==(const ClaimName&, const ClaimName&) = default;
  friend auto operator<=>(const ClaimName&, const ClaimName&) = default;

 private:
  std::string text_;
};

}  // namespace pixledger::domain

template <>
struct std::hash<pixledger::domain::StreamName> {
  std::size_t operator()(const pixledger::domain::StreamName& name) const noexcept {
    return std::hash<std::string>()(name.text());
  }
};
template <>
struct std::hash<pixledger::domain::ClaimName> {
  std::size_t operator()(const pixledger::domain::ClaimName& name) const noexcept {
    return std::hash<std::string>()(name.text());
  }
};
