#include "projections/list/customer_selection.h"

#include "base/text/search_form.h"
#include "projections/list/charge_selection.h"

namespace pixledger::projections {

std::optional<OrdinalBits> select_customers(const ListVersion& version, const CustomerFilter& filter) {
  if (!filter.customers && filter.without.empty() && !filter.search) return std::nullopt;
  const std::uint32_t count = version.customer_count();
  OrdinalBits selected = no_bits(count);
  if (filter.customers) {
    selected = bits_of(in_order(*filter.customers, {0, count}), count);
  } else {
    for (std::uint32_t customer = 0; customer < count; ++customer) set_bit(selected, customer);
  }
  if (filter.search) {
    OrdinalBits found = bits_of(customers_with(version, search_form(*filter.search), filter.check), count);
    for (const auto customer : in_order(filter.search_exact, {0, count})) set_bit(found, customer);
    for (std::size_t word = 0; word < selected.size(); ++word) selected[word] &= found[word];
  }
  for (const auto customer : in_order(filter.without, {0, count}))
    selected[customer / 64] &= ~(std::uint64_t{1} << customer % 64);
  if (filter.environment) {
    const auto all = version.sandbox_customers.span();
    const OrdinalBits sandbox = bits_of(in_order({all.begin(), all.end()}, {0, count}), count);
    const std::uint64_t flip = *filter.environment == domain::Environment::kSandbox ? 0 : ~std::uint64_t{0};
    for (std::size_t word = 0; word < selected.size(); ++word) selected[word] &= sandbox[word] ^ flip;
  }
  return selected;
}

}  // namespace pixledger::projections
