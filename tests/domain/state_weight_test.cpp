#include "domain/decisions/state_weight.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::domain;
using pixledger::tests::parsed;

namespace {

constexpr std::size_t kTextBytes = 200;

Label long_label() { return parsed<Label>(std::string(kTextBytes, 'x')); }

std::size_t bytes_of_list(std::size_t count, std::size_t each) { return count * (each + kTextBytes); }

}  // namespace

TEST_CASE("a blocklist weighs by its entries and their texts") {
  Blocklist list;
  CHECK(bytes_beside(list) == 0);
  for (int i = 0; i < 1'000; ++i)
    list.entries.push_back({.id = pixledger::tests::sample_entry_id(),
                            .value = parse_blocklist_value("email", "somebody.with.a.long.name@example.com"),
                            .reason = long_label(),
                            .created_at = Timestamp()});
  CHECK(bytes_beside(list) >= bytes_of_list(1'000, sizeof(BlocklistEntry)));
  const AggregateState state(list);
  CHECK(weight_of(&state) == 1 + bytes_beside(state) / kBytesOfWeight);
}

TEST_CASE("a project weighs by its connections and their texts") {
  Project project{.id = pixledger::tests::sample_project_id(),
                  .settings = pixledger::tests::sample_settings(),
                  .connections = {},
                  .created_at = Timestamp()};
  const auto bare = bytes_beside(project);
  for (int i = 0; i < 100; ++i)
    project.connections.push_back({.id = pixledger::tests::sample_connection_id(Environment::kLive),
                                   .alias = long_label(),
                                   .provider_id = "provider",
                                   .provider_name = std::string(kTextBytes, 'x'),
                                   .environment = Environment::kLive});
  CHECK(bytes_beside(project) >= bare + bytes_of_list(100, sizeof(Connection) + kTextBytes));
}

TEST_CASE("a key weighs by its callers, a charge by its payments and metadata") {
  ApiKey key{.id = pixledger::tests::sample_api_key_id(),
             .project = pixledger::tests::sample_project_id(),
             .environment = Environment::kLive,
             .hash = {},
             .scopes = ScopeSet::all(),
             .sandbox_only = false,
             .expires_at = std::nullopt,
             .allowed_callers = {},
             .issued_at = Timestamp(),
             .revoked_at = std::nullopt,
             .issued_until = std::nullopt,
             .name = std::nullopt};
  const auto bare_key = bytes_beside(key);
  key.allowed_callers.assign(50, parsed<Cidr>("203.0.113.0/24"));
  CHECK(bytes_beside(key) >= bare_key + 50 * sizeof(Cidr));

  auto charge = *apply(std::nullopt, ChargeEvent(pixledger::tests::sample_charge()), Timestamp());
  const auto bare = bytes_beside(charge);
  const UnappliedPayment payment{.end_to_end_id = pixledger::tests::sample_end_to_end_id(),
                                 .amount = Cents(1),
                                 .paid_at = Timestamp(),
                                 .received_at = Timestamp(),
                                 .flag = PaymentFlag::kPaidAfterExpiry};
  charge.unapplied.assign(100, payment);
  CHECK(bytes_beside(charge) >= bare + 100 * sizeof payment);
  charge.returned.assign(100, payment);
  CHECK(bytes_beside(charge) >= bare + 200 * sizeof payment);
  charge.metadata =
      *Metadata::of({{parsed<MetadataKey>("key"), parsed<MetadataValue>(std::string(500, 'x'))}});
  CHECK(bytes_beside(charge) >= bare + 200 * sizeof payment + 500);
}

TEST_CASE("nothing weighs as much as the smallest state") { CHECK(weight_of(nullptr) == 1); }
