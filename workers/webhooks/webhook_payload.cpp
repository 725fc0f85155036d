#include "workers/webhooks/webhook_payload.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <string_view>

#include "projections/deliveries/delivery.h"

namespace pixledger::workers {
namespace {

using domain::WebhookEvent;
using domain::WebhookVersion;

struct Wording {
  std::string title;
  std::string message;
};

Wording wording_of(WebhookEvent event, domain::Cents amount) {
  const std::string reais = "R$ " + domain::to_decimal(amount);
  switch (event) {
    case WebhookEvent::kTransactionCreated:
      return {"Transaction created", "A PIX charge of " + reais + " was created and waits for its payment."};
    case WebhookEvent::kTransactionPaid:
      return {"Transaction paid", "The payment of a PIX charge of " + reais + " was confirmed."};
    case WebhookEvent::kTransactionExpired:
      return {"Transaction expired", "A PIX charge of " + reais + " expired unpaid."};
    case WebhookEvent::kTransactionRefunded:
      return {"Transaction refunded", "The payment of a PIX charge of " + reais + " was refunded."};
    case WebhookEvent::kTransactionCancelled:
      return {"Transaction cancelled", "A PIX charge of " + reais + " was cancelled."};
    case WebhookEvent::kTransactionFailed:
      // The specification's literal text.
      return {"transaction_failed", "transaction_failed"};
  }
  return {};
}

class BodyWriter {
 public:
  explicit BodyWriter(WebhookVersion version) : version_(version) {}

  std::string write(const WebhookFacts& facts) {
    begin_envelope(domain::to_string(facts.event), "transaction",
                   wording_of(facts.event, facts.charge.amount));
    write_data(facts);
    return end_envelope(facts.occurred_at);
  }

  std::string write(const WebhookTestFacts& facts) {
    begin_envelope(projections::kTestEventName, "webhook",
                   {"Webhook test", "A test of this notification channel: nothing happened."});
    writer_.StartObject();
    text("channelId", facts.channel.text());
    key("isSandbox");
    writer_.Bool(facts.is_sandbox);
    text("createdAt", domain::to_iso8601(facts.requested_at));
    writer_.EndObject();
    return end_envelope(facts.requested_at);
  }

 private:
  // Up to the data, which follow.
  void begin_envelope(std::string_view event, std::string_view type, const Wording& wording) {
    writer_.StartObject();
    text("event", event);
    if (version_ == WebhookVersion::kV2) text("apiVersion", domain::to_string(version_));
    text("type", type);
    text("title", wording.title);
    text("message", wording.message);
    key("data");
  }
  std::string end_envelope(domain::Timestamp timestamp) {
    text("timestamp", domain::to_iso8601(timestamp));
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

  void write_data(const WebhookFacts& facts) {
    const auto& charge = facts.charge;
    writer_.StartObject();
    text("transactionId", charge.id.text());
    text("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
    text("product", charge.product.text());
    write_amount(charge.amount);
    text("customerName", facts.customer ? facts.customer->name.text() : kErasedName);
    key("isSandbox");
    writer_.Bool(charge.environment == domain::Environment::kSandbox);
    text("createdAt", domain::to_iso8601(charge.created_at));
    if (facts.event == WebhookEvent::kTransactionCreated) {
      text("pixCode", charge.pix_code);
      text("expirationDate", domain::to_iso8601(charge.expires_at));
    }
    if (facts.event == WebhookEvent::kTransactionPaid && charge.payment && charge.payment->fee)
      write_fee(*charge.payment->fee);
    key("customer");
    write_customer(facts.customer);
    text("originDomain", charge.origin_host.text());
    writer_.EndObject();
  }

  void write_amount(domain::Cents amount) {
    if (version_ == WebhookVersion::kV1) return reais("amount", amount);
    key("amountCents");
    writer_.Int64(amount.value());
  }

  void write_fee(domain::Cents fee) {
    key("fee");
    writer_.StartObject();
    reais("amount", fee);
    if (version_ == WebhookVersion::kV2) {
      key("amountCents");
      writer_.Int64(fee.value());
    }
    writer_.EndObject();
  }

  void write_customer(const domain::CustomerDetails* customer) {
    writer_.StartObject();
    text("name", customer ? customer->name.text() : kErasedName);
    optional_text("email", customer ? &customer->email.text() : nullptr);
    optional_text("phone", customer ? &customer->phone.text() : nullptr);
    optional_text("document", customer ? &customer->document.text() : nullptr);
    key("documentType");
    if (customer)
      value(domain::to_string(customer->document.kind()));
    else
      writer_.Null();
    key("address");
    write_address(customer ? customer->address : domain::Address{});
    writer_.EndObject();
  }

  void write_address(const domain::Address& address) {
    writer_.StartObject();
    optional_text("street", text_of(address.street));
    optional_text("streetNumber", text_of(address.street_number));
    optional_text("neighborhood", text_of(address.neighborhood));
    optional_text("complement", text_of(address.complement));
    optional_text("zipCode", text_of(address.zip_code));
    optional_text("city", text_of(address.city));
    optional_text("state", text_of(address.state));
    optional_text("country", text_of(address.country));
    writer_.EndObject();
  }

  template <class Text>
  static const std::string* text_of(const std::optional<Text>& value) {
    return value ? &value->text() : nullptr;
  }

  void key(std::string_view name) { writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }
  void value(std::string_view text) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void text(std::string_view name, std::string_view content) {
    key(name);
    value(content);
  }
  void optional_text(std::string_view name, const std::string* content) {
    if (content) return text(name, *content);
    key(name);
    writer_.Null();
  }
  // A decimal number, written from the integer: money never is a double.
  void reais(std::string_view name, domain::Cents amount) {
    const std::string decimal = domain::to_decimal(amount);
    key(name);
    writer_.RawValue(decimal.data(), decimal.size(), rapidjson::kNumberType);
  }

  static constexpr std::string_view kErasedName = "erased";

  const WebhookVersion version_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace

std::string webhook_body(const WebhookFacts& facts, WebhookVersion version) {
  return BodyWriter(version).write(facts);
}

std::string webhook_test_body(const WebhookTestFacts& facts, WebhookVersion version) {
  return BodyWriter(version).write(facts);
}

}  // namespace pixledger::workers
