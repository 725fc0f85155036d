#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/numbers.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

// Events with random contents, from all that the domain's types allow. The same seed gives the same events.
class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : generator_(seed) {}

  static constexpr std::uint64_t kTypes = domain::kEventKindCount;

  // `type` is 0 to kTypes - 1.
  domain::RecordedEvent recorded(std::uint64_t type) {
    auto project = id<domain::ProjectId>();
    auto stream = any_stream();
    auto content = event(type, project);
    return {.position = Position(below(UINT64_MAX)),
            .stream = std::move(stream),
            .version = 1 + static_cast<std::uint32_t>(below(UINT32_MAX)),
            .recorded_at = any(Wanted<Timestamp>()),
            .project = std::move(project),
            .actor = text(1, 40),
            .request_id = coin() ? text(1, 60) : "",
            .event = std::move(content)};
  }

 private:
  template <class T>
  struct Wanted {};

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
  // `min` to `max` characters of up to 4 bytes each.
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

  // A random value of a field's type.
  template <class T>
  T any(Wanted<T> wanted) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(below(std::numeric_limits<T>::max()));
    else if constexpr (std::is_enum_v<T>)
      return enumerator<T>();
    else if constexpr (domain::Described<T>)
      return made_of_fields<T>(id<domain::ProjectId>());
    else if constexpr (requires { T::from_bits(1U); })
      return T::from_bits(1 + static_cast<std::uint32_t>(below(T::kAllBits))).value();
    else if constexpr (requires { T::parse_stored(""); })
      return recorded_text(wanted);
    else
      return id<T>();
  }
  template <class T>
  std::optional<T> any(Wanted<std::optional<T>>) {
    return coin() ? std::optional(any(Wanted<T>())) : std::nullopt;
  }
  template <class T>
  std::vector<T> any(Wanted<std::vector<T>>) {
    std::vector<T> made;
    for (auto left = below(5); left > 0; --left) made.push_back(any(Wanted<T>()));
    return made;
  }
  bool any(Wanted<bool>) { return coin(); }
  std::string any(Wanted<std::string>) { return text(0, 300); }
  Timestamp any(Wanted<Timestamp>) {
    return Timestamp(
        static_cast<std::int64_t>(below(static_cast<std::uint64_t>(kLastTimestamp.millis()) + 1)));
  }
  domain::Cents any(Wanted<domain::Cents>) {
    return domain::Cents(static_cast<std::int64_t>(generator_() >> (1 + below(63))));
  }
  domain::SealedSecret any(Wanted<domain::SealedSecret>) { return {bytes(below(100))}; }
  domain::ApiKeyHash any(Wanted<domain::ApiKeyHash>) {
    domain::ApiKeyHash hash{};
    for (auto& byte : hash) byte = static_cast<std::uint8_t>(below(256));
    return hash;
  }
  domain::ApiKeyId any(Wanted<domain::ApiKeyId>) { return parsed<domain::ApiKeyId>(hex(24)); }
  OriginHost any(Wanted<OriginHost>) { return parsed<OriginHost>(letters(5) + ".example"); }
  domain::Phone any(Wanted<domain::Phone>) { return parsed<domain::Phone>(digits(10 + below(6))); }
  domain::CountryCode any(Wanted<domain::CountryCode>) { return parsed<domain::CountryCode>("PT"); }
  IpAddress any(Wanted<IpAddress>) {
    std::array<std::uint8_t, 16> address{};
    // Many zeros, for the short forms of IPv6.
    for (auto& byte : address) byte = coin() ? static_cast<std::uint8_t>(below(256)) : std::uint8_t{0};
    if (coin()) return IpAddress::from_v6(address);
    return IpAddress::from_v4({address[0], address[1], address[2], address[3]});
  }
  Cidr any(Wanted<Cidr>) {
    const auto address = any(Wanted<IpAddress>());
    return parsed<Cidr>(address.text() + "/" + std::to_string(below(address.is_v4() ? 33 : 129)));
  }
  EmailAddress any(Wanted<EmailAddress>) {
    return parsed<EmailAddress>(letters(1 + below(30)) + "@" + letters(1 + below(30)) + ".Example");
  }
  domain::Document any(Wanted<domain::Document>) {
    return parsed<domain::Document>(coin() ? digits(11) : from("0189AZ", 12) + digits(2));
  }
  domain::EndToEndId any(Wanted<domain::EndToEndId>) {
    return parsed<domain::EndToEndId>("E" + digits(8) + "202602281359" + letters(11));
  }
  domain::Txid any(Wanted<domain::Txid>) { return parsed<domain::Txid>(letters(1 + below(35))); }
  domain::RefundId any(Wanted<domain::RefundId>) { return parsed<domain::RefundId>(letters(1 + below(35))); }
  domain::ReturnId any(Wanted<domain::ReturnId>) { return parsed<domain::ReturnId>(letters(32)); }
  PageUrl any(Wanted<PageUrl>) {
    return parsed<PageUrl>((coin() ? "https://" : "http://") + letters(1 + below(30)) + ".example/" +
                           letters(below(50)));
  }
  domain::TimeZoneName any(Wanted<domain::TimeZoneName>) {
    return parsed<domain::TimeZoneName>("America/" + letters(1 + below(30)));
  }
  domain::StoreColor any(Wanted<domain::StoreColor>) { return parsed<domain::StoreColor>("#" + hex(6)); }
  domain::StoreLogo any(Wanted<domain::StoreLogo>) {
    return parsed<domain::StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUg" +
                                     from("ABCDwxyz0189+/", 2 + 4 * below(50)));
  }
  domain::EmbedOrigins any(Wanted<domain::EmbedOrigins>) {
    return parsed<domain::EmbedOrigins>("https://" + letters(5) + ".example https://" + letters(6) +
                                        ".example");
  }
  domain::PixKey any(Wanted<domain::PixKey>) {
    return *domain::PixKey::parse_stored(
        coin() ? digits(14) : hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12));
  }
  domain::Metadata any(Wanted<domain::Metadata>) {
    std::vector<domain::MetadataEntry> entries;
    const auto count = 1 + below(domain::Metadata::kEntriesMax);
    while (entries.size() < count)
      entries.push_back({parsed<domain::MetadataKey>(letters(below(36)) + "_" + digits(2) + "." +
                                                     std::to_string(entries.size() % 10)),
                         parsed<domain::MetadataValue>(text(0, 500))});
    // Two entries may have the same key.
    return domain::Metadata::of(entries).value_or(*domain::Metadata::of({entries.front()}));
  }
  domain::BlocklistValue any(Wanted<domain::BlocklistValue>) {
    switch (below(4)) {
      case 0:
        return any(Wanted<IpAddress>());
      case 1:
        return any(Wanted<Cidr>());
      case 2:
        return any(Wanted<EmailAddress>());
      default:
        return any(Wanted<domain::Document>());
    }
  }
  // Includes texts that are refused today, since earlier releases may have recorded them.
  template <std::size_t Min, std::size_t Max, class Tag, WebAddress Address>
  BoundedText<Min, Max, Tag, Address> recorded_text(Wanted<BoundedText<Min, Max, Tag, Address>>) {
    return BoundedText<Min, Max, Tag, Address>::parse_stored(text(Min, Max)).value();
  }
  template <class Enum>
  Enum enumerator() {
    for (;;)
      if (const auto value = eventstore::known<Enum>(static_cast<std::uint8_t>(below(8)))) return *value;
  }
  template <class T>
  T made_of_fields(const domain::ProjectId& project) {
    return domain::with_fields<T>([&](const auto&... fields) { return T{any_of(fields, project)...}; });
  }
  template <class Field>
  typename Field::Value any_of(const Field&, const domain::ProjectId& project) {
    if constexpr (Field::kKind == domain::FieldKind::kEnvelope)
      return project;
    else
      return any(Wanted<typename Field::Value>());
  }

  domain::DocumentToken token() { return parsed<domain::DocumentToken>(hex(32)); }
  domain::StreamName any_stream() {
    switch (below(11)) {
      case 0:
        return domain::project_stream(id<domain::ProjectId>());
      case 1:
        return domain::api_key_stream(any(Wanted<domain::ApiKeyId>()));
      case 2:
        return domain::channel_stream(id<domain::ChannelId>());
      case 3:
        return domain::blocklist_stream(id<domain::ProjectId>(), enumerator<domain::Environment>());
      case 4:
        return domain::customer_stream(id<domain::ProjectId>(), enumerator<domain::Environment>(), token());
      case 5:
        return domain::charge_stream(id<domain::ChargeId>());
      case 6:
        return domain::connection_stream(id<domain::ConnectionId>());
      case 7:
        return domain::payment_stream(any(Wanted<domain::EndToEndId>()));
      case 8:
        return domain::checkout_stream(id<domain::CheckoutSessionId>());
      case 9:
        return domain::team_stream(id<domain::ProjectId>());
      default:
        return domain::refusals_stream(id<domain::ProjectId>(), enumerator<domain::Environment>(), token(),
                                       any(Wanted<Timestamp>()));
    }
  }

  domain::Event event(std::uint64_t type, const domain::ProjectId& project) {
    std::optional<domain::Event> made;
    std::uint64_t next = 0;
    domain::for_each_event_kind([&]<class Event>() {
      if (next++ == type) made.emplace(made_of_fields<Event>(project));
    });
    return made.value();
  }

  std::mt19937_64 generator_;
};

}  // namespace pixledger::tests
