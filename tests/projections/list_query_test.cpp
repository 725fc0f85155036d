#include "projections/list/list_query.h"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <utility>

#include "projections/list/transaction_list.h"
#include "tests/support/ledgers/random_list.h"

namespace {

using namespace pixledger;
using projections::find_charges;
using projections::find_customers;
using projections::ListFilter;
using projections::ListPage;
using projections::ListVersion;
using projections::TransactionList;
using tests::ListModel;
using tests::RandomList;

std::vector<std::uint32_t> page_of(const std::vector<std::uint32_t>& all, std::size_t offset,
                                   std::size_t limit) {
  const std::size_t begin = std::min(offset, all.size());
  const std::size_t end = std::min(begin + limit, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

void require_same(const ListVersion& version, const ListModel& model, const ListFilter& filter,
                  std::size_t limit) {
  const auto expected = model.find(filter);
  for (std::size_t offset = 0; offset <= expected.size() + limit; offset += limit) {
    const ListPage page = find_charges(version, filter, offset, static_cast<std::uint32_t>(limit));
    REQUIRE(page.total == expected.size());
    REQUIRE(page.ordinals == page_of(expected, offset, limit));
  }
}

// Every single filter that matches the charge.
std::vector<ListFilter> single_filters(const tests::ModelCharge& charge) {
  std::vector<ListFilter> filters(10);
  filters[0].status = charge.status;
  filters[1].environment = charge.environment;
  filters[2].connection = charge.connection;
  filters[3].origin_host = charge.origin_host;
  filters[4].amount_min = charge.amount;
  filters[5].amount_max = charge.amount;
  filters[6].created_from = charge.created_at;
  filters[7].created_to = charge.created_at;
  filters[8].customers = {charge.customer};
  filters[9].search = "ana";
  return filters;
}

struct OneCharge {
  OneCharge() {
    list.add_customer({Timestamp(1'000), "Ana", "ana@example.com"});
    add();
  }
  void add() {
    list.add_charge({Timestamp(2'000), domain::ChargeStatus::kPaid, domain::Environment::kLive,
                     tests::sample_connection(1), tests::sample_host(1), domain::Cents(100), 0,
                     domain::ExternalId::parse("Pedido-1")});
  }
  ListPage find(const ListFilter& filter) const { return find_charges(*list.version(), filter, 0, 10); }
  ListPage search(std::string text) const {
    ListFilter filter;
    filter.search = std::move(text);
    return find(filter);
  }

  TransactionList list{tests::kSmallShape};
};

}  // namespace

TEST_CASE("searches ask whether to go on and end if not, plain filters do not ask") {
  OneCharge one;
  struct GivenUp {};
  const projections::WorkCheck over([] { throw GivenUp(); });
  ListFilter filter;
  filter.check = over;
  filter.status = domain::ChargeStatus::kPaid;
  filter.amount_min = domain::Cents(1);
  CHECK(one.find(filter).total == 1);
  filter.search = "ana";
  CHECK_THROWS_AS(one.find(filter), GivenUp);
  const auto version = one.list.version();
  CHECK_THROWS_AS(projections::charges_with_external_id(*version, "Pedido-1", over), GivenUp);
  CHECK(find_customers(*version, {.check = over}, 0, 10).total == 1);
  CHECK_THROWS_AS(find_customers(*version, {.search = "ana", .check = over}, 0, 10), GivenUp);
}

TEST_CASE("every filter and combination of filters finds the same as testing each charge", "[list]") {
  const auto seed = GENERATE(as<std::uint64_t>(), 1, 2, 3);
  const std::size_t host_count = GENERATE(5U, 400U);
  // With long runs, blocks and whole lists are of one environment.
  const std::size_t environment_run = GENERATE(1U, 300U, 1'000'000U);
  CAPTURE(seed, host_count, environment_run);
  // With segments of 1,024 rows, 400 hosts do not fit in 8 bits.
  RandomList random(seed, host_count > 256 ? projections::ListShape{1'024, 64, 16, 16} : tests::kSmallShape);
  random.host_count = host_count;
  random.environment_run = environment_run;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 250; ++i) random.step();
    const auto version = random.list.version();
    require_same(*version, random.model, {}, 37);
    for (const ListFilter& filter :
         single_filters(random.model.charges[random.below(random.model.charges.size())]))
      require_same(*version, random.model, filter, 1 + random.below(100));
    for (int i = 0; i < 60; ++i) require_same(*version, random.model, random.filter(), 1 + random.below(100));
  }
}

TEST_CASE("an external id finds the charges that have it as a whole, whatever the case", "[list]") {
  RandomList random(7);
  for (int i = 0; i < 3'000; ++i) random.step();
  const auto version = random.list.version();
  const auto with_id = [&](std::string_view id) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t ordinal = 0; ordinal < random.model.charges.size(); ++ordinal) {
      const auto& given = random.model.charges[ordinal].external_id;
      if (given && fold(given->text()) == fold(id)) expected.push_back(ordinal);
    }
    return expected;
  };
  std::size_t found = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto& charge = random.model.charges[random.below(random.model.charges.size())];
    if (!charge.external_id) continue;
    const auto& id = charge.external_id->text();
    for (const auto& each : {id, fold(id), id.substr(1), id.substr(0, id.size() - 1), id + "1"}) {
      const auto expected = with_id(each);
      CHECK(projections::charges_with_external_id(*version, each) == expected);
      found += expected.size();
    }
  }
  CHECK(found > 0);
  CHECK(projections::charges_with_external_id(*TransactionList().version(), "Pedido-1").empty());
}

TEST_CASE("a version does not change while the list changes", "[list]") {
  const auto seed = GENERATE(as<std::uint64_t>(), 11, 12);
  CAPTURE(seed);
  RandomList random(seed);
  std::vector<std::pair<std::shared_ptr<const ListVersion>, ListModel>> kept;
  for (int round = 0; round < 40; ++round) {
    for (std::size_t i = 1 + random.below(60); i-- > 0;) random.step();
    kept.emplace_back(random.list.version(), random.model);
  }
  for (const auto& [version, model] : kept) {
    if (model.charges.empty()) continue;
    REQUIRE(version->charge_count() == model.charges.size());
    REQUIRE(version->customer_count() == model.customers.size());
    for (int i = 0; i < 5; ++i) require_same(*version, model, random.filter(), 50);
  }
}

TEST_CASE("an unchanged list returns the same version again", "[list]") {
  OneCharge one;
  const auto version = one.list.version();
  one.list.set_status(0, domain::ChargeStatus::kPaid);
  one.list.change_customer(0, "Ana", "ana@example.com", "");
  CHECK(one.list.version() == version);
  one.list.set_status(0, domain::ChargeStatus::kRefunded);
  CHECK(one.list.version() != version);
}

TEST_CASE("a list refuses invalid changes, and stays unchanged", "[list]") {
  OneCharge one;
  const auto version = one.list.version();
  const auto add = [&](std::uint32_t customer, std::int64_t millis) {
    one.list.add_charge({Timestamp(millis), domain::ChargeStatus::kPaid, domain::Environment::kLive,
                         tests::sample_connection(1), tests::sample_host(1), domain::Cents(100), customer,
                         std::nullopt});
  };
  CHECK_THROWS_AS(add(1, 2'000), std::runtime_error);
  CHECK_THROWS_AS(add(0, 1'999), std::runtime_error);
  CHECK_THROWS_AS(one.list.add_customer({Timestamp(999), "Bia", ""}), std::runtime_error);
  CHECK_THROWS_AS(one.list.change_customer(1, "Bia", "", ""), std::runtime_error);
  CHECK_THROWS_AS(one.list.set_status(1, domain::ChargeStatus::kRefunded), std::runtime_error);
  CHECK(one.list.version() == version);
}

TEST_CASE("an empty list has nothing on any page", "[list]") {
  const TransactionList list;
  ListFilter filter;
  CHECK(find_charges(*list.version(), filter, 0, 10).total == 0);
  filter.search = "a";
  filter.search_exact = {0};
  filter.customers = {0};
  CHECK(find_charges(*list.version(), filter, 0, 10).total == 0);
  CHECK(find_customers(*list.version(), {}, 0, 10).total == 0);
}

TEST_CASE("a value that the project has never seen matches nothing", "[list]") {
  const OneCharge one;
  ListFilter filter;
  filter.connection = tests::sample_connection(2);
  CHECK(one.find(filter).total == 0);
  filter = {};
  filter.origin_host = tests::sample_host(2);
  CHECK(one.find(filter).total == 0);
  filter = {};
  filter.customers = {1, projections::kNoOrdinal};
  CHECK(one.find(filter).total == 0);
  filter.customers->clear();
  CHECK(one.find(filter).total == 0);
}

TEST_CASE("a minimum above its maximum is an empty page", "[list]") {
  const OneCharge one;
  ListFilter filter;
  filter.amount_min = domain::Cents(101);
  filter.amount_max = domain::Cents(99);
  CHECK(one.find(filter).total == 0);
  filter = {};
  filter.created_from = Timestamp(2'001);
  filter.created_to = Timestamp(1'999);
  CHECK(one.find(filter).total == 0);
}

TEST_CASE("bounds that no amount can reach restrict nothing", "[list]") {
  const OneCharge one;
  ListFilter filter;
  filter.amount_min = domain::Cents(std::numeric_limits<std::int64_t>::min());
  filter.amount_max = domain::Cents(std::numeric_limits<std::int64_t>::max());
  CHECK(one.find(filter).total == 1);
}

TEST_CASE("a page past the end is empty and has a true total", "[list]") {
  OneCharge one;
  for (int i = 1; i < 200; ++i) one.add();
  constexpr auto kLast = std::numeric_limits<std::uint64_t>::max();
  ListFilter filter;
  for (const bool filtered : {false, true}) {
    if (filtered) filter.status = domain::ChargeStatus::kPaid;
    for (const std::uint64_t offset : {std::uint64_t{200}, std::uint64_t{1} << 32, kLast - 5, kLast}) {
      const auto page = find_charges(*one.list.version(), filter, offset, 100);
      CHECK(page.total == 200);
      CHECK(page.ordinals.empty());
    }
    CHECK(
        find_charges(*one.list.version(), filter, 199, std::numeric_limits<std::uint32_t>::max()).ordinals ==
        std::vector<std::uint32_t>{0});
    CHECK(find_charges(*one.list.version(), filter, 0, 0).total == 200);
  }
}

TEST_CASE("search ignores case and accents and stays within one text", "[list]") {
  OneCharge one;
  one.list.change_customer(0, "José Conceição", "jose@example.com", "");
  for (const char* found : {"JOSE", "conceicao", "Ção", "é c", "@EXAMPLE", "pedido-1", "PEDIDO", "-1"}) {
    CAPTURE(found);
    CHECK(one.search(found).total == 1);
  }
  for (const char* absent : {"maria", "ojose", "o\njose", "\n", "", "\u0301", "ppedido", "pedido-11"}) {
    CAPTURE(absent);
    CHECK(one.search(absent).total == 0);
  }
}

TEST_CASE("search finds letters beyond ASCII by their ASCII spellings", "[list]") {
  OneCharge one;
  one.list.change_customer(0, "Søren Łukasz Groß", "soren@example.com", "");
  for (const char* found : {"soren l", "SØREN", "lukasz", "łukasz", "gross", "groß"}) {
    CAPTURE(found);
    CHECK(one.search(found).total == 1);
  }
}

TEST_CASE("search treats runs of blanks as one, in the query and in stored texts", "[list]") {
  OneCharge one;
  for (const char* name : {"Maria  da Silva", "Maria da  Silva", "Maria\u00a0\u2003 da Silva"}) {
    one.list.change_customer(0, name, "m@example.com", "");
    for (const char* found : {"maria da silva", "Maria  da   Silva", "a  d", "Maria\u00a0 da Silva"}) {
      CAPTURE(name, found);
      CHECK(one.search(found).total == 1);
      CHECK(find_customers(*one.list.version(), {.search = found}, 0, 10).total == 1);
    }
    CHECK(one.search("mariada").total == 0);
  }
}

TEST_CASE("search finds 8 digits or more of a phone, as people write it", "[list]") {
  OneCharge one;
  for (const char* phone : {"11987654321", "5511987654321"}) {
    one.list.change_customer(0, "Ana", "ana@example.com", phone);
    for (const char* found :
         {"11987654321", "(11) 98765-4321", "+55 11 98765-4321", "8765-4321", "11987654"}) {
      CAPTURE(phone, found);
      CHECK(one.search(found).total == 1);
      CHECK(find_customers(*one.list.version(), {.search = found}, 0, 10).total == 1);
    }
    for (const char* absent : {"7654321", "87654322", "119876543210"}) {
      CAPTURE(phone, absent);
      CHECK(one.search(absent).total == 0);
    }
  }
}

TEST_CASE("an erased customer is found by no search", "[list]") {
  OneCharge one;
  one.list.change_customer(0, "Ana", "ana@example.com", "11987654321");
  one.list.change_customer(0, "", "", "");
  CHECK(one.search("ana").total == 0);
  CHECK(one.search("11987654321").total == 0);
  CHECK(one.search("pedido").total == 1);
}

TEST_CASE("a charge that matches a search exactly is still subject to the other filters", "[list]") {
  const OneCharge one;
  ListFilter filter;
  filter.search = "its whole id";
  CHECK(one.find(filter).total == 0);
  filter.search_exact = {0, 0, 7};
  CHECK(one.find(filter).total == 1);
  filter.status = domain::ChargeStatus::kFailed;
  CHECK(one.find(filter).total == 0);
}

TEST_CASE("customers are listed by the time of their creation, newest first", "[list]") {
  TransactionList list(tests::kSmallShape);
  for (int i = 0; i < 100; ++i) list.add_customer({Timestamp(i / 10 * 10), "Ana", "a@example.com"});
  const auto version = list.version();
  CHECK(find_customers(*version, {}, 98, 10).ordinals == std::vector<std::uint32_t>{1, 0});
  CHECK(
      find_customers(*version, {.created_from = Timestamp(20), .created_to = Timestamp(30)}, 0, 2).ordinals ==
      std::vector<std::uint32_t>{39, 38});
  CHECK(find_customers(*version, {.created_from = Timestamp(20), .created_to = Timestamp(30)}, 0, 2).total ==
        20);
  CHECK(find_customers(*version, {.created_from = Timestamp(21), .created_to = Timestamp(29)}, 0, 2).total ==
        0);
  CHECK(find_customers(*version, {.created_from = Timestamp(90)}, 5, 100).ordinals.size() == 5);
  CHECK(find_customers(*version, {.created_to = Timestamp(9)}, 100, 100).total == 10);
}
