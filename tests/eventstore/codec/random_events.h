#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "domain/aggregates/event.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

// Events with contents from anywhere in what the domain's types allow. The same seed gives the same events.
class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : generator_(seed) {}

  static constexpr std::uint64_t kTypes = 31;

  // `type` is 0 to kTypes - 1.
  domain::RecordedEvent recorded(std::uint64_t type) {
    auto project = id<domain::ProjectId>();
    auto stream = any_stream();
    auto content = event(type, project);
    return {domain::Position(below(UINT64_MAX)),
            std::move(stream),
            1 + static_cast<std::uint32_t>(below(UINT32_MAX)),
            time(),
            std::move(project),
            text(1, 40),
            coin() ? text(1, 60) : "",
            std::move(content)};
  }

 private:
  using Event = domain::Event;

  std::uint64_t below(std::uint64_t bound) { return generator_() % bound; }
  bool coin() { return below(2) == 0; }

  std::string from(std::string_view alphabet, std::size_t length) {
    std::string made(length, ' ');
    for (auto& letter : made) letter = alphabet[below(alphabet.size())];
    return made;
  }
  std::string digits(std::size_t length) { return from("0123456789", length); }
  std::string hex(std::size_t length) { return from("0123456789abcdef", length); }
  std::string letters(std::size_t length) { return from("abcdefghijklmnopqrstuvwxyz0123456789", length); }
  std::string bytes(std::size_t length) {
    std::string made(length, '\0');
    for (auto& byte : made) byte = static_cast<char>(below(256));
    return made;
  }
  // Of `min` to `max` characters, which take up to 4 bytes each.
  std::string text(std::size_t min, std::size_t max) {
    static const std::vector<std::string> kCharacters = {"a",  "Z", "0", " ", "/",  "\"",
                                                         "\\", "ç", "Ã", "€", "漢", "🙂"};
    std::string made;
    for (auto left = min + below(max - min + 1); left > 0; --left)
      made += kCharacters[below(kCharacters.size())];
    // No text of the domain is blank.
    if (!made.empty() && made.find_first_not_of(' ') == std::string::npos) made.front() = 'a';
    return made;
  }

  template <class Id>
  Id id() {
    return parsed<Id>("c" + letters(8 + below(56)));
  }
  // Also one that is refused today: it may have been recorded.
  template <class Text>
  Text recorded_text(std::size_t max) {
    return Text::parse_stored(text(1, max)).value();
  }
  domain::Label label() { return recorded_text<domain::Label>(255); }
  std::optional<domain::Label> maybe_label() { return coin() ? std::optional(label()) : std::nullopt; }
  domain::Timestamp time() {
    return domain::Timestamp(
        static_cast<std::int64_t>(below(static_cast<std::uint64_t>(domain::kLastTimestamp.millis()) + 1)));
  }
  std::optional<domain::Timestamp> maybe_time() { return coin() ? std::optional(time()) : std::nullopt; }
  domain::Cents cents() { return domain::Cents(static_cast<std::int64_t>(generator_() >> (1 + below(63)))); }
  std::optional<domain::Cents> maybe_cents() { return coin() ? std::optional(cents()) : std::nullopt; }
  domain::Environment environment() {
    return coin() ? domain::Environment::kLive : domain::Environment::kSandbox;
  }
  domain::IpAddress ip() {
    std::array<std::uint8_t, 16> address{};
    // Many zeros, for the short forms of IPv6.
    for (auto& byte : address) byte = coin() ? static_cast<std::uint8_t>(below(256)) : std::uint8_t{0};
    if (coin()) return domain::IpAddress::from_v6(address);
    return domain::IpAddress::from_v4({address[0], address[1], address[2], address[3]});
  }
  domain::Cidr cidr() {
    const auto address = ip();
    return parsed<domain::Cidr>(address.text() + "/" + std::to_string(below(address.is_v4() ? 33 : 129)));
  }
  domain::EmailAddress email() {
    return parsed<domain::EmailAddress>(letters(1 + below(30)) + "@" + letters(1 + below(30)) + ".Example");
  }
  domain::Document document() {
    return parsed<domain::Document>(coin() ? digits(11) : from("0189AZ", 12) + digits(2));
  }
  domain::DocumentToken token() { return parsed<domain::DocumentToken>(hex(32)); }
  domain::EndToEndId end_to_end_id() {
    return parsed<domain::EndToEndId>("E" + digits(8) + "202602281359" + letters(11));
  }
  domain::PixKey pix_key() {
    return *domain::PixKey::parse_stored(
        coin() ? digits(14) : hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12));
  }
  domain::BlocklistValue blocklist_value() {
    switch (below(4)) {
      case 0:
        return ip();
      case 1:
        return cidr();
      case 2:
        return email();
      default:
        return document();
    }
  }

  domain::StreamName any_stream() {
    switch (below(7)) {
      case 0:
        return domain::project_stream(id<domain::ProjectId>());
      case 1:
        return domain::api_key_stream(parsed<domain::ApiKeyId>(hex(24)));
      case 2:
        return domain::channel_stream(id<domain::ChannelId>());
      case 3:
        return domain::blocklist_stream(id<domain::ProjectId>());
      case 4:
        return domain::customer_stream(id<domain::ProjectId>(), token());
      case 5:
        return domain::charge_stream(id<domain::ChargeId>());
      default:
        return domain::refusals_stream(id<domain::ProjectId>(), token(), time());
    }
  }

  domain::StoreSettings settings() {
    return {label(),
            coin() ? std::optional(pix_key()) : std::nullopt,
            label(),
            label(),
            cents(),
            static_cast<std::int32_t>(below(INT32_MAX)),
            coin(),
            cents(),
            static_cast<std::int32_t>(below(INT32_MAX)),
            coin()};
  }
  domain::Connection connection() {
    return {id<domain::ConnectionId>(), label(), text(0, 30), text(0, 30), environment()};
  }
  std::vector<domain::Connection> connections() {
    std::vector<domain::Connection> made;
    for (auto left = below(5); left > 0; --left) made.push_back(connection());
    return made;
  }
  std::optional<domain::CustomerDetails> details() {
    if (below(4) == 0) return std::nullopt;
    return domain::CustomerDetails{
        recorded_text<domain::PersonName>(255),
        document(),
        email(),
        parsed<domain::Phone>(digits(10 + below(6))),
        {maybe_label(), maybe_label(), maybe_label(), maybe_label(), maybe_label(), maybe_label(),
         maybe_label(), coin() ? std::optional(parsed<domain::CountryCode>("PT")) : std::nullopt}};
  }
  domain::ApiKeyIssued api_key_issued(const domain::ProjectId& project) {
    domain::ApiKeyHash hash{};
    for (auto& byte : hash) byte = static_cast<std::uint8_t>(below(256));
    std::vector<domain::Cidr> callers;
    for (auto left = below(4); left > 0; --left) callers.push_back(cidr());
    return {parsed<domain::ApiKeyId>(hex(24)),
            project,
            environment(),
            hash,
            domain::ScopeSet::from_bits(1 + static_cast<std::uint32_t>(below(domain::ScopeSet::kAllBits)))
                .value(),
            coin(),
            maybe_time(),
            callers};
  }
  domain::ChannelAdded channel_added(const domain::ProjectId& project) {
    const auto bits = 1 + static_cast<std::uint32_t>(below(domain::WebhookEventSet::kAllBits));
    return {id<domain::ChannelId>(),
            project,
            maybe_label(),
            text(0, 200),
            domain::WebhookEventSet::from_bits(bits).value(),
            coin() ? domain::WebhookVersion::kV1 : domain::WebhookVersion::kV2,
            {bytes(below(100))},
            text(0, 4),
            coin()};
  }
  domain::ChannelChanged channel_changed() {
    const auto bits = 1 + static_cast<std::uint32_t>(below(domain::WebhookEventSet::kAllBits));
    return {maybe_label(), text(0, 200), domain::WebhookEventSet::from_bits(bits).value(),
            coin() ? domain::WebhookVersion::kV1 : domain::WebhookVersion::kV2, coin()};
  }
  domain::ChargeCreated charge_created(const domain::ProjectId& project) {
    return {id<domain::ChargeId>(),
            project,
            environment(),
            id<domain::CustomerId>(),
            id<domain::ConnectionId>(),
            coin() ? std::optional(recorded_text<domain::ExternalId>(128)) : std::nullopt,
            cents(),
            recorded_text<domain::ProductName>(255),
            static_cast<std::uint32_t>(below(UINT32_MAX)),
            parsed<domain::OriginHost>(letters(5) + ".example"),
            time(),
            text(0, 300),
            coin() ? std::optional(ip()) : std::nullopt};
  }
  domain::ChargeRefused charge_refused(const domain::ProjectId& project) {
    return {project, coin() ? std::optional(id<domain::CustomerId>()) : std::nullopt,
            static_cast<domain::FraudType>(1 + below(4)), cents(), recorded_text<domain::ProductName>(255)};
  }

  Event event(std::uint64_t type, const domain::ProjectId& project) {
    using namespace domain;
    switch (type) {
      case 0:
        return ProjectEvent(ProjectCreated{id<ProjectId>(), settings(), connections()});
      case 1:
        return ProjectEvent(StoreSettingsChanged{settings()});
      case 2:
        return ApiKeyEvent(api_key_issued(project));
      case 3:
        return ApiKeyEvent(ApiKeyExpirySet{time()});
      case 4:
        return ApiKeyEvent(ApiKeyRevoked{});
      case 5:
        return ChannelEvent(channel_added(project));
      case 6:
        return BlocklistEvent(BlocklistEntryAdded{id<BlocklistEntryId>(), project,
                                                  coin() ? std::optional(blocklist_value()) : std::nullopt,
                                                  maybe_label()});
      case 7:
        return BlocklistEvent(BlocklistEntryRemoved{id<BlocklistEntryId>()});
      case 8:
        return CustomerEvent(CustomerRegistered{id<CustomerId>(), project, details()});
      case 9:
        return CustomerEvent(CustomerUpdated{details()});
      case 10:
        return CustomerEvent(
            CustomerBlocked{coin() ? BlockType::kManual : BlockType::kFraud, maybe_label(), maybe_time()});
      case 11:
        return CustomerEvent(CustomerUnblocked{});
      case 12:
        return ChargeEvent(charge_created(project));
      case 13:
        return ChargeEvent(ChargePaid{end_to_end_id(), cents(), time(), maybe_cents()});
      case 14:
        return ChargeEvent(ChargeProcessingStarted{});
      case 15:
        return ChargeEvent(ChargeExpired{});
      case 16:
        return ChargeEvent(ChargeCancelled{});
      case 17:
        return ChargeEvent(ChargeFailed{maybe_label()});
      case 18:
        return ChargeEvent(ChargeRefunded{cents(), maybe_label()});
      case 19:
        return ChargeEvent(
            PaymentLeftUnapplied{end_to_end_id(), cents(), time(), static_cast<PaymentFlag>(1 + below(4))});
      case 20:
        return ChargeEvent(UnappliedPaymentAccepted{end_to_end_id(), maybe_cents()});
      case 21:
        return ChargeEvent(UnappliedPaymentReturned{end_to_end_id(), maybe_label()});
      case 22:
        return ChannelEvent(channel_changed());
      case 23:
        return ChannelEvent(ChannelDeleted{id<ChannelId>(), project});
      case 24:
        return ChannelEvent(ChannelSecretRotated{{bytes(below(100))}, text(0, 4), time()});
      case 25:
        return ChannelEvent(
            ChannelDisabled{coin() ? ChannelDisabledReason::kGone : ChannelDisabledReason::kFailing});
      case 26:
        return ChannelEvent(ChannelTestRequested{id<DeliveryId>(), environment()});
      case 27:
        return ChannelEvent(
            DeliveryRedeliveryRequested{id<DeliveryId>(), static_cast<std::uint32_t>(below(UINT32_MAX))});
      case 28:
        return ChannelEvent(DeliveriesRecoveryRequested{time(), time(), below(UINT64_MAX)});
      case 29:
        return CustomerEvent(CustomerErased{id<CustomerId>(), maybe_label()});
      case 30:
        return ProjectEvent(ConnectionAdded{connection()});
      default:
        return RefusalEvent(charge_refused(project));
    }
  }

  std::mt19937_64 generator_;
};

}  // namespace pixledger::tests
