#include <iostream>

#include "base/net/webhook_target.h"
#include "base/platform/json.h"
#include "base/process/service_options.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/keys/tokens.h"
#include "stores/deliveries/channels.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::CheckoutSession;

struct CustomerAddressOptions {
  std::string street;
  std::string street_number;
  std::string neighborhood;
  std::string complement;
  std::string zip_code;
  std::string city;
  std::string state;
  std::string country;
};

// The API's fields that the command line supports, with the same names.
struct CheckoutCommandOptions {
  std::string id;
  std::string project;
  std::string environment;
  std::string pay_url;
  std::int64_t amount_cents = 0;
  std::string product;
  std::uint32_t quantity = 1;
  std::optional<std::int32_t> expiration_days;
  std::string origin_domain;
  std::string customer_name;
  std::string customer_document;
  std::string customer_email;
  std::string customer_phone;
  CustomerAddressOptions customer_address;
  std::string external_id;
  std::vector<std::string> metadata;
  std::string success_url;
  std::string cancel_url;
  std::int64_t expires_in_minutes = domain::kCheckoutMinutesDefault;
  std::string locale;
  std::string webhook_url;
  std::string webhook_api_version = "v2";
  bool allow_http = false;
  std::vector<std::string> allow_targets;
};

domain::Address address_of(const CustomerAddressOptions& options) {
  const auto text = [](std::string_view part, const std::string& given) {
    return parse_given<domain::Label>("--customer-address-" + std::string(part), given);
  };
  return {.street = text("street", options.street),
          .street_number = text("street-number", options.street_number),
          .neighborhood = text("neighborhood", options.neighborhood),
          .complement = text("complement", options.complement),
          .zip_code = text("zip-code", options.zip_code),
          .city = text("city", options.city),
          .state = text("state", options.state),
          .country = parse_given<domain::CountryCode>("--customer-address-country", options.country)};
}

// Parses each KEY=VALUE.
domain::Metadata metadata_of(const std::vector<std::string>& texts) {
  std::vector<domain::MetadataEntry> entries;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw UsageError("--metadata must be KEY=VALUE");
    entries.push_back(
        {parse_option<domain::MetadataKey>("--metadata: the key", text.substr(0, equals)),
         parse_option<domain::MetadataValue>("--metadata: the value", text.substr(equals + 1))});
  }
  auto metadata = domain::Metadata::of(std::move(entries));
  if (!metadata) throw UsageError("--metadata can be given 20 times at most, each key once");
  return *std::move(metadata);
}

// All four address options or none must be given.
std::optional<domain::CheckoutPayer> payer_of(const CheckoutCommandOptions& options,
                                              const domain::ProjectId& project,
                                              const eventstore::Keyring& keyring) {
  auto address = address_of(options.customer_address);
  if (options.customer_name.empty() && options.customer_document.empty() && options.customer_email.empty() &&
      options.customer_phone.empty() && address == domain::Address())
    return std::nullopt;
  domain::CustomerDetails details{
      .name = parse_option<domain::PersonName>("--customer-name", options.customer_name),
      .document = parse_option<domain::Document>("--customer-document", options.customer_document),
      .email = parse_option<EmailAddress>("--customer-email", options.customer_email),
      .phone = parse_option<domain::Phone>("--customer-phone", options.customer_phone),
      .address = std::move(address)};
  auto token = keyring.token_of(project, details.document);
  return domain::CheckoutPayer{std::move(token), std::move(details)};
}

std::optional<PageUrl> page_url_of(std::string_view flag, const std::string& text,
                                   domain::Environment environment) {
  auto url = parse_given<PageUrl>(flag, text);
  if (url && !url->is_https() && environment == domain::Environment::kLive)
    throw UsageError(std::string(flag) + " " + std::string(PageUrl::kRule));
  return url;
}

void check_target(const CheckoutCommandOptions& options) {
  TargetPolicy policy;
  policy.allow_http = options.allow_http;
  for (const auto& range : options.allow_targets)
    policy.allowed.push_back(parse_option<Cidr>("--allow-target", range));
  const auto target = check_webhook_target(options.webhook_url, policy, SystemResolver());
  if (const auto* refused = std::get_if<TargetRefused>(&target))
    throw UsageError("--webhook-url " + refused->reason);
}

void check_pages(const std::string& pay_url) {
  if (pay_url.empty()) throw UsageError("--pay-url is missing: where payers' pages are reached");
  OptionProblems problems;
  check_pay_url(pay_url, problems);
  pixledger::refuse(problems);
}

std::optional<CheckoutSession> find_session(const eventstore::Log& log, const domain::CheckoutSessionId& id) {
  return eventstore::fold_as<CheckoutSession>(log, domain::checkout_stream(id));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const CheckoutSession& session, Timestamp now) {
  const auto* newest = domain::newest_charge(session);
  return {{"session", session.id.text()},
          {"status", std::string(domain::to_string(domain::status_at(session, now)))},
          {"environment", std::string(domain::to_string(session.environment))},
          {"amount", domain::to_decimal(session.amount)},
          {"product", session.product.text()},
          {"charge", newest ? newest->id.text() : "none yet"},
          {"charges",
           std::to_string(session.charges.size()) + " of " + std::to_string(domain::kChargesPerCheckoutMax)},
          {"open until", to_iso8601(session.expires_at)}};
}

// `link` and `secret` only if they are shown.
void print(const CommandContext& context, const CheckoutSession& session, const std::string& link,
           const std::string& secret = {}) {
  if (!context.json) {
    auto facts = facts_of(session, context.clock.now());
    if (!link.empty()) facts.emplace_back("link", link);
    if (!secret.empty()) facts.emplace_back("secret", secret);
    print_facts(std::cout, facts);
    return;
  }
  const auto* newest = domain::newest_charge(session);
  Json json;
  json.begin_object().field("id", session.id);
  if (!link.empty()) json.field("url", link);
  json.field("status", domain::status_at(session, context.clock.now()))
      .field("environment", session.environment);
  json.field("transactionId", newest ? std::optional(newest->id.text()) : std::nullopt);
  json.field("amountCents", session.amount).field("webhookApiVersion", session.webhook_version);
  json.field("expiresAt", session.expires_at);
  if (!secret.empty()) json.field("webhookSecret", secret);
  std::cout << json.end_object().take_line();
}

std::string link_of(const std::string& pay_url, const eventstore::Keyring& keyring,
                    const domain::CheckoutSessionId& session) {
  return pay_url.empty() ? std::string() : eventstore::checkout_link(pay_url, keyring, session);
}

int create_checkout(CommandContext& context, const CheckoutCommandOptions& options) {
  check_pages(options.pay_url);
  const auto project = parse_project(options.project);
  const auto environment =
      options.environment == "live" ? domain::Environment::kLive : domain::Environment::kSandbox;
  if (!options.webhook_url.empty()) check_target(options);
  auto ledger = context.open();
  const auto id =
      eventstore::fresh_id<domain::CheckoutSessionId>(*ledger.log, context.clock, context.entropy);
  domain::CreateCheckoutSession command{
      .id = id,
      .project = project,
      .environment = environment,
      .amount = domain::Cents(options.amount_cents),
      .product = parse_option<domain::ProductName>("--product", options.product),
      .quantity = options.quantity,
      .expiration_days = options.expiration_days,
      .origin_host = parse_option<OriginHost>("--origin-domain", options.origin_domain),
      .payer = payer_of(options, project, ledger.keyring),
      .external_id = parse_given<domain::ExternalId>("--external-id", options.external_id),
      .metadata = metadata_of(options.metadata),
      .success_url = page_url_of("--success-url", options.success_url, environment),
      .cancel_url = page_url_of("--cancel-url", options.cancel_url, environment),
      .expires_in_minutes = static_cast<std::int32_t>(options.expires_in_minutes),
      .locale = domain::parse_checkout_locale(options.locale),
      .webhook_version = *domain::parse_webhook_version(options.webhook_api_version)};
  std::string secret;
  if (!options.webhook_url.empty()) {
    auto made = stores::make_channel_secret(domain::channel_of(id), ledger.keyring, context.entropy);
    command.channel =
        domain::CheckoutChannel{options.webhook_url, std::move(made.sealed), std::move(made.hint)};
    secret = made.text;
  }
  if (!execute(context, ledger, std::move(command))) return kExitNo;
  print(context, find_session(*ledger.log, id).value(), link_of(options.pay_url, ledger.keyring, id), secret);
  return kExitDone;
}

int show_checkout(CommandContext& context, const CheckoutCommandOptions& options) {
  const auto id = parse_option<domain::CheckoutSessionId>("--id", options.id);
  const auto ledger = context.open_to_read();
  const auto session = find_session(*ledger.log, id);
  if (!session) return say_no(domain::Rejection::kCheckoutSessionNotFound);
  print(context, *session, link_of(options.pay_url, ledger.keyring, id));
  return kExitDone;
}

int cancel(CommandContext& context, const CheckoutCommandOptions& options) {
  const auto id = parse_option<domain::CheckoutSessionId>("--id", options.id);
  auto ledger = context.open();
  const auto session = find_session(*ledger.log, id);
  if (!session) return say_no(domain::Rejection::kCheckoutSessionNotFound);
  const auto* newest = domain::newest_charge(*session);
  domain::CancelCheckoutSession command{
      .caller = {}, .session = id, .newest = newest ? std::optional(newest->id) : std::nullopt};
  if (!execute(context, ledger, std::move(command))) return kExitNo;
  print(context, find_session(*ledger.log, id).value(), {});
  return kExitDone;
}

void add_address_options(CommandLine& command, CustomerAddressOptions& options) {
  command.add_option("--customer-address-street", options.street, "Where they live, as far as it is known");
  command.add_option("--customer-address-street-number", options.street_number, "Of the house");
  command.add_option("--customer-address-neighborhood", options.neighborhood, "Bairro");
  command.add_option("--customer-address-complement", options.complement, "Flat, floor, block");
  command.add_option("--customer-address-zip-code", options.zip_code, "CEP");
  command.add_option("--customer-address-city", options.city, "Their city");
  command.add_option("--customer-address-state", options.state, "Their state");
  command.add_option("--customer-address-country", options.country, "Two letters, such as BR");
}

void add_creation_options(CommandLine& command, CheckoutCommandOptions& options) {
  command.add_option("--project", options.project, "The project's id").required();
  command.add_option("--env", options.environment, "live or test").required().one_of({"live", "test"});
  add_pay_url_option(command, options.pay_url);
  command.add_option("--amount-cents", options.amount_cents, "What is to be paid")
      .required()
      .range(std::int64_t{1}, domain::kAmountCentsMax);
  command.add_option("--product", options.product, "What it is paid for").required();
  command.add_option("--quantity", options.quantity, "How many")
      .range(std::uint64_t{1}, domain::kQuantityMax)
      .show_default();
  command.add_option("--expiration-days", options.expiration_days, "How long a code can be paid")
      .range(std::int64_t{1}, domain::kExpirationDaysMax);
  command.add_option("--origin-domain", options.origin_domain, "Host name of the shop").required();
  command.add_option("--customer-name", options.customer_name, "Who pays; without, the page asks");
  command.add_option("--customer-document", options.customer_document, "CPF or CNPJ, without punctuation");
  command.add_option("--customer-email", options.customer_email, "Their e-mail address");
  command.add_option("--customer-phone", options.customer_phone, "Their phone, digits alone");
  add_address_options(command, options.customer_address);
  command.add_option("--external-id", options.external_id, "The merchant's own reference");
  command.add_list_option("--metadata", options.metadata,
                          "The merchant's own texts: KEY=VALUE, more than once");
  command.add_option("--success-url", options.success_url, "Where the payer goes on once it is paid");
  command.add_option("--cancel-url", options.cancel_url, "Where the page leads back to");
  command.add_option("--expires-in-minutes", options.expires_in_minutes, "How long the session is open")
      .range(std::int64_t{domain::kCheckoutMinutesMin}, domain::kCheckoutMinutesMax)
      .show_default();
  command.add_option("--locale", options.locale, "pt-BR or en; as the payer's browser asks unless given")
      .one_of({"pt-BR", "en"});
  command.add_option("--webhook-url", options.webhook_url, "Gets the webhooks of this session alone");
  command.add_option("--webhook-api-version", options.webhook_api_version, "Their form, for good")
      .one_of({"v1", "v2"})
      .show_default();
  command.add_flag("--allow-http", options.allow_http, "For development: http addresses too");
  command.add_list_option("--allow-target", options.allow_targets,
                          "For development: addresses that are not public (CIDR)");
}

}  // namespace

void add_checkout_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "checkout", "Links to pages on which payers pay");
  const auto options = std::make_shared<CheckoutCommandOptions>();

  CommandLine command = add_command(group, context, "create", "Make a link to pay",
                                    [&context, options] { return create_checkout(context, *options); });
  add_creation_options(command, *options);
  add_json_option(command, context);

  command = add_command(group, context, "show", "What became of a session",
                        [&context, options] { return show_checkout(context, *options); });
  command.add_option("--id", options->id, "The session's id").required();
  add_pay_url_option(command, options->pay_url);
  add_json_option(command, context);

  command = add_command(group, context, "cancel", "End a session, and its charge that nobody has paid",
                        [&context, options] { return cancel(context, *options); });
  command.add_option("--id", options->id, "The session's id").required();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
