#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <simdjson.h>

#include "base/platform/time_zone.h"
#include "tests/support/domain/pasted_texts.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/list_oracle.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using projections::ChargeQuery;
using tests::parsed;
using tests::RandomNumbers;

constexpr unsigned kCharges = 3'000;
constexpr unsigned kGroups = 60;  // time passes after each
constexpr unsigned kPayers = 120;

const std::vector<std::string> kNames = {"João Pereira", "Maria da Silva", "Ângela Ção",
                                         "JOSÉ MARIA",   "Zoë Straße",     "Joao Pereira Neto"};
const std::vector<std::string> kHosts = {"loja.example.com", "outra.example.com", "a.example", "b.example"};
const std::vector<std::string> kSearches = {"joao", "MARIA", "ção",     "pedido-1", "é",      "example.com",
                                            "-99",  "zzz",   "strasse", "pereira",  "PEDIDO", "silva"};

std::string two_digits(std::uint64_t number) {
  const auto text = std::to_string(number);
  return text.size() < 2 ? "0" + text : text;
}

// A project with many charges in all states, all determined by a seed, and another project.
class Shop {
 public:
  explicit Shop(std::uint64_t seed) : random_(seed) {
    project_ = service.create_project();
    other_ = service.create_project();
    for (unsigned group = 0; group < kGroups; ++group) {
      create_some(kCharges / kGroups);
      move_some();
      service.clock().advance_millis(
          static_cast<std::int64_t>(random_.below(5) == 0 ? 0 : random_.below(3 * tests::kDayMs)));
    }
  }

  const tests::TestService::Project& project() const { return project_; }
  RandomNumbers& random() { return random_; }

  tests::TestService service;

 private:
  domain::CreateCharge creation() {
    const auto& project = random_.one_in(10) ? other_.id : project_.id;
    const auto payer = random_.below(kPayers);
    const auto document = "100000000" + two_digits(payer % 100);
    // Some share their address, and some change their name from charge to charge.
    const auto email =
        "payer" + std::to_string(payer / 3) + (payer % 2 == 0 ? "@Example.com" : "@example.com");
    const auto& name = payer % 7 == 0 ? random_.one_of(kNames) : kNames[payer % kNames.size()];
    domain::CreateCharge command{
        project,
        random_.one_in(3) ? domain::Environment::kLive : domain::Environment::kSandbox,
        parsed<domain::DocumentToken>(service.keyring().name_of_document(project.text(), document)),
        {parsed<domain::PersonName>(name),
         parsed<domain::Document>(document),
         parsed<EmailAddress>(email),
         parsed<domain::Phone>((payer % 2 == 0 ? "55119876543" : "119876543") + two_digits(payer % 100)),
         {}},
        domain::Cents(static_cast<std::int64_t>(random_.one_in(20) ? 1 + random_.below(99'999'999'999)
                                                                   : 1 + random_.below(2'000))),
        parsed<domain::ProductName>("Produto"),
        1,
        std::nullopt,
        parsed<OriginHost>(random_.one_of(kHosts)),
        std::nullopt,
        std::nullopt,
        std::nullopt};
    if (random_.one_in(2))
      command.external_id = parsed<domain::ExternalId>("Pedido-" + std::to_string(random_.below(1'000)));
    if (random_.one_in(3))
      command.metadata = domain::Metadata::of({{parsed<domain::MetadataKey>("canal"),
                                                parsed<domain::MetadataValue>(random_.one_of(kNames))},
                                               {parsed<domain::MetadataKey>("mesa"),
                                                parsed<domain::MetadataValue>(two_digits(random_.below(4)))}})
                             .value();
    return command;
  }

  void create_some(unsigned count) {
    std::vector<domain::Command> commands;
    for (unsigned i = 0; i < count; ++i) commands.emplace_back(creation());
    for (const auto& completed : service.execute_all(std::move(commands))) {
      const auto& event = std::get<domain::ChargeEvent>(completed.events().back().event);
      ids_.push_back(std::get<domain::ChargeCreated>(event).id);
    }
  }

  void move_some() {
    std::vector<domain::Command> commands;
    const domain::Caller caller;
    for (unsigned i = 0; i < 40; ++i) {
      const auto& id = random_.one_of(ids_);
      switch (random_.below(9)) {
        case 0:
          commands.emplace_back(domain::PaySandboxCharge{caller, id});
          break;
        case 1:
          commands.emplace_back(domain::ExpireOverdueCharge{id});
          break;
        case 2:
          commands.emplace_back(domain::CancelCharge{caller, id});
          break;
        case 3:
          commands.emplace_back(domain::RefundCharge{caller, id, std::nullopt, std::nullopt});
          break;
        case 4:
          commands.emplace_back(domain::StartProcessing{id});
          break;
        case 5:
          commands.emplace_back(domain::FailCharge{id, std::nullopt});
          break;
        case 6:
        case 7:  // of a live charge that awaits it no more: money to settle
          commands.emplace_back(domain::ReportPayment{
              project_.id, id, tests::sample_end_to_end_id(++payments_), domain::Cents(1), std::nullopt});
          break;
        default:
          commands.emplace_back(domain::RefundCharge{caller, id, domain::Cents(1), std::nullopt});
      }
    }
    service.execute_all(std::move(commands));
  }

  RandomNumbers random_;
  tests::TestService::Project project_{tests::sample_project_id(), "", ""};
  tests::TestService::Project other_{tests::sample_project_id(), "", ""};
  std::vector<domain::ChargeId> ids_;
  unsigned payments_ = 0;
};

std::string percent_encoded(const std::string& text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return encoded;
}

// The filters of a query, as a caller writes them.
class Filters {
 public:
  void add(const std::string& name, const std::string& value) {
    text_ += "&" + name + "=" + percent_encoded(value);
  }
  const std::string& text() const { return text_; }

  ChargeQuery query;

 private:
  std::string text_;
};

enum Filter : unsigned {
  kStatus = 1,
  kEnvironment = 2,
  kConnection = 4,
  kHost = 8,
  kCustomer = 16,
  kEmail = 32,
  kAmount = 64,
  kDates = 128,
  kSearch = 256,
  kExact = 512,
  kIndexed = 1024,
  kFailed = 2048,
  kEnd = 4096
};

// A payment that paid it, or is unapplied.
std::optional<domain::EndToEndId> some_payment(const domain::Charge& charge) {
  if (!charge.unapplied.empty()) return charge.unapplied.back().end_to_end_id;
  if (charge.payment) return charge.payment->end_to_end_id;
  return std::nullopt;
}

// Adds a search for a whole value of the charge.
void add_search(Filters& filters, const domain::Charge& some, const tests::ListOracle& oracle, Shop& shop) {
  auto& random = shop.random();
  auto& query = filters.query;
  const auto payment = some_payment(some);
  const auto& customers = oracle.all_customers();
  const auto customer = std::find_if(customers.begin(), customers.end(),
                                     [&](const auto& each) { return each.id == some.customer; });
  if (payment && random.one_in(4)) {
    query.search = tests::pasted(payment->text(), random);
    query.named.payment = {*payment, some.id};
  } else if (random.one_in(4)) {
    const auto& document = customer->details->document.text();
    query.search = tests::written(document, random);
    const auto& project = shop.project().id;
    const auto token =
        parsed<domain::DocumentToken>(shop.service.keyring().name_of_document(project.text(), document));
    for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox})
      query.named.payers.push_back(domain::customer_stream(project, environment, token));
  } else if (random.one_in(4)) {
    query.search = tests::written(customer->details->phone.text(), random);
  } else {
    query.search = random.one_in(6) ? some.id.text() : random.one_of(kSearches);
  }
  filters.add(random.one_in(2) ? "search" : "q", *query.search);
}

void add_exact(Filters& filters, const domain::Charge& some, RandomNumbers& random) {
  auto& query = filters.query;
  if (const auto payment = some_payment(some); payment && random.one_in(2)) {
    query.payment = {*payment, some.id};
    filters.add("transactionCode", tests::pasted(payment->text(), random));
  } else if (!some.metadata.empty()) {
    query.metadata = some.metadata.entries();
    if (random.one_in(2)) query.metadata.pop_back();
    for (const auto& [key, value] : query.metadata) filters.add("metadata[" + key.text() + "]", value.text());
  } else {
    const auto& id = some.external_id ? some.external_id->text() : some.id.text();
    query.external_id = parsed<domain::ExternalId>(id);
    filters.add("externalId", id);
  }
}

// Values that mostly match something.
Filters random_filters(unsigned kinds, Shop& shop, const tests::ListOracle& oracle) {
  auto& random = shop.random();
  Filters filters;
  auto& query = filters.query;
  const auto& some = oracle.all_charges()[random.below(oracle.all_charges().size())];
  const auto& other = oracle.all_charges()[random.below(oracle.all_charges().size())];
  if (kinds & kStatus) {
    const std::vector<std::string> names = {"waiting_payment", "processing", "paid",
                                            "expired",         "cancelled",  "refunded"};
    std::string wanted;
    for (auto left = 1 + random.below(3); left > 0; --left) {
      const auto name = random.one_of(names);
      wanted += (wanted.empty() ? "" : ",") + name;
      for (unsigned code = 0; code < 7; ++code) {
        const auto status = static_cast<domain::ChargeStatus>(code);
        if (domain::to_string(status) != name) continue;
        if (!query.status) query.status = status;
        query.status->add(status);
      }
    }
    filters.add("status", wanted);
  }
  if (kinds & kEnvironment) {
    query.environment = some.environment;
    filters.add("environment", std::string(domain::to_string(some.environment)));
  }
  if (kinds & kConnection) {
    query.connection = random.one_in(8) ? parsed<domain::ConnectionId>("cunknown00000000") : some.connection;
    filters.add("connectionId", query.connection->text());
  }
  if (kinds & kHost) {
    query.origin_host = random.one_in(8) ? parsed<OriginHost>("nowhere.example") : some.origin_host;
    filters.add(random.one_in(2) ? "domain" : "originDomain", query.origin_host->text());
  }
  if (kinds & kCustomer) {
    query.customer = random.one_in(8) ? parsed<domain::CustomerId>("cnobody000000000") : some.customer;
    filters.add("customerId", query.customer->text());
  }
  if (kinds & kEmail) {
    const auto email = "PAYER" + std::to_string(random.below(kPayers / 3 + 3)) + "@example.COM";
    query.customer_email = parsed<EmailAddress>(email);
    filters.add("customerEmail", email);
  }
  if (kinds & kAmount) {
    if (!random.one_in(3)) query.amount_min = some.amount;
    if (!query.amount_min || random.one_in(2)) query.amount_max = other.amount;
    if (query.amount_min) filters.add("amountMin", std::to_string(query.amount_min->value()));
    if (query.amount_max) filters.add("amountMax", std::to_string(query.amount_max->value()));
  }
  if (kinds & kDates) {
    if (random.one_in(2)) {
      query.created_from = some.created_at;
      filters.add("dateFrom", to_iso8601(some.created_at));
    }
    // A date without a time is the whole day of the store.
    const auto zone = tests::parsed<TimeZone>(std::string(domain::kTimeZoneDefault));
    const auto day = zone.day_of(other.created_at);
    query.created_to = zone.begin_of(day + 1).plus_millis(-1);
    filters.add("dateTo", date_text(day));
  }
  if (kinds & kSearch) add_search(filters, some, oracle, shop);
  if (kinds & kExact) add_exact(filters, some, random);
  if (kinds & kIndexed) {
    query.has_unapplied = random.one_in(2);
    query.is_partly_refunded = !query.has_unapplied || random.one_in(4);
    if (query.has_unapplied) filters.add("unapplied", "true");
    if (query.is_partly_refunded) filters.add("partlyRefunded", "true");
  }
  if (kinds & kFailed) {
    // No failed charge has another status, too.
    if (query.status) query.customer = parsed<domain::CustomerId>("cnobody000000000");
    query.status = domain::ChargeStatus::kFailed;
    filters.add("failed", "true");
  }
  return filters;
}

struct Listed {
  std::int64_t total;
  std::int64_t pages;
  std::vector<std::string> ids;
};

Listed get_list(const Shop& shop, const std::string& path, std::uint64_t page, std::uint64_t limit,
                const std::string& filters) {
  const auto answer = shop.service.send(
      "GET", path + "?page=" + std::to_string(page) + "&limit=" + std::to_string(limit) + filters,
      shop.project().live_key);
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  simdjson::dom::parser parser;
  const auto document = parser.parse(answer.body);
  Listed listed{document.at_pointer("/meta/total").get_int64(),
                document.at_pointer("/meta/totalPages").get_int64(),
                {}};
  for (const auto item : document["data"].get_array())
    listed.ids.emplace_back(std::string_view(item["id"].get_string()));
  return listed;
}

void check_page(const Shop& shop, const std::string& path, const std::vector<std::string>& expected,
                std::uint64_t page, std::uint64_t limit, const std::string& filters) {
  const auto listed = get_list(shop, path, page, limit, filters);
  CHECK(listed.total == static_cast<std::int64_t>(expected.size()));
  CHECK(listed.pages == static_cast<std::int64_t>((expected.size() + limit - 1) / limit));
  std::vector<std::string> ids;
  for (auto i = (page - 1) * limit; i < expected.size() && i < page * limit; ++i) ids.push_back(expected[i]);
  CHECK(listed.ids == ids);
}

void check_combination(Shop& shop, const tests::ListOracle& oracle, unsigned kinds) {
  auto& random = shop.random();
  const auto filters = random_filters(kinds, shop, oracle);
  const std::string path = random.one_in(2) ? "/api/transactions" : "/api/v1/transactions";
  INFO(path << " " << filters.text());
  const auto expected = oracle.charges(shop.project().id, filters.query);
  const auto limit = 1 + random.below(100);
  const auto last = expected.size() / limit + 1;
  check_page(shop, path, expected, 1, limit, filters.text());
  check_page(shop, path, expected, last, limit, filters.text());
  check_page(shop, path, expected, 1 + random.below(last + 2), limit, filters.text());
}

void check_customers(Shop& shop, const tests::ListOracle& oracle) {
  const auto& some = oracle.all_customers()[shop.random().below(oracle.all_customers().size())];
  const auto moment = to_iso8601(some.created_at);
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    const auto of = "&environment=" + std::string(domain::to_string(environment));
    const auto& id = shop.project().id;
    const auto expected = oracle.customers(id, {.environment = environment, .created_from = some.created_at});
    check_page(shop, "/api/customers", expected, 1, 7, "&dateFrom=" + moment + of);
    const auto until = oracle.customers(id, {.environment = environment, .created_to = some.created_at});
    check_page(shop, "/api/v1/customers", until, 2, 9, "&dateTo=" + moment + of);
  }
}

}  // namespace

TEST_CASE(
    "every combination of filters lists what a look at every charge finds, however the lists came to be") {
  const auto seed = tests::seed_from_environment(20261121);
  std::cout << "seed " << seed << '\n';
  Shop shop(seed);
  const tests::ListOracle oracle(shop.service.log());
  REQUIRE(oracle.all_charges().size() == kCharges);
  ChargeQuery to_settle;
  to_settle.has_unapplied = true;
  REQUIRE(oracle.charges(shop.project().id, to_settle).size() > 30);
  ChargeQuery partly_refunded;
  partly_refunded.is_partly_refunded = true;
  REQUIRE(!oracle.charges(shop.project().id, partly_refunded).empty());

  for (unsigned kinds = 0; kinds < kEnd; ++kinds) check_combination(shop, oracle, kinds);
  for (int i = 0; i < 10; ++i) check_customers(shop, oracle);

  using Lost = tests::TestService::Lost;
  for (const auto lost : {Lost::kNothing, Lost::kListSnapshot, Lost::kViews}) {
    shop.service.restart(lost);
    for (unsigned i = 0; i < 60; ++i)
      check_combination(shop, oracle, static_cast<unsigned>(shop.random().below(kEnd)));
    check_customers(shop, oracle);
  }
}
