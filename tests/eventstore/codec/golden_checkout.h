#pragma once

#include "domain/aggregates/event.h"
#include "tests/support/domain/sample_values.h"

// Of golden_events.h: what checkout sessions brought.
namespace pixledger::tests::golden {

using namespace domain;

struct CheckoutFrom {
  ChargeCreated created;
  StoreSettings settings;
  CustomerId customer;
  DocumentToken token;
  Timestamp recorded_at;
  Timestamp later;
};

template <class Add>
void add_checkout_events(const Add& add, const CheckoutFrom& of) {
  const auto session = parsed<CheckoutSessionId>("cmb3k9x2a0009log1s3s1n2d0");
  const auto add_to_checkout = [&](const char* file, CheckoutEvent event) {
    add(file, checkout_stream(session), std::move(event));
  };
  CheckoutSessionCreated checkout{
      .id = session,
      .project = of.created.project,
      .environment = Environment::kSandbox,
      .amount = Cents(1'990),
      .product = of.created.product,
      .quantity = 2,
      .expiration_days = 3,
      .origin_host = of.created.origin_host,
      .external_id = parsed<ExternalId>("pedido 7"),
      .success_url = parsed<PageUrl>("https://loja.example.com/obrigado?pedido=7"),
      .cancel_url = parsed<PageUrl>("https://loja.example.com/carrinho"),
      .locale = CheckoutLocale::kEn,
      .webhook_version = WebhookVersion::kV1,
      .has_channel = true,
      .expires_at = of.later,
      .metadata = Metadata::of({{parsed<MetadataKey>("pedido"), parsed<MetadataValue>("7")}})};
  add_to_checkout("CheckoutSessionCreated", checkout);
  checkout.environment = Environment::kLive;
  checkout.expiration_days.reset();
  checkout.external_id.reset();
  checkout.locale.reset();
  checkout.success_url = checkout.cancel_url = std::nullopt;
  checkout.webhook_version = WebhookVersion::kV2;
  checkout.has_channel = false;
  checkout.metadata.reset();
  add_to_checkout("CheckoutSessionCreated-least", checkout);
  add_to_checkout("CheckoutChargeAdded",
                  CheckoutChargeAdded{Environment::kSandbox, of.created.id, of.created.customer});
  add_to_checkout("CheckoutSessionCompleted", CheckoutSessionCompleted{Environment::kSandbox, of.created.id});
  add_to_checkout("CheckoutSessionCancelled", CheckoutSessionCancelled{Environment::kSandbox});
  add_to_checkout("CheckoutSessionExpired", CheckoutSessionExpired{Environment::kSandbox});
  auto of_session = of.created;
  of_session.checkout_session = session;
  add("ChargeCreated-checkout", charge_stream(of_session.id), ChargeEvent(of_session));
  const auto own = parsed<ChannelId>(session.text());
  add("ChannelAdded-checkout", channel_stream(own),
      ChannelEvent(ChannelAdded{.id = own,
                                .project = of.created.project,
                                .name = std::nullopt,
                                .url = "https://loja.example.com/checkout",
                                .events = WebhookEventSet::standard(),
                                .version = WebhookVersion::kV1,
                                .secret = {"\x01"},
                                .secret_hint = "abcd",
                                .environments = EnvironmentSet::only(Environment::kLive),
                                .checkout_session = session}));
  ChargeRefused refused{of.created.project, of.customer, FraudType::kBlocklistIp, Cents(999),
                        parsed<ProductName>("Relógio")};
  refused.customer_ip = parsed<IpAddress>("203.0.113.9");
  add("ChargeRefused-address",
      refusals_stream(of.created.project, Environment::kLive, of.token, of.recorded_at),
      RefusalEvent(std::move(refused)));
  auto shown = of.settings;
  shown.time_zone = parsed<TimeZoneName>("America/Manaus");
  shown.logo = parsed<StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA");
  shown.color = parsed<StoreColor>("#0a7f3c");
  shown.embed_origins = parsed<EmbedOrigins>("https://loja.example.com http://localhost:3000");
  shown.payer_proofs = true;
  add("StoreSettingsChanged-look", project_stream(of.created.project),
      ProjectEvent(StoreSettingsChanged{std::move(shown)}));
}

}  // namespace pixledger::tests::golden
