#include <catch2/catch.hpp>
#include <string>

#include "domain/pix/br_code.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

Given a_project() { return given({on_project(sample_project())}); }

Given a_project(const StoreSettings& settings) {
  auto project = sample_project();
  project.settings = settings;
  return given({on_project(project)});
}

const ChargeCreated& created_in(const Then& then) {
  return std::get<ChargeCreated>(std::get<ChargeEvent>(then.decision().events.back().event));
}

// The text of a field of a BR Code, at the path of ids.
std::string field_of(const std::string& code, const std::string& id, const std::string& inner = {}) {
  const auto parsed_code = parse_br_code(code);
  for (const auto& field : std::get<std::vector<BrCodeField>>(parsed_code)) {
    if (field.id != id) continue;
    if (inner.empty()) return field.value;
    for (const auto& part : field.fields) {
      if (part.id == inner) return part.value;
    }
  }
  return {};
}

NewEvent refusal(FraudType type, std::optional<CustomerId> customer,
                 std::optional<IpAddress> address = std::nullopt) {
  constexpr auto kSandbox = Environment::kSandbox;
  return {refusals_stream(sample_project_id(), kSandbox, sample_token(), kStart), sample_project_id(),
          RefusalEvent(ChargeRefused{sample_project_id(), std::move(customer), type, Cents(10'000),
                                     parsed<ProductName>("Camiseta"), kSandbox, std::move(address)})};
}

NewEvent listed(std::string_view type, std::string_view value) {
  return on_blocklist(BlocklistEntryAdded{sample_entry_id(), sample_project_id(),
                                          parse_blocklist_value(type, value).value(), std::nullopt});
}

}  // namespace

TEST_CASE("a first charge registers its customer and creates the charge, in this order") {
  const auto then = a_project().when(sample_creation());
  then.done();
  REQUIRE(then.decision().events.size() == 2);
  const auto& registered =
      std::get<CustomerRegistered>(std::get<CustomerEvent>(then.decision().events[0].event));
  const auto& created = created_in(then);
  CHECK(then.decision().events[0].stream.text() == sample_customer_stream().text());
  CHECK(then.decision().events[1].stream.text() == charge_stream(created.id).text());
  CHECK(registered.details == sample_creation().customer);
  CHECK(created.customer == registered.id);
  CHECK(created.id.text() > registered.id.text());
  CHECK(created.project == sample_project_id());
  CHECK(created.amount == Cents(10'000));
  CHECK_FALSE(created.external_id);
  CHECK(then.world().claim_holder(customer_claim(registered.id))->text() == sample_customer_stream().text());
}

TEST_CASE("a charge keeps the merchant's own fields of the creation") {
  auto command = sample_creation();
  command.quantity = 3;
  command.external_id = parsed<ExternalId>("pedido 42");
  command.customer_ip = parsed<IpAddress>("203.0.113.9");
  const auto then = a_project().when(command);
  const auto& created = created_in(then);
  CHECK(created.quantity == 3);
  CHECK(created.external_id->text() == "pedido 42");
  CHECK(created.customer_ip == command.customer_ip);
  CHECK(created.origin_host.text() == "loja.example.com");
  CHECK(created.product.text() == "Camiseta");
}

TEST_CASE("a known customer whose details are the same is not updated, although no address is named") {
  const auto then =
      given({on_project(sample_project()), on_customer(sample_customer())}).when(sample_creation());
  then.done();
  REQUIRE(then.decision().events.size() == 1);
  CHECK(created_in(then).customer == sample_customer_id());
}

TEST_CASE("a known customer gets the charge's details and keeps the address parts that it does not name") {
  auto command = sample_creation();
  command.customer.phone = parsed<Phone>("11900000000");
  command.customer.address.city = parsed<Label>("Campinas");
  auto expected = sample_details();
  expected.phone = command.customer.phone;
  expected.address.city = command.customer.address.city;
  const auto then = given({on_project(sample_project()), on_customer(sample_customer())}).when(command);
  REQUIRE(then.decision().events.size() == 2);
  CHECK(describe(then.decision().events[0]) == describe(on_customer(CustomerUpdated{expected})));
}

TEST_CASE("each part of an address alone updates the customer") {
  const auto with = [](auto part, auto value) {
    auto command = sample_creation();
    command.customer.address.*part = value;
    const auto known = given({on_project(sample_project()), on_customer(sample_customer())});
    return known.when(command).decision().events.size();
  };
  const auto label = parsed<Label>("other");
  for (const auto part : {&Address::street, &Address::street_number, &Address::neighborhood,
                          &Address::complement, &Address::zip_code, &Address::city, &Address::state})
    CHECK(with(part, label) == 2);
  CHECK(with(&Address::country, parsed<CountryCode>("PT")) == 2);
  CHECK(with(&Address::country, parsed<CountryCode>("br")) == 1);
}

TEST_CASE("a charge expires after its days, or else after the store's minutes") {
  auto command = sample_creation();
  const auto expires_at = [&] {
    const auto then = a_project().after(7).when(command);
    return created_in(then).expires_at;
  };
  CHECK(expires_at() == kStart.plus_millis(7 + 30 * kMinuteMs));
  command.expiration_days = 1;
  CHECK(expires_at() == kStart.plus_millis(7 + kDayMs));
  command.expiration_days = kExpirationDaysMax;
  CHECK(expires_at() == kStart.plus_millis(7 + 365 * kDayMs));
}

TEST_CASE("a live charge's code pays the store, a sandbox charge's code pays no one") {
  const auto live = a_project().when(sample_creation(Environment::kLive));
  const auto sandbox = a_project().when(sample_creation(Environment::kSandbox));
  CHECK(field_of(created_in(live).pix_code, "26", "01") == "loja@example.com");
  CHECK(field_of(created_in(sandbox).pix_code, "26", "01") == sandbox_pix_key().text());
  for (const auto* then : {&live, &sandbox}) {
    const auto& created = created_in(*then);
    CHECK(field_of(created.pix_code, "54") == "100.00");
    CHECK(field_of(created.pix_code, "59") == "Loja do Joao");
    CHECK(field_of(created.pix_code, "60") == "Sao Paulo");
    CHECK(field_of(created.pix_code, "62", "05") == created.id.text());
  }
}

TEST_CASE("a live charge needs the store's Pix key, a sandbox charge does not") {
  auto settings = sample_settings();
  settings.pix_key.reset();
  const auto project = a_project(settings);
  project.when(sample_creation(Environment::kLive)).refused(Rejection::kNoPixKey).records_nothing();
  project.when(sample_creation(Environment::kSandbox)).done();
}

TEST_CASE("a charge takes the connection of its environment that it names, or the first") {
  const auto live = Environment::kLive;
  const auto sandbox = Environment::kSandbox;
  auto command = sample_creation(live);
  const auto first = a_project().when(command);
  CHECK(created_in(first).connection == sample_connection_id(live));
  command.connection = sample_connection_id(live);
  a_project().when(command).done();
  command.connection = sample_connection_id(sandbox);
  a_project().when(command).refused(Rejection::kUnknownConnection).records_nothing();
  command.connection = parsed<ConnectionId>("cunknown000000000000000000");
  a_project().when(command).refused(Rejection::kUnknownConnection).records_nothing();
}

TEST_CASE("a charge uses an added connection if it names it, and only then") {
  const auto live = Environment::kLive;
  const auto id = parsed<ConnectionId>("cconnection000000000acme1");
  const auto project =
      a_project().and_given({on_project(ConnectionAdded{{id, parsed<Label>("acme"), "acme", "Acme", live}})});
  auto command = sample_creation(live);
  CHECK(created_in(project.when(command)).connection == sample_connection_id(live));
  command.connection = id;
  CHECK(created_in(project.when(command)).connection == id);
  auto in_sandbox = sample_creation(Environment::kSandbox);
  in_sandbox.connection = id;
  project.when(in_sandbox).refused(Rejection::kUnknownConnection).records_nothing();
}

TEST_CASE("an amount may reach the store's maximum and not pass it") {
  auto settings = sample_settings();
  settings.max_transaction_amount = Cents(10'000);
  auto command = sample_creation();
  a_project(settings).when(command).done();
  command.amount = Cents(10'001);
  a_project(settings).when(command).refused(Rejection::kAmountAboveMaximum).records_nothing();
}

TEST_CASE("the highest amount of all fits into a charge and its code") {
  auto command = sample_creation(Environment::kLive);
  command.amount = Cents(kAmountCentsMax);
  const auto then = a_project().when(command);
  then.done();
  CHECK(field_of(created_in(then).pix_code, "54") == "999999999.99");
}

TEST_CASE("check digits are verified only where the store wants it") {
  auto settings = sample_settings();
  auto command = sample_creation();
  command.customer.document = parsed<Document>("11111111111");
  a_project(settings).when(command).done();
  settings.verify_documents = true;
  a_project(settings).when(command).refused(Rejection::kInvalidDocumentCheckDigits).records_nothing();
  a_project(settings).when(sample_creation()).done();
}

TEST_CASE("a blocked customer's charge is refused and the refusal is kept") {
  const CustomerBlocked block{BlockType::kFraud, std::nullopt, kStart.plus_millis(10)};
  const auto blocked =
      given({on_project(sample_project()), on_customer(sample_customer()), on_customer(block)});
  blocked.when(sample_creation())
      .refused(Rejection::kCustomerBlocked)
      .records({refusal(FraudType::kBlockedCustomer, sample_customer_id())});
  blocked.after(9).when(sample_creation()).refused(Rejection::kCustomerBlocked);
  blocked.after(10).when(sample_creation()).done();
}

TEST_CASE("a blocked customer is blocked under a new e-mail too") {
  const CustomerBlocked block{BlockType::kManual, std::nullopt, std::nullopt};
  const auto blocked =
      given({on_project(sample_project()), on_customer(sample_customer()), on_customer(block)})
          .after(9'999 * kDayMs);
  auto command = sample_creation();
  command.customer.email = parsed<EmailAddress>("new@example.com");
  blocked.when(command).refused(Rejection::kCustomerBlocked);
}

TEST_CASE("a listed payer's charge is refused, the refusal kept, and no customer registered") {
  auto command = sample_creation();
  command.customer_ip = parsed<IpAddress>("203.0.113.9");
  const auto refused_for = [&](std::string_view type, std::string_view value, FraudType expected) {
    given({on_project(sample_project()), listed(type, value)})
        .when(command)
        .refused(Rejection::kBlocklisted)
        .records({refusal(expected, std::nullopt, command.customer_ip)});
  };
  refused_for("ip", "203.0.113.9", FraudType::kBlocklistIp);
  refused_for("cidr", "203.0.113.0/24", FraudType::kBlocklistIp);
  refused_for("email", "mARIA@example.COM", FraudType::kBlocklistEmail);
  refused_for("document", "52998224725", FraudType::kBlocklistDocument);
}

TEST_CASE("the refusal of a listed payer names the customer it already is, whose details stay") {
  auto command = sample_creation();
  command.customer.phone = parsed<Phone>("11900000000");
  given({on_project(sample_project()), on_customer(sample_customer()), listed("document", "52998224725")})
      .when(command)
      .refused(Rejection::kBlocklisted)
      .records({refusal(FraudType::kBlocklistDocument, sample_customer_id())});
}

TEST_CASE("a payer who is not on the list, or whose entry was removed, creates charges") {
  auto command = sample_creation();
  command.customer_ip = parsed<IpAddress>("203.0.113.9");
  const auto project = given({on_project(sample_project()), listed("cidr", "198.51.100.0/24")});
  project.when(command).done();
  const auto hit = given({on_project(sample_project()), listed("ip", "203.0.113.9")});
  hit.and_given({on_blocklist(BlocklistEntryRemoved{sample_entry_id()})}).when(command).done();
  command.customer_ip.reset();
  hit.when(command).done();
}

TEST_CASE("a creation's guards come in their documented order") {
  auto settings = sample_settings();
  settings.pix_key.reset();
  settings.verify_documents = true;
  settings.max_transaction_amount = Cents(1);
  auto project = sample_project();
  project.settings = settings;
  const auto everything_wrong =
      given({on_project(project), on_customer(sample_customer()),
             on_customer(CustomerBlocked{BlockType::kManual, std::nullopt, std::nullopt}),
             listed("email", "maria@example.com")});

  auto command = sample_creation(Environment::kLive);
  command.customer.document = parsed<Document>("11111111111");
  command.connection = sample_connection_id(Environment::kSandbox);
  given({}).when(command).refused(Rejection::kProjectNotFound);
  everything_wrong.when(command).refused(Rejection::kUnknownConnection);
  command.connection.reset();
  everything_wrong.when(command).refused(Rejection::kInvalidDocumentCheckDigits);
  command.customer.document = sample_details().document;
  everything_wrong.when(command).refused(Rejection::kAmountAboveMaximum);
  command.amount = Cents(1);
  everything_wrong.when(command).refused(Rejection::kNoPixKey);
  command.environment = Environment::kSandbox;
  everything_wrong.when(command).refused(Rejection::kCustomerBlocked);
}

}  // namespace pixledger::tests
