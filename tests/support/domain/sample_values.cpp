#include "tests/support/domain/sample_values.h"

#include <string>

namespace pixledger::tests {

using namespace domain;

namespace {

// `number` with leading zeros, at the end of `text`.
std::string numbered(std::string text, unsigned number) {
  const auto digits = std::to_string(number);
  return text.replace(text.size() - digits.size(), digits.size(), digits);
}

}  // namespace

ProjectId sample_project_id() { return parsed<ProjectId>("cproject00000000000000001"); }
ProjectId other_project_id() { return parsed<ProjectId>("cproject00000000000000002"); }
ChargeId sample_charge_id() { return parsed<ChargeId>("ccharge000000000000000001"); }
CustomerId sample_customer_id() { return parsed<CustomerId>("ccustomer0000000000000001"); }
ConnectionId sample_connection_id(Environment environment) {
  return parsed<ConnectionId>(environment == Environment::kLive ? "cconnection00000000000pix"
                                                                : "cconnection000000sandbox1");
}
AddConnection sample_connection(std::string_view alias, Environment environment) {
  return {sample_project_id(), environment, parsed<Label>(alias), parsed<Label>("acme-1"),
          parsed<Label>("Acme Pagamentos")};
}
ConnectionId sample_bank_id(unsigned number) {
  return parsed<ConnectionId>(numbered("cconnection00000000bank00", number));
}
BankConfiguration sample_configuration() {
  return {.psp = "efi",
          .base_url = "https://pix.example.com/v2",
          .token_url = "https://pix.example.com/oauth/token",
          .token_auth = TokenAuth::kBasic,
          .scopes = "cob.write cob.read pix.read",
          .client_id = "client-1",
          .rate = 25,
          .callback_cn = parsed<Label>("webhooks.pix.example.com"),
          .certificate = CertificateFacts{.subject = "CN=loja", .ends_at = kStart.plus_millis(365 * kDayMs)},
          .secrets = {"sealed secrets"}};
}
AddBankConnection sample_bank_connection(std::string_view alias, Environment environment) {
  return {.id = sample_bank_id(),
          .project = sample_project_id(),
          .environment = environment,
          .alias = parsed<Label>(alias),
          .provider_name = parsed<Label>("Efí"),
          .api_pix = {.pix_key = parsed<PixKey>("caixa@example.com"),
                      .code = CodeKind::kDynamic,
                      .fallback = CodeFallback::kStatic,
                      .code_deadline_ms = 3'000},
          .configuration = sample_configuration()};
}
ChannelId sample_channel_id(unsigned number) {
  return parsed<ChannelId>(numbered("cchannel00000000000000000", number));
}
BlocklistEntryId sample_entry_id(unsigned number) {
  return parsed<BlocklistEntryId>(numbered("centry0000000000000000000", number));
}
ApiKeyId sample_api_key_id(unsigned number) {
  return parsed<ApiKeyId>(numbered("abcdef000000000000000000", number));
}
DocumentToken sample_token(unsigned number) {
  return parsed<DocumentToken>(numbered("abcdef00000000000000000000000000", number));
}
EndToEndId sample_end_to_end_id(unsigned number) {
  return parsed<EndToEndId>(numbered("E12345678202603011200abcdefghijk", number));
}

CheckoutSessionId sample_checkout_id() { return parsed<CheckoutSessionId>("ccheckout0000000000000001"); }

StoreSettings sample_settings() {
  StoreSettings settings{parsed<Label>("Loja"), parsed<PixKey>("loja@example.com"),
                         parsed<Label>("Loja do João"), parsed<Label>("São Paulo")};
  settings.fee_fixed = Cents(10);
  settings.fee_basis_points = 100;
  return settings;
}

Address sample_address() {
  return {parsed<Label>("Rua das Flores"),
          parsed<Label>("100"),
          parsed<Label>("Centro"),
          parsed<Label>("Apto 1"),
          parsed<Label>("01310-100"),
          parsed<Label>("São Paulo"),
          parsed<Label>("SP"),
          parsed<CountryCode>("BR")};
}

StoreSettingsChange change_to(const StoreSettings& settings) {
  return {settings.name,
          settings.pix_key,
          settings.merchant_name,
          settings.merchant_city,
          settings.max_transaction_amount,
          settings.pix_expiration_minutes,
          settings.verify_documents,
          settings.fee_fixed,
          settings.fee_basis_points,
          settings.dev_mode,
          settings.contact,
          settings.time_zone,
          settings.logo,
          settings.color,
          settings.embed_origins,
          settings.payer_proofs};
}

CustomerDetails sample_details() {
  return {parsed<PersonName>("Maria da Silva"), parsed<Document>("52998224725"),
          parsed<EmailAddress>("Maria@example.com"), parsed<Phone>("11987654321"), sample_address()};
}

ProjectCreated sample_project() {
  return {sample_project_id(),
          sample_settings(),
          {{sample_connection_id(Environment::kLive), parsed<Label>("pix"), "pix", "PIX BR Code",
            Environment::kLive},
           {sample_connection_id(Environment::kSandbox), parsed<Label>("sandbox"), "sandbox", "Sandbox",
            Environment::kSandbox}}};
}

CustomerRegistered sample_customer(Environment environment) {
  return {sample_customer_id(), sample_project_id(), sample_details(), environment};
}

ChargeCreated sample_charge(Environment environment) {
  return {sample_charge_id(),
          sample_project_id(),
          environment,
          sample_customer_id(),
          sample_connection_id(environment),
          std::nullopt,
          Cents(10'000),
          parsed<ProductName>("Camiseta"),
          1,
          parsed<OriginHost>("loja.example.com"),
          kStart.plus_millis(30 * kMinuteMs),
          "00020126",
          std::nullopt};
}

ApiKeyIssued sample_api_key() {
  ApiKeyHash hash{};
  hash.fill(7);
  return {sample_api_key_id(), sample_project_id(),
          Environment::kLive,  hash,
          ScopeSet::all(),     false,
          std::nullopt,        {},
          std::nullopt,        parsed<ApiKeyEnd>("a1B2")};
}

CreateCharge sample_creation(Environment environment) {
  auto details = sample_details();
  details.address = Address{};
  return {sample_project_id(),
          environment,
          sample_token(),
          std::move(details),
          Cents(10'000),
          parsed<ProductName>("Camiseta"),
          1,
          std::nullopt,
          parsed<OriginHost>("loja.example.com"),
          std::nullopt,
          std::nullopt,
          std::nullopt};
}

CreateCheckoutSession sample_checkout() {
  return {.id = sample_checkout_id(),
          .project = sample_project_id(),
          .environment = Environment::kSandbox,
          .amount = Cents(10'000),
          .product = parsed<ProductName>("Camiseta"),
          .origin_host = parsed<OriginHost>("loja.example.com")};
}

AddCheckoutCharge sample_checkout_charge() {
  const auto creation = sample_creation();
  return {.session = sample_checkout_id(),
          .project = sample_project_id(),
          .environment = Environment::kSandbox,
          .payer = {creation.token, creation.customer},
          .customer_ip = std::nullopt,
          .newest = std::nullopt};
}

AddChannel sample_channel(unsigned number) {
  return {.id = sample_channel_id(number),
          .project = sample_project_id(),
          .name = parsed<Label>("ERP"),
          .url = "https://erp.example.com/hooks",
          .events = WebhookEventSet::standard(),
          .version = WebhookVersion::kV2,
          .secret = {"sealed"},
          .secret_hint = "abcd",
          .channels = number - 1,
          .number = number};
}

ReportPayment sample_report(unsigned payment, std::int64_t cents) {
  return {sample_project_id(), sample_charge_id(), sample_end_to_end_id(payment), Cents(cents), std::nullopt};
}

Caller merchant() { return {sample_project_id(), false}; }
Caller merchant_sandbox() { return {sample_project_id(), true}; }
Caller other_merchant() { return {other_project_id(), false}; }
Caller an_operator() { return {}; }

StreamName sample_customer_stream(Environment environment) {
  return customer_stream(sample_project_id(), environment, sample_token());
}

NewEvent on_project(ProjectEvent event) {
  return {project_stream(sample_project_id()), sample_project_id(), std::move(event)};
}
NewEvent on_customer(CustomerEvent event) {
  return {sample_customer_stream(), sample_project_id(), std::move(event)};
}
NewEvent on_charge(ChargeEvent event) {
  return {charge_stream(sample_charge_id()), sample_project_id(), std::move(event)};
}
NewEvent on_blocklist(BlocklistEvent event) {
  return {blocklist_stream(sample_project_id(), Environment::kSandbox), sample_project_id(),
          std::move(event)};
}
NewEvent on_api_key(ApiKeyEvent event, unsigned number) {
  return {api_key_stream(sample_api_key_id(number)), sample_project_id(), std::move(event)};
}
NewEvent on_channel(ChannelEvent event, unsigned number) {
  return {channel_stream(sample_channel_id(number)), sample_project_id(), std::move(event)};
}
NewEvent on_bank(BankConnectionEvent event, unsigned number) {
  return {connection_stream(sample_bank_id(number)), sample_project_id(), std::move(event)};
}
NewEvent on_checkout(CheckoutEvent event) {
  return {checkout_stream(sample_checkout_id()), sample_project_id(), std::move(event)};
}
NewEvent on_team(TeamEvent event) {
  return {team_stream(sample_project_id()), sample_project_id(), std::move(event)};
}
NewEvent on_payment(PaymentEvent event) {
  return {payment_stream(sample_end_to_end_id()), sample_project_id(), std::move(event)};
}

}  // namespace pixledger::tests
