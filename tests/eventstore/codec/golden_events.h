#pragma once

#include <string>
#include <vector>

#include "domain/aggregates/event.h"
#include "tests/support/domain/sample_values.h"

// One event of every type with all its fields, and, if that differs, one with the fewest. Their bytes are in
// golden/: changing a value here breaks its golden file.
namespace pixledger::tests {

struct GoldenEvent {
  std::string file;
  domain::RecordedEvent event;
};

namespace golden {

using namespace domain;

// --- payments that match no charge ---

struct PaymentFrom {
  ProjectId project;
  ConnectionId connection;
  ChargeId charge;
  EndToEndId payment;
  RefundId refund;
  Timestamp later;
};

template <class Add>
void add_payment_events(const Add& add, const PaymentFrom& of) {
  const auto add_to_payment = [&](const char* file, PaymentEvent event) {
    add(file, payment_stream(of.payment), std::move(event));
  };
  PaymentUnmatched unmatched{.end_to_end_id = of.payment,
                             .project = of.project,
                             .environment = Environment::kSandbox,
                             .connection = of.connection,
                             .amount = Cents(1'990),
                             .paid_at = of.later,
                             .txid = parsed<Txid>("pcmb3k9x2a0008log1r3f1n2d0"),
                             .reason = UnmatchedReason::kUnknownCharge};
  add_to_payment("PaymentUnmatched", unmatched);
  unmatched.environment = Environment::kLive;
  unmatched.txid.reset();
  unmatched.reason = UnmatchedReason::kNoTxid;
  add_to_payment("PaymentUnmatched-least", unmatched);
  add_to_payment("PaymentAssigned", PaymentAssigned{of.charge});
  add_to_payment("PaymentClosed", PaymentClosed{parsed<Label>("devolvido em mãos")});
  add_to_payment("PaymentClosed-least", PaymentClosed{std::nullopt});
  add_to_payment("PaymentReturnRequested", PaymentReturnRequested{of.refund, parsed<Label>("não é nosso")});
  add_to_payment("PaymentReturned", PaymentReturned{of.refund, of.later});
  add_to_payment("PaymentReturnFailed", PaymentReturnFailed{of.refund, parsed<Label>("conta encerrada")});
}

template <class Add>
void add_payment_reversal(const Add& add, const EndToEndId& payment,
                          const UnmatchedPaymentReversed& reversed) {
  add("UnmatchedPaymentReversed", payment_stream(payment), PaymentEvent(reversed));
}

// --- events of checkout sessions ---

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

// --- members of teams ---

template <class Add>
void add_team_events(const Add& add, const ProjectId& project) {
  const auto user = parsed<UserId>("cmb3k9x2a000alog1u5s2e7rx");
  const auto add_to_team = [&](const char* file, TeamEvent event) {
    add(file, team_stream(project), std::move(event));
  };
  add_to_team("MemberAdded",
              MemberAdded{.project = project, .user = user, .role = Role::kOperator, .number = 2});
  add_to_team("MemberRoleChanged", MemberRoleChanged{user, Role::kViewer});
  add_to_team("MemberRemoved", MemberRemoved{user});
  add_to_team("MemberInvited", MemberInvited{user});
}

// --- all others ---

inline ProjectId project() { return parsed<ProjectId>("cmb3k9x2a0000log1x8f2k9qa"); }
inline ChargeId charge() { return parsed<ChargeId>("cmb3k9x2a0001log1m2v7c4tz"); }
inline CustomerId customer() { return parsed<CustomerId>("cmb3k9x2a0002log1b5n0w3ye"); }
inline ConnectionId connection() { return parsed<ConnectionId>("cmb3k9x2a0003log1h6j1r8ui"); }
inline ChannelId channel() { return parsed<ChannelId>("cmb3k9x2a0004log1k7d4s0op"); }
inline BlocklistEntryId entry() { return parsed<BlocklistEntryId>("cmb3k9x2a0005log1p9g3f6as"); }
inline DeliveryId delivery() { return parsed<DeliveryId>("cmb3k9x2a0007log1d3l1v3ry"); }
inline ApiKeyId api_key() { return parsed<ApiKeyId>("0123456789abcdef01234567"); }
inline DocumentToken token() { return parsed<DocumentToken>("00112233445566778899aabbccddeeff"); }
inline EndToEndId end_to_end_id() { return parsed<EndToEndId>("E18236120202603011200s1a2b3c4d5e"); }
inline Label label(std::string_view text) { return parsed<Label>(text); }

constexpr Timestamp kRecordedAt{1'772'366'400'123};  // 2026-03-01T12:00:00.123Z
constexpr Timestamp kLater{1'772'368'200'456};       // 2026-03-01T12:30:00.456Z

inline StoreSettings settings() {
  return {label("Loja Azul"),
          parsed<PixKey>("+5511987654321"),
          label("Loja Azul Ltda"),
          label("São Paulo"),
          Cents(5'000'000),
          45,
          true,
          Cents(25),
          199,
          true};
}
inline StoreSettings least_settings() { return {label("L"), std::nullopt, label("M"), label("C")}; }

inline std::vector<Connection> connections() {
  return {{connection(), label("Pix"), "pix-direct", "Pix", Environment::kLive},
          {parsed<ConnectionId>("cmb3k9x2a0006log1z0x9c8vb"), label("Testes"), "sandbox", "Sandbox",
           Environment::kSandbox}};
}

inline Connection bank_connection() {
  return {.id = connection(),
          .alias = label("Banco"),
          .provider_id = std::string(kApiPixProvider),
          .provider_name = "Efí",
          .environment = Environment::kLive,
          .api_pix = ApiPix{.pix_key = parsed<PixKey>("caixa@loja.example.com"),
                            .code = CodeKind::kDynamic,
                            .fallback = CodeFallback::kNone,
                            .code_deadline_ms = 2'500}};
}

inline BankConfiguration configuration() {
  return {.psp = "efi",
          .base_url = "https://pix.example.com/v2",
          .token_url = "https://pix.example.com/oauth/token",
          .token_auth = TokenAuth::kBasic,
          .scopes = "cob.write cob.read pix.write pix.read",
          .client_id = "Client_Id_7f3a9c21",
          .rate = 10,
          .callback_cn = label("webhooks.pix.example.com"),
          .certificate = CertificateFacts{.subject = "CN=Loja Azul, O=Loja Azul Ltda", .ends_at = kLater},
          .secrets = {std::string("\x01\x00\xff sealed \x82", 12)}};
}

inline CustomerDetails details() {
  return {parsed<PersonName>("João da Silva"),
          parsed<Document>("52998224725"),
          parsed<EmailAddress>("Joao@example.com"),
          parsed<Phone>("5511987654321"),
          {label("Rua das Flores"), label("100-A"), label("Centro"), label("Apto 12"), label("01310-100"),
           label("São Paulo"), label("SP"), parsed<CountryCode>("BR")}};
}
inline CustomerDetails least_details() {
  return {parsed<PersonName>("J"),
          parsed<Document>("11222333000181"),
          parsed<EmailAddress>("j@e.co"),
          parsed<Phone>("1187654321"),
          {}};
}

inline Metadata metadata() {
  return *Metadata::of({{parsed<MetadataKey>("pedido.numero"), parsed<MetadataValue>("4711/ç 🙂")},
                        {parsed<MetadataKey>("Loja-1_a"), parsed<MetadataValue>("")}});
}

inline ApiKeyHash hash() {
  ApiKeyHash bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return bytes;
}

inline ChargeCreated created() {
  return {charge(),
          project(),
          Environment::kLive,
          customer(),
          connection(),
          parsed<ExternalId>("pedido 4711/ç"),
          Cents(12'345),
          parsed<ProductName>("Camiseta azul"),
          2,
          parsed<OriginHost>("loja.example.com"),
          kLater,
          "00020126580014br.gov.bcb.pix0136+551198765432152040000530398654061"
          "23.455802BR5909Loja Azul6009Sao Paulo62290525cmb3k9x2a0001log1m2v7c4tz6304ABCD",
          parsed<IpAddress>("2001:db8::1:2")};
}

inline std::vector<GoldenEvent> all() {
  std::vector<GoldenEvent> events;
  std::uint32_t version = 0;
  const auto add = [&](const char* file, StreamName stream, Event event) {
    ++version;
    // Every third has a minimal envelope.
    const bool by_worker = version % 3 == 0;
    events.push_back({file,
                      {Position(1000 + version), std::move(stream), version, kRecordedAt, project(),
                       by_worker ? "worker-expiry" : "key-" + api_key().text(),
                       by_worker ? "" : "req-7f3a9c21", std::move(event)}});
  };
  const auto add_to_charge = [&](const char* file, ChargeEvent event) {
    add(file, charge_stream(charge()), std::move(event));
  };
  const auto add_to_customer = [&](const char* file, CustomerEvent event) {
    add(file, customer_stream(project(), Environment::kLive, token()), std::move(event));
  };

  add("ProjectCreated", project_stream(project()),
      ProjectEvent(ProjectCreated{project(), settings(), connections()}));
  add("ProjectCreated-least", project_stream(project()),
      ProjectEvent(ProjectCreated{project(), least_settings(), {}}));
  add("StoreSettingsChanged", project_stream(project()), ProjectEvent(StoreSettingsChanged{settings()}));

  add("ApiKeyIssued", api_key_stream(api_key()),
      ApiKeyEvent(ApiKeyIssued{api_key(),
                               project(),
                               Environment::kSandbox,
                               hash(),
                               ScopeSet::all(),
                               true,
                               kLater,
                               {parsed<Cidr>("10.0.0.0/8"), parsed<Cidr>("2001:db8::/32")}}));
  add("ApiKeyIssued-least", api_key_stream(api_key()),
      ApiKeyEvent(ApiKeyIssued{api_key(),
                               project(),
                               Environment::kLive,
                               hash(),
                               ScopeSet::from_bits(1).value(),
                               false,
                               std::nullopt,
                               {}}));
  add("ApiKeyExpirySet", api_key_stream(api_key()), ApiKeyEvent(ApiKeyExpirySet{kLater}));
  add("ApiKeyRevoked", api_key_stream(api_key()), ApiKeyEvent(ApiKeyRevoked{}));

  add("ChannelAdded", channel_stream(channel()),
      ChannelEvent(ChannelAdded{channel(),
                                project(),
                                label("Pedidos"),
                                "https://loja.example.com/pix?a=b",
                                WebhookEventSet::standard(),
                                WebhookVersion::kV2,
                                {std::string("\x01\x00\xff sealed \x80", 12)},
                                "x9Yz"}));
  add("ChannelAdded-least", channel_stream(channel()),
      ChannelEvent(ChannelAdded{channel(),
                                project(),
                                std::nullopt,
                                "https://a.example/",
                                WebhookEventSet::from_bits(2).value(),
                                WebhookVersion::kV1,
                                {"\x01"},
                                "abcd"}));

  add("BlocklistEntryAdded", blocklist_stream(project(), Environment::kLive),
      BlocklistEvent(
          BlocklistEntryAdded{entry(), project(), parsed<Cidr>("203.0.113.0/24"), label("abuso")}));
  add("BlocklistEntryAdded-least", blocklist_stream(project(), Environment::kLive),
      BlocklistEvent(
          BlocklistEntryAdded{entry(), project(), parsed<EmailAddress>("A@b.example"), std::nullopt}));
  add("BlocklistEntryRemoved", blocklist_stream(project(), Environment::kLive),
      BlocklistEvent(BlocklistEntryRemoved{entry()}));

  add_to_customer("CustomerRegistered", CustomerRegistered{customer(), project(), details()});
  add_to_customer("CustomerRegistered-least", CustomerRegistered{customer(), project(), least_details()});
  add_to_customer("CustomerUpdated", CustomerUpdated{details()});
  add_to_customer("CustomerBlocked", CustomerBlocked{BlockType::kFraud, label("estorno indevido"), kLater});
  add_to_customer("CustomerBlocked-least", CustomerBlocked{BlockType::kManual, std::nullopt, std::nullopt});
  add_to_customer("CustomerUnblocked", CustomerUnblocked{});

  add_to_charge("ChargeCreated", created());
  auto least = created();
  least.environment = Environment::kSandbox;
  least.external_id.reset();
  least.customer_ip.reset();
  add_to_charge("ChargeCreated-least", least);
  add_to_charge("ChargePaid", ChargePaid{end_to_end_id(), Cents(12'345), kLater, Cents(148)});
  add_to_charge("ChargePaid-least", ChargePaid{end_to_end_id(), Cents(1), kLater, std::nullopt});
  add_to_charge("ChargeProcessingStarted", ChargeProcessingStarted{});
  add_to_charge("ChargeExpired", ChargeExpired{});
  add_to_charge("ChargeCancelled", ChargeCancelled{});
  add_to_charge("ChargeFailed", ChargeFailed{label("recusado pelo banco")});
  add_to_charge("ChargeFailed-least", ChargeFailed{});
  add_to_charge("ChargeRefunded", ChargeRefunded{Cents(5'000), label("devolução parcial")});
  add_to_charge("ChargeRefunded-least", ChargeRefunded{Cents(1), std::nullopt});
  add_to_charge("PaymentLeftUnapplied",
                PaymentLeftUnapplied{end_to_end_id(), Cents(12'000), kLater, PaymentFlag::kAmountMismatch});
  // A fee of zero differs from a missing fee.
  add_to_charge("UnappliedPaymentAccepted", UnappliedPaymentAccepted{end_to_end_id(), Cents(0)});
  add_to_charge("UnappliedPaymentAccepted-least", UnappliedPaymentAccepted{end_to_end_id(), std::nullopt});
  add_to_charge("UnappliedPaymentReturned", UnappliedPaymentReturned{end_to_end_id(), label("devolvido")});
  add_to_charge("UnappliedPaymentReturned-least", UnappliedPaymentReturned{end_to_end_id(), std::nullopt});

  const auto undated = StreamName::parse("refusals-" + project().text() + "-" + token().text()).value();
  add("ChargeRefused", undated,
      RefusalEvent(ChargeRefused{project(), customer(), FraudType::kBlocklistDocument, Cents(999),
                                 parsed<ProductName>("Relógio")}));
  add("ChargeRefused-least", undated,
      RefusalEvent(ChargeRefused{project(), std::nullopt, FraudType::kBlockedCustomer, Cents(1),
                                 parsed<ProductName>("R")}));
  add("ChargeRefused-dated", refusals_stream(project(), Environment::kLive, token(), kRecordedAt),
      RefusalEvent(ChargeRefused{project(), customer(), FraudType::kBlocklistIp, Cents(999),
                                 parsed<ProductName>("Relógio")}));

  // At the end, since the versions in the bytes depend on the events before.
  const auto add_to_channel = [&](const char* file, ChannelEvent event) {
    add(file, channel_stream(channel()), std::move(event));
  };
  add_to_channel("ChannelAdded-sandbox", ChannelAdded{channel(),
                                                      project(),
                                                      label("Testes"),
                                                      "https://testes.example.com/",
                                                      WebhookEventSet::from_bits(1).value(),
                                                      WebhookVersion::kV2,
                                                      {"\x01"},
                                                      "abcd",
                                                      true});
  add_to_channel("ChannelChanged",
                 ChannelChanged{label("Pedidos"), "https://loja.example.com/pix?c=d",
                                WebhookEventSet::from_bits(3).value(), WebhookVersion::kV2, true});
  add_to_channel("ChannelChanged-least",
                 ChannelChanged{std::nullopt, "https://a.example/", WebhookEventSet::from_bits(2).value(),
                                WebhookVersion::kV1, false});
  add_to_channel("ChannelDeleted", ChannelDeleted{channel(), project()});
  add_to_channel("ChannelSecretRotated",
                 ChannelSecretRotated{{std::string("\x01\x00\xff sealed \x81", 12)}, "w8Xy", kLater});
  add_to_channel("ChannelDisabled", ChannelDisabled{ChannelDisabledReason::kGone});
  add_to_channel("ChannelTestRequested", ChannelTestRequested{delivery(), Environment::kSandbox});
  add_to_channel("DeliveryRedeliveryRequested", DeliveryRedeliveryRequested{delivery(), 12});
  add_to_channel("DeliveriesRecoveryRequested", DeliveriesRecoveryRequested{kRecordedAt, kLater, 4711});
  add_to_customer("CustomerErased", CustomerErased{customer(), label("pedido do titular")});
  add_to_customer("CustomerErased-least", CustomerErased{customer(), std::nullopt});
  add("ConnectionAdded", project_stream(project()),
      ProjectEvent(ConnectionAdded{{parsed<ConnectionId>("cmb3k9x2a0007log1c4d8t2hk"), label("Balcão"),
                                    "acme", "Acme Pagamentos", Environment::kSandbox}}));
  auto reachable = settings();
  reachable.contact = label("Dúvidas? WhatsApp (11) 98765-4321");
  add("StoreSettingsChanged-contact", project_stream(project()),
      ProjectEvent(StoreSettingsChanged{std::move(reachable)}));
  add("ApiKeyIssued-named", api_key_stream(api_key()),
      ApiKeyEvent(ApiKeyIssued{.id = api_key(),
                               .project = project(),
                               .environment = Environment::kLive,
                               .hash = hash(),
                               .scopes = ScopeSet::all(),
                               .expires_at = std::nullopt,
                               .allowed_callers = {},
                               .name = parsed<ApiKeyName>("caixa da praça")}));
  auto with_metadata = created();
  with_metadata.metadata = metadata();
  add_to_charge("ChargeCreated-metadata", with_metadata);
  auto details_and_metadata = details();
  details_and_metadata.metadata = metadata();
  add_to_customer("CustomerRegistered-metadata",
                  CustomerRegistered{customer(), project(), details_and_metadata});

  add_to_channel("ChannelAdded-environments", ChannelAdded{channel(),
                                                           project(),
                                                           label("Testes"),
                                                           "https://testes.example.com/",
                                                           WebhookEventSet::from_bits(1).value(),
                                                           WebhookVersion::kV2,
                                                           {"\x01"},
                                                           "abcd",
                                                           true,
                                                           EnvironmentSet::only(Environment::kSandbox)});
  add_to_channel("ChannelChanged-environments",
                 ChannelChanged{std::nullopt, "https://a.example/", WebhookEventSet::from_bits(2).value(),
                                WebhookVersion::kV2, true, EnvironmentSet::all()});
  constexpr auto kSandbox = Environment::kSandbox;
  add("BlocklistEntryAdded-sandbox", blocklist_stream(project(), kSandbox),
      BlocklistEvent(
          BlocklistEntryAdded{entry(), project(), parsed<Cidr>("203.0.113.0/24"), label("abuso"), kSandbox}));
  add("CustomerRegistered-sandbox", customer_stream(project(), kSandbox, token()),
      CustomerEvent(CustomerRegistered{customer(), project(), details(), kSandbox}));
  add("ChargeRefused-sandbox", refusals_stream(project(), kSandbox, token(), kRecordedAt),
      RefusalEvent(ChargeRefused{project(), customer(), FraudType::kBlocklistIp, Cents(999),
                                 parsed<ProductName>("Relógio"), kSandbox}));
  add_to_channel("ChannelAdded-numbered", ChannelAdded{.id = channel(),
                                                       .project = project(),
                                                       .name = std::nullopt,
                                                       .url = "https://a.example/",
                                                       .events = WebhookEventSet::all(),
                                                       .version = WebhookVersion::kV2,
                                                       .secret = {"\x01"},
                                                       .secret_hint = "abcd",
                                                       .number = 12});
  add_to_channel(
      "DeliveriesRecoveryRequested-hastened",
      DeliveriesRecoveryRequested{.since = kRecordedAt, .until = kLater, .queued = 4711, .hastened = 42});
  add("ConnectionAdded-bank", project_stream(project()), ProjectEvent(ConnectionAdded{bank_connection()}));
  auto disabled = bank_connection();
  disabled.state = ConnectionState::kDisabled;
  add("ConnectionChanged", project_stream(project()), ProjectEvent(ConnectionChanged{disabled}));
  add("ConnectionChanged-least", project_stream(project()),
      ProjectEvent(ConnectionChanged{connections().front()}));
  add("DefaultConnectionSet", project_stream(project()),
      ProjectEvent(DefaultConnectionSet{connection(), Environment::kSandbox}));
  const auto add_to_bank = [&](const char* file, BankConnectionEvent event) {
    add(file, connection_stream(connection()), std::move(event));
  };
  add_to_bank("ConnectionConfigured", ConnectionConfigured{connection(), project(), configuration()});
  auto least_configuration = configuration();
  least_configuration.callback_cn.reset();
  least_configuration.certificate.reset();
  add_to_bank("ConnectionConfigured-least",
              ConnectionConfigured{connection(), project(), least_configuration});
  add_to_bank("CallbackRegistered", CallbackRegistered{"https://pix.loja.example.com:8443/volta"});
  add_to_bank("CallbackRemoved", CallbackRemoved{});
  auto through_bank = created();
  through_bank.through_bank = true;
  through_bank.code_awaited_until = kLater;
  through_bank.code_fallback = CodeFallback::kNone;
  add_to_charge("ChargeCreated-bank", through_bank);
  const auto refund = parsed<RefundId>("rcmb3k9x2a0008log1r3f1n2d0");
  add_to_charge("ChargeRefunded-named", ChargeRefunded{Cents(5'000), label("devolução parcial"), refund});
  add_to_charge("ChargeCodeSet", ChargeCodeSet{CodeKind::kDynamic, created().pix_code});
  add_to_charge("ChargeCancelRequested", ChargeCancelRequested{});
  add_to_charge("ChargeCancelDropped", ChargeCancelDropped{});
  add_to_charge("RefundRequested", RefundRequested{refund, Cents(5'000), label("devolução parcial")});
  add_to_charge("RefundRequested-least", RefundRequested{refund, Cents(1), std::nullopt});
  add_to_charge("RefundDone", RefundDone{refund, kLater});
  add_to_charge("RefundFailed", RefundFailed{refund});
  const auto back = parsed<ReturnId>("D18236120202603011200s1a2b3c4d5e");
  const auto med = parsed<RefundId>("MED1");
  add_to_charge("PaymentReversed", PaymentReversed{med, back, Cents(5'000), kLater});
  const auto e2e = parsed<EndToEndId>("E18236120202603011200s1a2b3c4d5e");
  add_to_charge("UnappliedPaymentReturned-bank", UnappliedPaymentReturned{e2e, std::nullopt, refund, kLater});
  add_to_charge("UnappliedReturnRequested", UnappliedReturnRequested{refund, e2e, label("pago duas vezes")});
  add_to_charge("UnappliedReturnFailed", UnappliedReturnFailed{refund, e2e, label("conta encerrada")});
  add_payment_events(add, {project(), connection(), created().id, e2e, refund, kLater});
  add_checkout_events(add, {created(), settings(), customer(), token(), kRecordedAt, kLater});
  add_to_charge("UnappliedPaymentReversed", UnappliedPaymentReversed{e2e, med, back, Cents(400), kLater});
  add_payment_reversal(add, e2e, {med, back, Cents(300), kLater});
  add_team_events(add, project());
  add("ApiKeyIssued-ending", api_key_stream(api_key()),
      ApiKeyEvent(ApiKeyIssued{.id = api_key(),
                               .project = project(),
                               .environment = Environment::kSandbox,
                               .hash = hash(),
                               .scopes = ScopeSet::all(),
                               .expires_at = std::nullopt,
                               .allowed_callers = {},
                               .last_four = parsed<ApiKeyEnd>("a1B2")}));
  add_to_charge("UnappliedPaymentAdded", UnappliedPaymentAdded{end_to_end_id(), Cents(57)});
  add_to_charge("UnappliedPaymentAdded-least", UnappliedPaymentAdded{end_to_end_id(), std::nullopt});
  add_to_charge("RefundRequested-added", RefundRequested{refund, Cents(5'000), std::nullopt, e2e});
  add_to_charge("PaymentReversed-added", PaymentReversed{med, back, Cents(5'000), kLater, e2e});
  return events;
}

}  // namespace golden

inline std::vector<GoldenEvent> golden_events() { return golden::all(); }

}  // namespace pixledger::tests
