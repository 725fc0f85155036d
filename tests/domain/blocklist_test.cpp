#include <catch2/catch.hpp>
#include <string>

#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

BlocklistValue value(std::string_view type, std::string_view text) {
  return parse_blocklist_value(type, text).value();
}

AddBlocklistEntry add(std::string_view type, std::string_view text) {
  return {sample_project_id(), value(type, text), parsed<Label>("chargeback"), Environment::kSandbox};
}

NewEvent added(unsigned number, BlocklistValue what) {
  return on_blocklist(
      BlocklistEntryAdded{sample_entry_id(number), sample_project_id(), std::move(what), std::nullopt});
}

const Blocklist& list_in(const World& world) {
  return *world.find<Blocklist>(blocklist_stream(sample_project_id(), Environment::kSandbox));
}

// Whether a list with only this value matches the payer.
bool hits(std::string_view type, std::string_view text, std::optional<IpAddress> ip,
          std::string_view email = "maria@example.com") {
  Blocklist list;
  list.entries.push_back({sample_entry_id(), value(type, text), std::nullopt, kStart});
  return find_hit(list, parsed<Document>("52998224725"), parsed<EmailAddress>(email), ip) != nullptr;
}

}  // namespace

TEST_CASE("an entry is added once and can be removed") {
  const auto then = given({}).when(add("document", "52998224725"));
  then.done();
  REQUIRE(list_in(then.world()).entries.size() == 1);
  const auto entry = list_in(then.world()).entries[0];
  CHECK(entry.reason->text() == "chargeback");
  CHECK(entry.created_at == kStart);
  then.then().after(1).when(add("document", "52998224725")).done().records_nothing();

  const RemoveBlocklistEntry remove{sample_project_id(), entry.id};
  const auto removed = then.then().when(remove);
  removed.done().records({on_blocklist(BlocklistEntryRemoved{entry.id})});
  CHECK(list_in(removed.world()).entries.empty());
  removed.then().when(remove).refused(Rejection::kBlocklistEntryNotFound).records_nothing();
  removed.then().when(add("document", "52998224725")).done();
}

TEST_CASE("an entry of another project is not found") {
  const auto then = given({}).when(add("document", "52998224725"));
  const auto entry = list_in(then.world()).entries[0].id;
  then.then()
      .when(RemoveBlocklistEntry{other_project_id(), entry})
      .refused(Rejection::kBlocklistEntryNotFound);
}

TEST_CASE("values that name the same payers are one entry") {
  given({added(1, value("email", "Maria@Example.com"))})
      .when(add("email", "maria@example.COM"))
      .records_nothing();
  given({added(1, value("ip", "203.0.113.9"))}).when(add("ip", "::ffff:203.0.113.9")).records_nothing();
  given({added(1, value("cidr", "203.0.113.0/24"))}).when(add("cidr", "203.0.113.77/24")).records_nothing();
  given({added(1, value("ip", "2001:db8::1"))}).when(add("ip", "2001:DB8:0::1")).records_nothing();
}

TEST_CASE("values that name other payers are entries of their own") {
  const auto is_new = [](const BlocklistValue& known, const AddBlocklistEntry& command) {
    return given({added(1, known)}).when(command).decision().events.size() == 1;
  };
  CHECK(is_new(value("email", "maria@example.com"), add("email", "maria@example.com.br")));
  CHECK(is_new(value("email", "maria@example.com"), add("email", "mario@example.com")));
  CHECK(is_new(value("ip", "203.0.113.9"), add("cidr", "203.0.113.9/32")));
  CHECK(is_new(value("cidr", "203.0.113.0/24"), add("cidr", "203.0.113.0/25")));
  CHECK(is_new(value("document", "52998224725"), add("document", "52998224726")));
  CHECK(is_new(value("document", "52998224725"), add("ip", "203.0.113.9")));
}

TEST_CASE("e-mails match in any case") {
  CHECK(hits("email", "Maria@Example.com", std::nullopt, "mARIA@eXAMPLE.com"));
  CHECK_FALSE(hits("email", "maria@example.com", std::nullopt, "maria@example.co"));
}

TEST_CASE("an address is recognised in its IPv4-mapped form, from either side") {
  CHECK(hits("ip", "203.0.113.9", parsed<IpAddress>("203.0.113.9")));
  CHECK(hits("ip", "203.0.113.9", parsed<IpAddress>("::ffff:203.0.113.9")));
  CHECK(hits("ip", "::ffff:203.0.113.9", parsed<IpAddress>("203.0.113.9")));
  CHECK(hits("cidr", "203.0.113.0/24", parsed<IpAddress>("::ffff:203.0.113.9")));
  CHECK(hits("cidr", "::ffff:203.0.113.0/120", parsed<IpAddress>("203.0.113.9")));
  CHECK_FALSE(hits("ip", "203.0.113.9", parsed<IpAddress>("203.0.113.10")));
  CHECK_FALSE(hits("ip", "203.0.113.9", std::nullopt));
  CHECK_FALSE(hits("cidr", "0.0.0.0/0", std::nullopt));
}

TEST_CASE("an erased entry matches no payer and can still be removed") {
  const BlocklistEntryAdded erased{sample_entry_id(), sample_project_id(), std::nullopt, std::nullopt};
  const auto list = given({on_project(sample_project()), on_blocklist(erased)});
  list.when(sample_creation()).done();
  list.when(add("document", "52998224725")).done();
  list.when(RemoveBlocklistEntry{sample_project_id(), sample_entry_id()}).done();
}

TEST_CASE("the first entry that matches the payer counts") {
  auto command = sample_creation();
  const auto list =
      given({on_project(sample_project()), added(1, value("ip", "192.0.2.1")),
             added(2, value("email", "maria@example.com")), added(3, value("document", "52998224725"))});
  const auto then = list.when(command);
  then.refused(Rejection::kBlocklisted);
  const auto& refused = std::get<ChargeRefused>(std::get<RefusalEvent>(then.decision().events[0].event));
  CHECK(refused.type == FraudType::kBlocklistEmail);
}

TEST_CASE("a blocklist is full at its limit, but still knows its entries") {
  World world(kStart);
  for (std::size_t i = 0; i < kBlocklistEntriesMax; ++i) {
    auto digits = std::to_string(10'000'000'000 + i);
    world.record(
        on_blocklist(BlocklistEntryAdded{parsed<BlocklistEntryId>("centry" + digits), sample_project_id(),
                                         value("document", digits), std::nullopt}));
  }
  const Given full(std::move(world));
  full.when(add("document", "52998224725")).refused(Rejection::kBlocklistLimit).records_nothing();
  full.when(add("document", "10000009999")).done().records_nothing();
  const RemoveBlocklistEntry remove{sample_project_id(), parsed<BlocklistEntryId>("centry10000000007")};
  full.when(remove).then().when(add("document", "52998224725")).done();
}

TEST_CASE("a value is read by its type, and reads back") {
  for (const auto& [type, text] :
       {std::pair("ip", "203.0.113.9"), std::pair("cidr", "203.0.113.0/24"),
        std::pair("email", "Maria@example.com"), std::pair("document", "52998224725")}) {
    const auto read = parse_blocklist_value(type, text);
    REQUIRE(read);
    CHECK(type_of(*read) == type);
    CHECK(text_of(*read) == text);
  }
  CHECK_FALSE(parse_blocklist_value("phone", "11987654321"));
  CHECK_FALSE(parse_blocklist_value("ip", "203.0.113.0/24"));
  CHECK_FALSE(parse_blocklist_value("cidr", "203.0.113.9"));
  CHECK_FALSE(parse_blocklist_value("document", "maria@example.com"));
  CHECK_FALSE(parse_blocklist_value("", ""));
}

}  // namespace pixledger::tests
