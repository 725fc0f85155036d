#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/text/enum_names.h"
#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/contact.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "domain/values/environment.h"
#include "domain/values/metadata.h"
#include "domain/values/names.h"

namespace pixledger::domain {

struct Address {
  std::optional<Label> street;
  std::optional<Label> street_number;
  std::optional<Label> neighborhood;
  std::optional<Label> complement;
  std::optional<Label> zip_code;  // kept as sent
  std::optional<Label> city;
  std::optional<Label> state;
  std::optional<CountryCode> country;

  static constexpr auto fields(auto with) {
    return with(field("street", &Address::street), field("streetNumber", &Address::street_number),
                field("neighborhood", &Address::neighborhood), field("complement", &Address::complement),
                field("zipCode", &Address::zip_code), field("city", &Address::city),
                field("state", &Address::state), field("country", &Address::country));
  }

  friend bool operator==(const Address&, const Address&) = default;
};

// Everything personal about a customer.
struct CustomerDetails {
  PersonName name;
  Document document;
  EmailAddress email;
  Phone phone;
  Address address;
  Metadata metadata{};

  static constexpr auto fields(auto with) {
    return with(field("name", &CustomerDetails::name), field("document", &CustomerDetails::document),
                field("email", &CustomerDetails::email), field("phone", &CustomerDetails::phone),
                field("address", &CustomerDetails::address), field("metadata", &CustomerDetails::metadata));
  }

  friend bool operator==(const CustomerDetails&, const CustomerDetails&) = default;
};

enum class BlockType : unsigned char { kManual = 1, kFraud = 2 };
inline constexpr EnumNames<BlockType::kManual, BlockType::kFraud> kBlockTypeNames{"manual", "fraud"};
constexpr std::string_view to_string(BlockType type) { return kBlockTypeNames.of(type); }
constexpr std::optional<BlockType> parse_block_type(std::string_view text) {
  return kBlockTypeNames.parse(text);
}

// Details are absent after an erasure of personal data.
struct CustomerRegistered {
  CustomerId id;
  ProjectId project;
  std::optional<CustomerDetails> details;
  Environment environment = Environment::kLive;

  static constexpr auto fields(auto with) {
    return with(field("customerId", &CustomerRegistered::id).stored_as("id").not_in_feed(),
                envelope_field("projectId", &CustomerRegistered::project),
                personal_field("details", &CustomerRegistered::details),
                field("environment", &CustomerRegistered::environment).not_in_feed());
  }
};
struct CustomerUpdated {
  std::optional<CustomerDetails> details;  // all of them, as they are from now on

  static constexpr auto fields(auto with) {
    return with(personal_field("details", &CustomerUpdated::details));
  }
};
struct CustomerBlocked {
  BlockType type;
  std::optional<Label> reason;  // personal, as all free text
  std::optional<Timestamp> expires_at;

  static constexpr auto fields(auto with) {
    return with(field("blockType", &CustomerBlocked::type),
                personal_field("reason", &CustomerBlocked::reason),
                field("expiresAt", &CustomerBlocked::expires_at).in_feed("blockExpiresAt"));
  }
};
struct CustomerUnblocked {};
// The customer's personal data is erased, and no further event concerns this customer. Their document
// registers a new customer in the same stream.
struct CustomerErased {
  CustomerId id;
  std::optional<Label> reason;  // personal, as all free text

  static constexpr auto fields(auto with) {
    return with(field("customerId", &CustomerErased::id).stored_as("id").not_in_feed(),
                personal_field("reason", &CustomerErased::reason).not_in_feed());
  }
};
using CustomerEvent =
    std::variant<CustomerRegistered, CustomerUpdated, CustomerBlocked, CustomerUnblocked, CustomerErased>;

struct CustomerBlock {
  BlockType type;
  std::optional<Label> reason;
  std::optional<Timestamp> expires_at;  // absent: permanent
  Timestamp blocked_at;

  static constexpr auto fields(auto with) {
    return with(field("blockType", &CustomerBlock::type), field("reason", &CustomerBlock::reason),
                field("expiresAt", &CustomerBlock::expires_at),
                field("blockedAt", &CustomerBlock::blocked_at));
  }
};

struct Customer {
  CustomerId id;
  ProjectId project;
  std::optional<CustomerDetails> details;
  std::optional<CustomerBlock> block;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> erased_at{};
  Environment environment = Environment::kLive;

  static constexpr auto fields(auto with) {
    return with(field("customerId", &Customer::id), field("projectId", &Customer::project),
                field("details", &Customer::details), field("block", &Customer::block),
                field("createdAt", &Customer::created_at), field("updatedAt", &Customer::updated_at),
                field("erasedAt", &Customer::erased_at), field("environment", &Customer::environment));
  }
};

// A block with an expiry ends by itself.
bool is_blocked(const Customer& customer, Timestamp now);

// The customer's details after a charge's creation. Given details win; address parts that are not given keep
// their value. So does the metadata, which a creation never gives.
CustomerDetails merged(const std::optional<CustomerDetails>& known, CustomerDetails given);

std::optional<Customer> apply(std::optional<Customer> customer, const CustomerEvent& event, Timestamp at);

// Which personal detail a free text contains: "name", "document", "e-mail address" or "phone number"; nullopt
// if it contains no such detail. One word of the name matches if it has at least three letters and is no
// connective ("dos"). Case, diacritics and separators between digits are ignored.
std::optional<std::string_view> mentioned_in(std::string_view text, const CustomerDetails& details);

}  // namespace pixledger::domain
