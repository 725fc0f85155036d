#include "tests/support/ledgers/random_list.h"

#include <array>
#include <string_view>

namespace pixledger::tests {
namespace {

constexpr std::array<std::string_view, 10> kNames{"Ana",    "João", "JOSÉ",  "Conceição", "Zoë",
                                                  "Straße", "Ünal", "Núñez", "Bruno",     "ﬁlipe"};
constexpr std::array<std::string_view, 4> kMailHosts{"example.com", "loja.com.br", "ação.br", "x.org"};

std::string number_text(std::size_t number) { return std::to_string(number); }

}  // namespace

domain::ConnectionId sample_connection(std::size_t number) {
  auto text = number_text(number);
  return *domain::ConnectionId::parse("c" + std::string(12 - text.size(), '0') + text);
}

OriginHost sample_host(std::size_t number) {
  return *OriginHost::parse("shop" + number_text(number) + ".example.com");
}

Timestamp RandomList::tick() {
  // Many at the same moment; sometimes a gap that overflows 32 bits of milliseconds.
  if (one_in(3)) now_ms_ += static_cast<std::int64_t>(below(1'000));
  if (one_in(500)) now_ms_ += 5'000'000'000;
  return Timestamp(now_ms_);
}

std::string RandomList::name() {
  return std::string(kNames[below(kNames.size())]) + " " + std::string(kNames[below(kNames.size())]);
}

domain::Cents RandomList::amount() {
  if (one_in(300)) return domain::Cents(static_cast<std::int64_t>(5'000'000'000 + below(100)));
  return domain::Cents(static_cast<std::int64_t>(below(200)));
}

std::string RandomList::phone() {
  return (one_in(2) ? "55119" : "119") + number_text(87'654'000 + below(1'000));
}

void RandomList::add_customer() {
  ModelCustomer customer{tick(), name(), ""};
  customer.email = "u" + number_text(below(1'000)) + "@" + std::string(kMailHosts[below(kMailHosts.size())]);
  customer.phone = phone();
  if (one_in(20)) customer.name = customer.email = customer.phone = "";
  list.add_customer({customer.created_at, customer.name, customer.email, customer.phone});
  model.customers.push_back(std::move(customer));
}

void RandomList::add_charge() {
  if (one_in(environment_run)) environment_ = static_cast<domain::Environment>(below(2));
  ModelCharge charge{tick(),
                     static_cast<domain::ChargeStatus>(below(7)),
                     environment_,
                     sample_connection(below(3)),
                     sample_host(below(host_count)),
                     amount(),
                     static_cast<std::uint32_t>(one_in(3) ? 0 : below(model.customers.size())),
                     std::nullopt};
  if (one_in(2)) {
    charge.external_id =
        domain::ExternalId::parse(std::string(one_in(2) ? "Pedido-" : "ÓRDEN/") + number_text(below(3'000)));
  }
  list.add_charge({charge.created_at, charge.status, charge.environment, charge.connection,
                   charge.origin_host, charge.amount, charge.customer, charge.external_id});
  model.charges.push_back(std::move(charge));
}

void RandomList::step() {
  const std::size_t kind = below(10);
  if (model.customers.empty() || kind == 0) {
    add_customer();
  } else if (kind == 1) {
    const std::size_t customer = below(model.customers.size());
    auto& changed = model.customers[customer];
    const bool erased = one_in(5);
    changed.name = erased ? "" : name();
    changed.email = erased ? "" : "n" + number_text(below(100'000)) + "@example.com";
    changed.phone = erased ? "" : phone();
    list.change_customer(static_cast<std::uint32_t>(customer), changed.name, changed.email, changed.phone);
  } else if (kind <= 3 && !model.charges.empty()) {
    const std::size_t charge = below(model.charges.size());
    model.charges[charge].status = static_cast<domain::ChargeStatus>(below(7));
    list.set_status(static_cast<std::uint32_t>(charge), model.charges[charge].status);
  } else {
    add_charge();
  }
}

std::string RandomList::some_text() {
  constexpr std::array<std::string_view, 14> kTexts{"ana", "JOAO",        "conceicao", "ß",     "a",
                                                    "@",   "example.com", "PEDIDO-1",  "órden", "9",
                                                    "zzz", "o jose",      "\u0301",    "\n"};
  const auto part_of = [this](const std::string& text) {
    if (text.empty()) return text;
    const std::string folded = fold(text);
    const std::size_t begin = below(folded.size());
    return folded.substr(begin, 1 + below(12));
  };
  switch (below(4)) {
    case 0:
      return part_of(model.customers[below(model.customers.size())].name);
    case 1:
      return part_of(model.customers[below(model.customers.size())].email);
    case 2:
      return part_of(model.customers[below(model.customers.size())].phone);
    default:
      return std::string(kTexts[below(kTexts.size())]);
  }
}

projections::ListFilter RandomList::filter() {
  projections::ListFilter filter;
  const std::size_t density = 2 + below(4);
  const ModelCharge& charge = model.charges[below(model.charges.size())];
  if (one_in(density)) {
    filter.status = charge.status;
    for (std::size_t more = below(3); more-- > 0;)
      filter.status->add(static_cast<domain::ChargeStatus>(below(7)));
  }
  if (one_in(density)) filter.environment = charge.environment;
  if (one_in(density)) filter.connection = one_in(10) ? sample_connection(99) : charge.connection;
  if (one_in(density)) filter.origin_host = one_in(10) ? sample_host(999'999) : charge.origin_host;
  if (one_in(density)) filter.amount_min = one_in(2) ? charge.amount : amount();
  if (one_in(density)) filter.amount_max = one_in(2) ? charge.amount : amount();
  if (one_in(density)) filter.created_from = charge.created_at;
  if (one_in(density)) filter.created_to = model.charges[below(model.charges.size())].created_at;
  if (one_in(density + 1)) {
    filter.customers.emplace();
    for (std::size_t i = below(6); i-- > 0;)
      filter.customers->push_back(static_cast<std::uint32_t>(below(model.customers.size() + 2)));
  }
  if (one_in(density + 2)) {
    filter.charges.emplace();
    for (std::size_t i = below(model.charges.size()); i-- > 0;)
      filter.charges->push_back(static_cast<std::uint32_t>(below(model.charges.size() + 2)));
  }
  if (one_in(density)) {
    filter.search = some_text();
    for (std::size_t i = below(3); i-- > 0;)
      filter.search_exact.push_back(static_cast<std::uint32_t>(below(model.charges.size())));
  }
  return filter;
}

}  // namespace pixledger::tests
