#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/internet_address.h"
#include "base/values/ip_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"

namespace pixledger::domain {

// Blocks a payer from a project's charges. Each environment has its own list.
using BlocklistValue = std::variant<IpAddress, Cidr, EmailAddress, Document>;

std::string_view type_of(const BlocklistValue& value);  // "ip", "cidr", "email", "document"
std::string text_of(const BlocklistValue& value);
std::optional<BlocklistValue> parse_blocklist_value(std::string_view type, std::string_view value);

constexpr std::size_t kBlocklistEntriesMax = 10'000;

// The value is personal data; absent once erased.
struct BlocklistEntryAdded {
  BlocklistEntryId id;
  ProjectId project;
  std::optional<BlocklistValue> value;
  std::optional<Label> reason;
  Environment environment = Environment::kLive;

  static constexpr auto fields(auto with) {
    return with(field("entryId", &BlocklistEntryAdded::id).stored_as("id"),
                envelope_field("projectId", &BlocklistEntryAdded::project),
                personal_field("value", &BlocklistEntryAdded::value),
                personal_field("reason", &BlocklistEntryAdded::reason),
                field("environment", &BlocklistEntryAdded::environment).not_in_feed());
  }
};
struct BlocklistEntryRemoved {
  BlocklistEntryId id;

  static constexpr auto fields(auto with) {
    return with(field("entryId", &BlocklistEntryRemoved::id).stored_as("id"));
  }
};
using BlocklistEvent = std::variant<BlocklistEntryAdded, BlocklistEntryRemoved>;

struct BlocklistEntry {
  BlocklistEntryId id;
  std::optional<BlocklistValue> value;
  std::optional<Label> reason;
  Timestamp created_at;
};

struct Blocklist {
  std::vector<BlocklistEntry> entries;  // in order of addition
};

// The entry with this value, or nullptr. E-mails compare without case; an IPv4-mapped address equals its IPv4
// address.
const BlocklistEntry* find_entry(const Blocklist& blocklist, const BlocklistValue& value);

// The first entry that matches this payer, or nullptr.
const BlocklistEntry* find_hit(const Blocklist& blocklist, const Document& document,
                               const EmailAddress& email, const std::optional<IpAddress>& ip);

std::optional<Blocklist> apply(std::optional<Blocklist> blocklist, const BlocklistEvent& event, Timestamp at);

// Refusals recorded per payer and day (UTC). Later ones are refused without an event.
constexpr std::uint32_t kRefusalsRecordedPerDayMax = 100;

// Why a creation was refused. Stored by number.
enum class FraudType : unsigned char {
  kBlockedCustomer = 1,
  kBlocklistIp = 2,
  kBlocklistEmail = 3,
  kBlocklistDocument = 4
};
std::string_view to_string(FraudType type);

// A creation that was refused to a blocked or listed payer. Its streams, one per payer and day, are never
// loaded by decisions.
struct ChargeRefused {
  ProjectId project;
  std::optional<CustomerId> customer;  // absent if the payer never became a customer
  FraudType type;
  Cents amount;
  ProductName product;
  Environment environment = Environment::kLive;
  std::optional<IpAddress> customer_ip{};  // personal; absent when not given or erased

  static constexpr auto fields(auto with) {
    return with(envelope_field("projectId", &ChargeRefused::project),
                field("customerId", &ChargeRefused::customer).stored_as("customer").not_in_feed(),
                field("fraudType", &ChargeRefused::type), field("amountCents", &ChargeRefused::amount),
                field("product", &ChargeRefused::product),
                field("environment", &ChargeRefused::environment).not_in_feed(),
                personal_field("customerIp", &ChargeRefused::customer_ip).not_in_feed());
  }
};
using RefusalEvent = std::variant<ChargeRefused>;

}  // namespace pixledger::domain
