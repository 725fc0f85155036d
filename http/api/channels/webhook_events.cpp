#include <array>

#include "base/platform/json.h"
#include "domain/aggregates/channel.h"
#include "http/api/endpoints.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

using domain::WebhookEvent;

// Fields of a payload's data in v2 that not every event has.
using Fields = std::array<std::string_view, 4>;

struct Entry {
  WebhookEvent event;
  std::string_view description;
  Fields extra_fields;  // empty texts: none
};

constexpr std::array<Entry, domain::kWebhookEventCount> kEntries = {{
    {WebhookEvent::kTransactionCreated, "A PIX charge was created.", {"pixCode", "expirationDate"}},
    {WebhookEvent::kTransactionPaid,
     "A PIX payment was confirmed. fee is there when the store has one.",
     {"fee"}},
    {WebhookEvent::kTransactionExpired, "A transaction expired unpaid.", {}},
    {WebhookEvent::kTransactionRefunded,
     "The whole amount of a transaction was refunded.",
     {"refundAmountCents"}},
    {WebhookEvent::kTransactionCancelled, "A transaction was cancelled before it was paid.", {}},
    {WebhookEvent::kTransactionFailed, "A transaction failed during processing.", {}},
    {WebhookEvent::kTransactionPartiallyRefunded,
     "A part of a payment was refunded; the transaction stays paid.",
     {"refundAmountCents"}},
    {WebhookEvent::kPaymentUnapplied,
     "Money arrived that does not fit its transaction, and was kept aside.",
     {"payment"}},
    {WebhookEvent::kPaymentSettled,
     "Money that had been kept aside pays its transaction after all, or went back.",
     {"payment", "settlement"}},
    {WebhookEvent::kStoreChanged,
     "Settings of the store were changed.",
     {"storeId", "changed", "before", "after"}},
}};

void write_entry(Json& json, const Entry& entry) {
  json.begin_object();
  json.field("event", entry.event);
  json.field("description", entry.description);
  json.field("payloadType", entry.event == WebhookEvent::kStoreChanged ? "store" : "transaction");
  json.key("extraFields").begin_array();
  for (const auto field : entry.extra_fields) {
    if (!field.empty()) json.value(field);
  }
  json.end_array().end_object();
}

}  // namespace

Reply list_webhook_events(const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& entry : kEntries) write_entry(json, entry);
  json.end_array().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
