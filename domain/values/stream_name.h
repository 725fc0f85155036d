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

// What a stream holds the events of. The prefix of its name says so: "charge-<id>".
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

// The name of the stream of one aggregate. Names never contain personal data: a customer's document enters
// only as a keyed hash (see DocumentToken). The streams of customers, refusals and blocklists belong to an
// environment: those of the sandbox have "sandbox-" behind their project ("-sandbox" when nothing follows).
class StreamName {
 public:
  // Accepts what the functions below make; anything else is nullopt.
  static std::optional<StreamName> parse(std::string_view text);

  const std::string& text() const { return text_; }
  StreamKind kind() const { return kind_; }
  // What follows the prefix: of "charge-abc", "abc".
  std::string_view key() const;
  // Which environment's it is; nullopt where the name does not say it.
  std::optional<Environment> environment() const;
  // Of a customer's or refusals' stream what names the payer: the key, but for a day at its end.
  std::string_view payer() const;
  // The same in the other environment; of one that belongs to none, itself.
  StreamName in_other_environment() const;

  friend bool operator==(const StreamName& a, const StreamName& b) { return a.text_ == b.text_; }
  friend auto operator<=>(const StreamName& a, const StreamName& b) { return a.text_ <=> b.text_; }

 private:
  friend StreamName make_stream_name(StreamKind, std::string_view);
  StreamName(StreamKind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  StreamKind kind_;
  std::string text_;
};

// 32 lower-case hex characters: an HMAC of project and document under a key of the keyring. Customers are one
// per document, project and environment by construction, since it names their stream.
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
// Of what a connection to a bank is configured with; that there is one stands in its project's.
StreamName connection_stream(const ConnectionId& connection);
StreamName checkout_stream(const CheckoutSessionId& session);
// Of who may sign in for the project.
StreamName team_stream(const ProjectId& project);
// Of the day, in UTC, that the moment lies in.
StreamName refusals_stream(const ProjectId& project, Environment environment, const DocumentToken& token,
                           Timestamp moment);
// Of the customer whom that document is of, or may yet be: of a stream of refusals.
StreamName customer_stream_of(const StreamName& refusals);

// A unique name that one stream holds for ever, stated by an event and written in its commit.
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
