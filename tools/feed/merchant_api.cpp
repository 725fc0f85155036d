#include "tools/feed/merchant_api.h"

#include <simdjson.h>

#include "base/process/options.h"
#include "tools/audit/receipt_file.h"

namespace pixledger::tools {
namespace {

using simdjson::dom::element;

[[noreturn]] void refuse_field(std::string_view name) {
  throw std::runtime_error("the API's answer is not understood: its " + std::string(name) +
                           " is not what this release knows");
}

element at(const element& object, std::string_view name) {
  element found;
  if (object.at_key(name).get(found) != simdjson::SUCCESS) refuse_field(name);
  return found;
}

std::string_view text_at(const element& object, std::string_view name) {
  std::string_view text;
  if (at(object, name).get(text) != simdjson::SUCCESS) refuse_field(name);
  return text;
}

// Absent too where it is null.
std::optional<std::string_view> find_text(const element& object, std::string_view name) {
  element found;
  if (object.at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return text_at(object, name);
}

template <class Value>
Value parse(std::string_view text, std::string_view name) {
  auto value = Value::parse(text);
  if (!value) refuse_field(name);
  return *std::move(value);
}
template <class Value>
std::optional<Value> find(const element& object, std::string_view name) {
  const auto text = find_text(object, name);
  return text ? std::optional(parse<Value>(*text, name)) : std::nullopt;
}

FeedItem item_of(const element& item) {
  const auto occurred_at = parse_iso8601(text_at(item, "occurredAt"));
  if (!occurred_at) refuse_field("occurredAt");
  return {.id = std::string(text_at(item, "id")),
          .event = std::string(text_at(item, "event")),
          .charge = find<domain::ChargeId>(item, "transactionId"),
          .occurred_at = *occurred_at};
}

domain::CustomerDetails details_of(const element& customer) {
  domain::CustomerDetails details{
      .name = parse<domain::PersonName>(text_at(customer, "name"), "name"),
      .document = parse<domain::Document>(text_at(customer, "document"), "document"),
      .email = parse<EmailAddress>(text_at(customer, "email"), "email"),
      .phone = parse<domain::Phone>(text_at(customer, "phone"), "phone"),
      .address = {}};
  auto& address = details.address;
  address.street = find<domain::Label>(customer, "street");
  address.street_number = find<domain::Label>(customer, "streetNumber");
  address.neighborhood = find<domain::Label>(customer, "neighborhood");
  address.complement = find<domain::Label>(customer, "complement");
  address.zip_code = find<domain::Label>(customer, "zipCode");
  address.city = find<domain::Label>(customer, "city");
  address.state = find<domain::Label>(customer, "state");
  address.country = find<domain::CountryCode>(customer, "country");
  return details;
}

element parsed(simdjson::dom::parser& parser, const std::string& body) {
  element document;
  if (parser.parse(body).get(document) != simdjson::SUCCESS) refuse_field("JSON");
  return document;
}

}  // namespace

void MerchantApi::check_scopes() {
  client_.get("/api/v1/transactions?limit=1");
  client_.get("/api/v1/customers?limit=1");
}

TimeZone MerchantApi::zone() {
  simdjson::dom::parser parser;
  const auto body = client_.get("/api/v1/transactions?limit=1");
  const std::string name(text_at(at(parsed(parser, body), "meta"), "timezone"));
  const auto zone = TimeZone::parse(name);
  if (!zone)
    throw UsageError("this machine's time zone database does not have " + name +
                     ", the store's zone: install tzdata, or give --since a time");
  return *zone;
}

FeedPage MerchantApi::events(const std::string& after, std::size_t limit) {
  const auto body = client_.get("/api/v1/events?wait=1&limit=" + std::to_string(limit) +
                                (after.empty() ? "" : "&after=" + after));
  simdjson::dom::parser parser;
  const auto document = parsed(parser, body);
  FeedPage page;
  simdjson::dom::array items;
  if (at(document, "data").get(items) != simdjson::SUCCESS) refuse_field("data");
  for (const element item : items) page.items.push_back(item_of(item));
  page.next = text_at(at(document, "meta"), "next");
  return page;
}

std::vector<domain::RecordedEvent> MerchantApi::charge_events(const domain::ChargeId& id) {
  return events_of_receipt(client_.get("/api/v1/transactions/" + id.text() + "/receipt"));
}

std::optional<domain::CustomerDetails> MerchantApi::customer(const domain::CustomerId& id) {
  const auto body = client_.get("/api/v1/customers/" + id.text());
  simdjson::dom::parser parser;
  const auto customer = at(parsed(parser, body), "data");
  if (find_text(customer, "erasedAt")) return std::nullopt;
  return details_of(customer);
}

}  // namespace pixledger::tools
