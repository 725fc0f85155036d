#include <catch2/catch.hpp>

#include "domain/rules/event_rules.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

// Live and sandbox share nothing but the project.
namespace pixledger::tests {
namespace {

using namespace domain;

constexpr auto kLive = Environment::kLive;
constexpr auto kSandbox = Environment::kSandbox;

NewEvent in_live(CustomerEvent event) {
  return {sample_customer_stream(kLive), sample_project_id(), std::move(event)};
}
NewEvent in_live(BlocklistEvent event) {
  return {blocklist_stream(sample_project_id(), kLive), sample_project_id(), std::move(event)};
}

BlocklistEntryAdded entry(Environment environment) {
  return {sample_entry_id(), sample_project_id(), parse_blocklist_value("document", "52998224725"),
          std::nullopt, environment};
}

Given a_live_customer() { return given({on_project(sample_project()), in_live(sample_customer(kLive))}); }

std::string stream_of_first_event(const Then& then) { return then.decision().events.at(0).stream.text(); }

}  // namespace

TEST_CASE("a sandbox charge with a live customer's document makes a customer of the sandbox") {
  auto creation = sample_creation(kSandbox);
  creation.customer.email = parsed<EmailAddress>("qa@test.example");
  const auto then = a_live_customer().when(creation);
  then.done();
  CHECK(stream_of_first_event(then) == sample_customer_stream(kSandbox).text());
  const auto* live = then.world().find<Customer>(sample_customer_stream(kLive));
  const auto* sandbox = then.world().find<Customer>(sample_customer_stream(kSandbox));
  REQUIRE((live && sandbox));
  CHECK(live->details == sample_details());
  CHECK(live->environment == kLive);
  CHECK(sandbox->details->email.text() == "qa@test.example");
  CHECK(sandbox->environment == kSandbox);
  CHECK(live->id != sandbox->id);
}

TEST_CASE("a live charge of a known customer registers no customer") {
  const auto then = a_live_customer().when(sample_creation(kLive));
  then.done();
  REQUIRE(then.decision().events.size() == 1);
}

TEST_CASE("a customer is saved in the requested environment") {
  const SaveCustomer save{sample_project_id(), sample_token(), sample_details(), kSandbox};
  const auto then = a_live_customer().when(save);
  then.done();
  CHECK(stream_of_first_event(then) == sample_customer_stream(kSandbox).text());
  then.then().when(save).done().records_nothing();
}

TEST_CASE("a block holds in its customer's environment alone") {
  const auto blocked =
      a_live_customer().and_given({in_live(CustomerBlocked{BlockType::kFraud, std::nullopt, std::nullopt})});
  const auto then = blocked.when(sample_creation(kLive));
  then.refused(Rejection::kCustomerBlocked);
  const auto& refused = std::get<ChargeRefused>(std::get<RefusalEvent>(then.decision().events.at(0).event));
  CHECK(refused.environment == kLive);
  CHECK(stream_of_first_event(then) ==
        refusals_stream(sample_project_id(), kLive, sample_token(), kStart).text());
  blocked.when(sample_creation(kSandbox)).done();
}

TEST_CASE("a blocklist entry holds in its environment alone") {
  const auto listed = given({on_project(sample_project()), in_live(entry(kLive))});
  listed.when(sample_creation(kLive)).refused(Rejection::kBlocklisted);
  listed.when(sample_creation(kSandbox)).done();
  const AddBlocklistEntry add{sample_project_id(), entry(kLive).value.value(), std::nullopt, kSandbox};
  const auto then = listed.when(add);
  then.done();
  CHECK(stream_of_first_event(then) == blocklist_stream(sample_project_id(), kSandbox).text());
  then.then().when(sample_creation(kSandbox)).refused(Rejection::kBlocklisted);
}

TEST_CASE("an entry is removed from its own list, and a live one not by a test key") {
  const auto listed = given({on_project(sample_project()), in_live(entry(kLive))});
  RemoveBlocklistEntry remove{sample_project_id(), sample_entry_id(), true};
  listed.when(remove).refused(Rejection::kLiveForTestKey).records_nothing();
  remove.sandbox_only = false;
  const auto then = listed.when(remove);
  then.done().records({in_live(BlocklistEntryRemoved{sample_entry_id()})});
  then.then().when(remove).refused(Rejection::kBlocklistEntryNotFound);

  remove.sandbox_only = true;
  const auto tried = given({on_project(sample_project()), on_blocklist(entry(kSandbox))});
  tried.when(remove).done().records({on_blocklist(BlocklistEntryRemoved{sample_entry_id()})});
}

TEST_CASE("a live customer is refused to a test key, and another project's does not exist") {
  const auto stream = sample_customer_stream(kLive);
  const auto id = sample_customer_id();
  const auto block = [&](Caller caller) {
    return BlockCustomer{std::move(caller), stream, id, BlockType::kManual, std::nullopt, std::nullopt};
  };
  const auto customer = a_live_customer();
  customer.when(block(merchant_sandbox())).refused(Rejection::kLiveForTestKey).records_nothing();
  customer.when(UnblockCustomer{merchant_sandbox(), stream, id}).refused(Rejection::kLiveForTestKey);
  auto other = merchant_sandbox();
  other.project = other_project_id();
  customer.when(block(other)).refused(Rejection::kCustomerNotFound);
  customer.when(block(merchant())).done();
}

TEST_CASE("aggregates of an environment are in streams of it") {
  const auto problem = [](const StreamName& stream, Event event) {
    return broken_rule(nullptr,
                       {Position(9), stream, 1, kStart, sample_project_id(), "test", "", std::move(event)});
  };
  const auto refusal = [](Environment environment) {
    return RefusalEvent(ChargeRefused{sample_project_id(), std::nullopt, FraudType::kBlocklistIp, Cents(1),
                                      parsed<ProductName>("Camiseta"), environment});
  };
  for (const auto environment : {kLive, kSandbox}) {
    for (const auto other : {kLive, kSandbox}) {
      const bool legal = environment == other;
      const auto project = sample_project_id();
      CHECK(!problem(sample_customer_stream(environment), CustomerEvent(sample_customer(other))) == legal);
      CHECK(!problem(blocklist_stream(project, environment), BlocklistEvent(entry(other))) == legal);
      CHECK(!problem(refusals_stream(project, environment, sample_token(), kStart), refusal(other)) == legal);
    }
  }
}

}  // namespace pixledger::tests
