#include <catch2/catch.hpp>

#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

SaveCustomer save(CustomerDetails details) {
  return {sample_project_id(), sample_token(), std::move(details), Environment::kSandbox};
}

Given a_customer() { return given({on_customer(sample_customer())}); }

const Customer& customer_in(const World& world) { return *world.find<Customer>(sample_customer_stream()); }

CustomerBlocked blocked(std::optional<Timestamp> expires_at = std::nullopt) {
  return {BlockType::kFraud, parsed<Label>("chargeback"), expires_at};
}

BlockCustomer block(std::optional<Timestamp> expires_at = std::nullopt, Caller caller = merchant()) {
  return {caller,
          sample_customer_stream(),
          sample_customer_id(),
          BlockType::kFraud,
          parsed<Label>("chargeback"),
          expires_at};
}

UnblockCustomer unblock(Caller caller = merchant()) {
  return {caller, sample_customer_stream(), sample_customer_id()};
}

EraseCustomer erase() {
  return {sample_customer_stream(), sample_customer_id(), parsed<Label>("asked for it")};
}
CustomerErased erased() { return {sample_customer_id(), parsed<Label>("asked for it")}; }

}  // namespace

TEST_CASE("saving an unknown document registers a customer and claims its id") {
  const auto then = given({}).when(save(sample_details()));
  then.done();
  const auto& customer = customer_in(then.world());
  CHECK(customer.details == sample_details());
  CHECK(customer.created_at == kStart);
  CHECK(then.world().claim_holder(customer_claim(customer.id))->text() == sample_customer_stream().text());
}

TEST_CASE("saving the same details again changes nothing") {
  a_customer().after(1).when(save(sample_details())).done().records_nothing();
}

TEST_CASE("saving without metadata keeps the customer's, with it replaces it, and with none takes it away") {
  const auto of = [](std::string_view plan) {
    return Metadata::of({{parsed<MetadataKey>("plan"), parsed<MetadataValue>(plan)}}).value();
  };
  auto gold = save(sample_details());
  gold.metadata = of("gold");
  const auto then = a_customer().after(1).when(gold);
  then.done();
  CHECK(customer_in(then.world()).details->metadata == of("gold"));
  then.then().after(1).when(gold).done().records_nothing();
  then.then().after(1).when(save(sample_details())).done().records_nothing();

  auto none = save(sample_details());
  none.metadata = Metadata();
  const auto without = then.then().after(1).when(none);
  without.done();
  CHECK(customer_in(without.world()).details->metadata.empty());
}

TEST_CASE("a charge's creation keeps its customer's metadata") {
  auto known = sample_details();
  known.metadata = Metadata::of({{parsed<MetadataKey>("plan"), parsed<MetadataValue>("gold")}}).value();
  CHECK(merged(known, sample_details()).metadata == known.metadata);
}

TEST_CASE("saving replaces the whole address") {
  auto details = sample_details();
  details.address.complement.reset();
  const auto then = a_customer().after(1).when(save(details));
  then.done().records({on_customer(CustomerUpdated{details})});
  CHECK(customer_in(then.world()).details == details);
  CHECK(customer_in(then.world()).id == sample_customer_id());
  CHECK(customer_in(then.world()).created_at == kStart);
  CHECK(customer_in(then.world()).updated_at == kStart.plus_millis(1));
}

TEST_CASE("an e-mail or name that differs only in case is an update") {
  auto details = sample_details();
  details.email = parsed<EmailAddress>("maria@example.com");
  a_customer().when(save(details)).records({on_customer(CustomerUpdated{details})});
  details = sample_details();
  details.name = parsed<PersonName>("MARIA DA SILVA");
  a_customer().when(save(details)).records({on_customer(CustomerUpdated{details})});
}

TEST_CASE("two projects have two customers of one document") {
  auto command = save(sample_details());
  command.project = other_project_id();
  const auto then = a_customer().when(command);
  REQUIRE(then.decision().events.size() == 1);
  CHECK(then.decision().events[0].stream.text() ==
        customer_stream(other_project_id(), Environment::kSandbox, sample_token()).text());
  CHECK(then.decision().events[0].project == other_project_id());
}

TEST_CASE("a customer can be saved while blocked and stays blocked") {
  auto details = sample_details();
  details.phone = parsed<Phone>("11900000000");
  const auto then = a_customer().and_given({on_customer(blocked())}).when(save(details));
  then.done();
  CHECK(is_blocked(customer_in(then.world()), kStart));
}

TEST_CASE("blocking is idempotent") {
  const auto then = a_customer().after(1).when(block());
  then.done().records({on_customer(blocked())});
  CHECK(customer_in(then.world()).block->blocked_at == kStart.plus_millis(1));
  then.then().after(1).when(block()).done().records_nothing();
}

TEST_CASE("blocking again on other terms replaces the block") {
  const auto known = a_customer().and_given({on_customer(blocked())});
  auto other = block();
  other.type = BlockType::kManual;
  known.when(other).records({on_customer(CustomerBlocked{BlockType::kManual, other.reason, std::nullopt})});
  other = block();
  other.reason.reset();
  known.when(other).records({on_customer(CustomerBlocked{BlockType::kFraud, std::nullopt, std::nullopt})});
  const auto end = kStart.plus_millis(5);
  known.when(block(end)).records({on_customer(blocked(end))});
}

TEST_CASE("a block ends by itself at its expiry, and repeating it then changes nothing") {
  const auto end = kStart.plus_millis(10);
  const auto then = a_customer().when(block(end));
  CHECK(is_blocked(customer_in(then.world()), kStart.plus_millis(9)));
  CHECK_FALSE(is_blocked(customer_in(then.world()), end));
  then.then().at(end).when(block(end)).done().records_nothing();
  then.then().at(end).when(block()).done().records({on_customer(blocked())});
}

TEST_CASE("a block that would end at once or earlier is refused, unless it exists already") {
  const auto end = kStart.plus_millis(10);
  a_customer().at(end).when(block(end)).refused(Rejection::kBlockExpiryInPast).records_nothing();
  a_customer().at(end).when(block(kStart)).refused(Rejection::kBlockExpiryInPast).records_nothing();
  a_customer().at(end).when(block(end.plus_millis(1))).done();
  a_customer().when(block(end)).then().at(end).when(block(end)).done().records_nothing();
}

TEST_CASE("check digits of a customer are verified only where the store wants it") {
  auto details = sample_details();
  details.document = parsed<Document>("11111111111");
  auto project = sample_project();
  given({on_project(project)}).when(save(details)).done();
  project.settings.verify_documents = true;
  given({on_project(project)})
      .when(save(details))
      .refused(Rejection::kInvalidDocumentCheckDigits)
      .records_nothing();
  given({on_project(project)}).when(save(sample_details())).done();
}

TEST_CASE("unblocking is idempotent, and a block that ended by itself needs none") {
  a_customer().when(unblock()).done().records_nothing();
  const auto blocked_customer = a_customer().and_given({on_customer(blocked(kStart.plus_millis(10)))});
  const auto then = blocked_customer.when(unblock());
  then.done().records({on_customer(CustomerUnblocked{})});
  CHECK_FALSE(is_blocked(customer_in(then.world()), kStart));
  then.then().when(unblock()).done().records_nothing();
  blocked_customer.after(10).when(unblock()).done().records_nothing();
}

TEST_CASE("another project's customer does not exist for a merchant, but for an operator") {
  const auto known = a_customer().and_given({on_customer(blocked())});
  known.when(block(kStart.plus_millis(1), other_merchant()))
      .refused(Rejection::kCustomerNotFound)
      .records_nothing();
  known.when(unblock(other_merchant())).refused(Rejection::kCustomerNotFound).records_nothing();
  known.when(unblock(an_operator())).done().records({on_customer(CustomerUnblocked{})});
  given({}).when(block()).refused(Rejection::kCustomerNotFound);
  given({}).when(unblock()).refused(Rejection::kCustomerNotFound);
}

TEST_CASE("details merged into no customer are used as they are") {
  auto given_details = sample_details();
  given_details.address = Address{};
  CHECK(merged(std::nullopt, given_details) == given_details);
  CHECK(merged(sample_details(), given_details) == sample_details());
}

TEST_CASE("events without a registration fold to no customer") {
  CHECK_FALSE(apply(std::optional<Customer>(), CustomerEvent(CustomerUnblocked{}), kStart));
}

TEST_CASE("an erased customer exists without details, block or name") {
  const auto then = given({on_customer(sample_customer()), on_customer(blocked())}).after(1).when(erase());
  then.done().records({on_customer(erased())});
  const auto& customer = customer_in(then.world());
  CHECK(customer.id == sample_customer_id());
  CHECK_FALSE(customer.details);
  CHECK_FALSE(customer.block);
  CHECK(customer.erased_at == kStart.plus_millis(1));
  CHECK(customer.updated_at == kStart.plus_millis(1));
}

TEST_CASE("only an existing customer can be erased, and once") {
  given({}).when(erase()).refused(Rejection::kCustomerNotFound);
  const auto gone = given({on_customer(sample_customer()), on_customer(erased())});
  gone.when(erase()).done().records_nothing();
}

TEST_CASE("an erased customer is neither blocked nor unblocked") {
  const auto gone = given({on_customer(sample_customer()), on_customer(blocked()), on_customer(erased())});
  gone.when(block()).refused(Rejection::kCustomerNotFound);
  gone.when(unblock()).refused(Rejection::kCustomerNotFound);
}

TEST_CASE("the document of an erased customer registers another one, who is not blocked") {
  const auto then = given({on_customer(sample_customer()), on_customer(blocked()), on_customer(erased())})
                        .after(1)
                        .when(save(sample_details()));
  then.done();
  const auto& customer = customer_in(then.world());
  CHECK(customer.id != sample_customer_id());
  CHECK(customer.details == sample_details());
  CHECK_FALSE(customer.erased_at);
  CHECK_FALSE(is_blocked(customer, kStart));
  for (const auto& id : {sample_customer_id(), customer.id})
    CHECK(then.world().claim_holder(customer_claim(id))->text() == sample_customer_stream().text());
}

TEST_CASE("the id of an erased customer does not stand for the next one of the document") {
  auto next = sample_customer();
  next.id = parsed<CustomerId>("ccustomer000000000000000002");
  const auto came_back = given({on_customer(sample_customer()), on_customer(erased()), on_customer(next)});
  came_back.when(block()).refused(Rejection::kCustomerNotFound);
  came_back.when(unblock()).refused(Rejection::kCustomerNotFound);
  came_back.when(erase()).done().records_nothing();
}

TEST_CASE("a charge for the document of an erased customer is for a new one") {
  const auto then =
      given({on_project(sample_project()), on_customer(sample_customer()), on_customer(erased())})
          .when(sample_creation());
  then.done();
  REQUIRE(then.decision().events.size() == 2);
  const auto& registered =
      std::get<CustomerRegistered>(std::get<CustomerEvent>(then.decision().events[0].event));
  const auto& created = std::get<ChargeCreated>(std::get<ChargeEvent>(then.decision().events[1].event));
  CHECK(registered.id != sample_customer_id());
  CHECK(created.customer == registered.id);
}

}  // namespace pixledger::tests
