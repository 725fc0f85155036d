#include "projections/list/charge_selection.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "domain/text.h"
#include "projections/list/text_scan.h"

namespace pixledger::projections {
namespace {

using Ordinals = std::vector<std::uint32_t>;  // ascending, each once

/// A step along a chain costs as much as a pass costs for this many rows, and a pass as much as this many
/// steps before its first row.
constexpr std::uint64_t kRowsPerChainStep = 256;
constexpr std::uint64_t kStepsForNothing = 32;

Ordinals in_order(Ordinals ordinals, OrdinalRange range) {
  std::erase_if(ordinals, [range](std::uint32_t ordinal) { return !range.contains(ordinal); });
  // Most often they are in order already, and then they may be millions.
  if (!std::is_sorted(ordinals.begin(), ordinals.end())) std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  return ordinals;
}

void select_by_customers(ChargeSelection& selection, const ListVersion& version, const Ordinals& customers,
                         OrdinalRange range) {
  std::uint64_t steps = 0;
  for (const std::uint32_t customer : customers) steps += version.link(customer).count;
  if (steps <= kStepsForNothing + range.size() / kRowsPerChainStep) {
    for (const std::uint32_t customer : customers) {
      std::uint32_t charge = version.link(customer).newest;
      while (charge != kNoOrdinal && charge >= range.first) {
        selection.charges.push_back(charge);
        const auto [segment, row] = version.locate(charge);
        charge = segment.previous[row];
      }
    }
  } else if (customers.size() == 1) {
    selection.customer = customers.front();
  } else {
    selection.customers.resize(version.customer_count());
    for (const std::uint32_t customer : customers) selection.customers[customer] = 1;
  }
}

Ordinals customers_with(const ListVersion& version, const Needle& needle) {
  Ordinals found;
  for (std::size_t i = 0; i < version.customer_texts.size(); ++i) {
    const CustomerTexts& texts = version.customer_texts[i];
    const std::size_t first = i * version.shape.text_chunk_rows;
    for_each_record_with(needle, texts.text, texts.ends, [&found, first](std::size_t row) {
      found.push_back(static_cast<std::uint32_t>(first + row));
    });
  }
  return found;
}

Ordinals charges_with(const ListVersion& version, const Needle& needle, OrdinalRange range) {
  Ordinals found;
  const std::uint32_t rows = version.shape.segment_rows;
  for (std::size_t i = range.first / rows; i * rows < range.last; ++i) {
    const ExternalIdColumn& ids = version.segment(i).external_ids;
    const std::size_t first = i * rows;
    for_each_record_with(needle, {ids.text.data(), ids.text.size()}, ids.ends.span(),
                         [&found, &ids, first](std::size_t record) {
                           found.push_back(static_cast<std::uint32_t>(first + ids.rows[record]));
                         });
  }
  return found;
}

ChargeSelection select_by_search(const ListVersion& version, const ListFilter& filter,
                                 const std::optional<Ordinals>& allowed, OrdinalRange range) {
  ChargeSelection selection;
  Ordinals customers;
  std::string folded = domain::fold(*filter.search);
  if (!folded.empty() && folded.find(kTextSeparator) == std::string::npos) {
    const Needle needle(std::move(folded));
    customers = customers_with(version, needle);
    selection.charges = charges_with(version, needle, range);
  }
  selection.charges.insert(selection.charges.end(), filter.search_exact.begin(), filter.search_exact.end());
  if (allowed) {
    Ordinals both;
    std::set_intersection(customers.begin(), customers.end(), allowed->begin(), allowed->end(),
                          std::back_inserter(both));
    customers = std::move(both);
    std::erase_if(selection.charges, [&](std::uint32_t charge) {
      if (!range.contains(charge)) return true;
      const auto [segment, row] = version.locate(charge);
      return !std::binary_search(allowed->begin(), allowed->end(), segment.customer[row]);
    });
  }
  select_by_customers(selection, version, customers, range);
  return selection;
}

}  // namespace

std::optional<ChargeSelection> select_charges(const ListVersion& version, const ListFilter& filter,
                                              OrdinalRange range) {
  if (!filter.customers && !filter.search) return std::nullopt;
  std::optional<Ordinals> allowed;
  if (filter.customers) allowed = in_order(*filter.customers, {0, version.customer_count()});

  ChargeSelection selection;
  if (filter.search) {
    selection = select_by_search(version, filter, allowed, range);
  } else {
    select_by_customers(selection, version, *allowed, range);
  }
  selection.charges = in_order(std::move(selection.charges), range);
  return selection;
}

}  // namespace pixledger::projections
