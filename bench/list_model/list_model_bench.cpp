#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "projections/list/list_query.h"
#include "projections/list/transaction_list.h"

// How long the list model takes for each kind of filter, at page 1 and at the deepest page. LIST_CHARGES
// sets the number of charges, 10 million by default; every tenth is a customer's first.

namespace {

using namespace pixledger;

std::uint32_t charges_wanted() {
  const char* const text = std::getenv("LIST_CHARGES");
  return text == nullptr ? 10'000'000U : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

constexpr std::int64_t kStartMs = 1'750'000'000'000;
constexpr std::int64_t kMillisPerCharge = 3'000;  // ten million in a year

domain::ConnectionId connection(std::size_t number) {
  return *domain::ConnectionId::parse("cconnection" + std::to_string(10 + number));
}

OriginHost origin_host(std::size_t number) {
  return *OriginHost::parse("shop" + std::to_string(number) + ".example.com");
}

std::string person(std::uint32_t number) {
  constexpr const char* kFirst[] = {"Ana",     "João",    "Maria",     "José",
                                    "Antônio", "Beatriz", "Conceição", "Luís"};
  constexpr const char* kLast[] = {"Silva", "Santos", "Oliveira", "Souza", "Araújo", "Pereira", "Gonçalves"};
  return std::string(kFirst[number % 8]) + " " + kLast[number / 8 % 7] + " " + kLast[number / 56 % 7];
}

std::string email_of(std::uint32_t number) { return "cliente" + std::to_string(number) + "@example.com.br"; }

std::string phone_of(std::uint32_t number) { return "119" + std::to_string(10'000'000 + number); }

projections::TransactionList make_list() {
  projections::TransactionList list;
  std::mt19937_64 random(42);
  std::vector<domain::ConnectionId> connections;
  std::vector<OriginHost> hosts;
  for (std::size_t i = 0; i < 4; ++i) connections.push_back(connection(i));
  for (std::size_t i = 0; i < 50; ++i) hosts.push_back(origin_host(i));
  for (std::uint32_t i = 0; i < charges_wanted(); ++i) {
    const Timestamp now(kStartMs + i * kMillisPerCharge);
    if (i % 10 == 0) {
      const std::uint32_t customer = list.customer_count();
      list.add_customer({now, person(customer), email_of(customer), phone_of(customer)});
    }
    std::optional<domain::ExternalId> external_id;
    if (i % 2 == 0) external_id = domain::ExternalId::parse("pedido-" + std::to_string(100'000'000 + i));
    list.add_charge({now, static_cast<domain::ChargeStatus>(random() % 7),
                     static_cast<domain::Environment>(random() % 2), connections[random() % 4],
                     hosts[random() % 50], domain::Cents(static_cast<std::int64_t>(100 + random() % 100'000)),
                     static_cast<std::uint32_t>(random() % list.customer_count()), external_id});
  }
  return list;
}

const projections::TransactionList& full_list() {
  static const projections::TransactionList list = make_list();
  return list;
}

void measure(benchmark::State& state, const projections::ListFilter& filter) {
  const auto version = full_list().version();
  constexpr std::uint32_t kLimit = 50;
  const std::uint64_t total = find_charges(*version, filter, 0, kLimit).total;
  const std::uint64_t offset = state.range(0) == 0 || total < kLimit ? 0 : total - kLimit;
  for (auto _ : state) {
    auto page = find_charges(*version, filter, offset, kLimit);
    benchmark::DoNotOptimize(page);
  }
  state.counters["total"] = static_cast<double>(total);
}

void add(const std::string& name, projections::ListFilter filter) {
  for (const std::int64_t deepest : {0, 1}) {
    benchmark::RegisterBenchmark((name + (deepest == 0 ? "/first page" : "/last page")).c_str(),
                                 [filter](benchmark::State& state) { measure(state, filter); })
        ->Arg(deepest)
        ->Unit(benchmark::kMillisecond);
  }
}

void add_column_filters() {
  using Filter = projections::ListFilter;
  const auto with_status = [](Filter& filter) { filter.status = domain::ChargeStatus::kPaid; };
  const auto with_environment = [](Filter& filter) { filter.environment = domain::Environment::kLive; };
  const auto with_connection = [](Filter& filter) { filter.connection = connection(1); };
  const auto with_host = [](Filter& filter) { filter.origin_host = origin_host(7); };
  const auto with_amount = [](Filter& filter) {
    filter.amount_min = domain::Cents(20'000);
    filter.amount_max = domain::Cents(70'000);
  };
  const auto with_dates = [](Filter& filter) {
    const std::int64_t span_ms = charges_wanted() * kMillisPerCharge;
    filter.created_from = Timestamp(kStartMs + span_ms / 100);
    filter.created_to = Timestamp(kStartMs + span_ms / 100 * 99);
  };
  for (unsigned bits = 0; bits < 64; ++bits) {
    Filter filter;
    std::string name = "columns:";
    const auto take = [&](unsigned bit, const char* label, const auto& with) {
      if ((bits >> bit & 1U) == 0) return;
      with(filter);
      name += std::string(" ") + label;
    };
    take(0, "status", with_status);
    take(1, "environment", with_environment);
    take(2, "connection", with_connection);
    take(3, "host", with_host);
    take(4, "amount", with_amount);
    take(5, "dates", with_dates);
    add(name, filter);
  }
}

void add_other_filters() {
  projections::ListFilter filter;
  filter.customers = {123};
  add("customer: one", filter);
  filter.status = domain::ChargeStatus::kPaid;
  add("customer: one, status", filter);
  filter = {};
  filter.customers.emplace();
  for (std::uint32_t i = 0; i < 1'000; ++i) filter.customers->push_back(i * 37);
  add("customer: a thousand", filter);
  filter.customers->clear();
  for (std::uint32_t i = 0; i < charges_wanted() / 20; ++i) filter.customers->push_back(i * 2);
  add("customer: half of all", filter);
  for (const char* text : {"cliente77777@", "pedido-100123456", "conceição", "maria silva", "nobody at all",
                           "9", "a", "pedido", "777"}) {
    filter = {};
    filter.search = text;
    add(std::string("search: ") + text, filter);
  }
  filter.search = "maria";
  filter.status = domain::ChargeStatus::kPaid;
  filter.amount_min = domain::Cents(50'000);
  add("search: maria, status, amount", filter);
}

void measure_version(benchmark::State& state) {
  auto list = make_list();
  std::uint32_t charge = 0;
  for (auto _ : state) {
    list.set_status(charge % list.charge_count(), static_cast<domain::ChargeStatus>(1 + charge / 1'000 % 2));
    benchmark::DoNotOptimize(list.version());
    charge += 7'919;
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto use = full_list().memory_use();
  const auto charges = static_cast<double>(full_list().charge_count());
  std::cout << "bytes a charge: " << static_cast<double>(use.column_bytes) / charges << " and "
            << static_cast<double>(use.text_bytes) / charges << " of text\n";
  add_column_filters();
  add_other_filters();
  benchmark::RegisterBenchmark("a status and its version", measure_version)->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
