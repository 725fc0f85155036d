#include "projections/list/charge_selection.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/text/search_form.h"
#include "projections/list/block_mask.h"
#include "projections/list/text_scan.h"

namespace pixledger::projections {
namespace {

// A step along a chain costs as much as a pass costs for this many rows, and a pass as much as this many
// steps before its first row. A look at one charge costs as much as a pass for fewer.
constexpr std::uint64_t kRowsPerChainStep = 256;
constexpr std::uint64_t kRowsPerLookup = 64;
constexpr std::uint64_t kStepsForNothing = 32;

// Sets bits of ordinals that mostly follow each other: a word is written when the next one's turn comes.
class BitSetter {
 public:
  explicit BitSetter(OrdinalBits& bits) : bits_(bits) {}
  ~BitSetter() { write(); }
  BitSetter(const BitSetter&) = delete;
  BitSetter& operator=(const BitSetter&) = delete;

  void set(std::size_t ordinal) {
    if (ordinal / 64 != word_) {
      write();
      word_ = ordinal / 64;
      pending_ = 0;
    }
    pending_ |= std::uint64_t{1} << ordinal % 64;
  }

 private:
  void write() {
    if (pending_ != 0) bits_[word_] |= pending_;
  }

  OrdinalBits& bits_;
  std::size_t word_ = 0;
  std::uint64_t pending_ = 0;
};

std::uint32_t customer_of(const ListVersion& version, std::uint32_t charge) {
  const auto [segment, row] = version.locate(charge);
  return segment.customer[row];
}

bool have_short_chains(const ListVersion& version, const Ordinals& customers, OrdinalRange range) {
  const std::uint64_t steps_max = kStepsForNothing + range.size() / kRowsPerChainStep;
  std::uint64_t steps = 0;
  return std::all_of(customers.begin(), customers.end(), [&](std::uint32_t customer) {
    steps += version.link(customer).count;
    return steps <= steps_max;
  });
}

template <class Visit>
void for_each_charge_of(const ListVersion& version, const Ordinals& customers, OrdinalRange range,
                        Visit visit) {
  for (const std::uint32_t customer : customers) {
    std::uint32_t charge = version.link(customer).newest;
    while (charge != kNoOrdinal && charge >= range.first) {
      visit(charge);
      const auto [segment, row] = version.locate(charge);
      charge = segment.previous[row];
    }
  }
}

void select_all_of(ChargeSelection& selection, const ListVersion& version, const Ordinals& customers) {
  if (customers.size() == 1) {
    selection.customer = customers.front();
  } else {
    selection.customers = bits_of(customers, version.customer_count());
  }
}

ChargeSelection select_by_customers(const ListVersion& version, const Ordinals& customers,
                                    OrdinalRange range) {
  ChargeSelection selection;
  if (have_short_chains(version, customers, range)) {
    Ordinals charges;
    for_each_charge_of(version, customers, range,
                       [&charges](std::uint32_t charge) { charges.push_back(charge); });
    selection.listed = in_order(std::move(charges), range);
  } else {
    select_all_of(selection, version, customers);
  }
  return selection;
}

void mark_charges_with(OrdinalBits& charges, const ListVersion& version, const Needle& needle,
                       OrdinalRange range, const WorkCheck& check) {
  const Needle separator({&kTextSeparator, 1});
  const std::uint32_t rows = version.shape.segment_rows;
  BitSetter setter(charges);
  for (std::size_t i = range.first / rows; i * rows < range.last; ++i) {
    check.look();
    const ExternalIdColumn& ids = version.segment(i).external_ids;
    const std::uint16_t* const rows_of = ids.rows.data();
    const std::size_t first = i * rows;
    for_each_record_with(needle, {ids.text.data(), ids.text.size()}, separator,
                         [&](std::size_t record) { setter.set(first + rows_of[record]); });
  }
}

void keep_charges_of(OrdinalBits& charges, const ListVersion& version, const OrdinalBits& customers) {
  for_each_bit(charges, [&](std::uint32_t charge) {
    if (!has_bit(customers, customer_of(version, charge)))
      charges[charge / 64] &= ~(std::uint64_t{1} << charge % 64);
  });
}

std::optional<Ordinals> listed_if_few(const OrdinalBits& charges, OrdinalRange range) {
  const std::size_t count = count_marked(charges.data(), charges.size() * 64);
  if (count > kStepsForNothing + range.size() / kRowsPerLookup) return std::nullopt;
  Ordinals listed;
  for_each_bit(charges, [&](std::uint32_t charge) {
    if (range.contains(charge)) listed.push_back(charge);
  });
  return listed;
}

ChargeSelection select_by_search(const ListVersion& version, const ListFilter& filter,
                                 const std::optional<Ordinals>& allowed, OrdinalRange range) {
  ChargeSelection selection;
  OrdinalBits& charges = selection.charges;
  charges = no_bits(version.charge_count());
  Ordinals customers;
  const std::string folded = search_form(*filter.search);
  if (!folded.empty() && folded.find(kTextSeparator) == std::string::npos) {
    const Needle needle(folded);
    customers = customers_with(version, folded, filter.check);
    mark_charges_with(charges, version, needle, range, filter.check);
  }
  for (const std::uint32_t charge : filter.search_exact)
    if (range.contains(charge)) set_bit(charges, charge);
  if (allowed) {
    const OrdinalBits allowed_bits = bits_of(*allowed, version.customer_count());
    std::erase_if(customers, [&](std::uint32_t customer) { return !has_bit(allowed_bits, customer); });
    keep_charges_of(charges, version, allowed_bits);
  }
  if (have_short_chains(version, customers, range)) {
    for_each_charge_of(version, customers, range,
                       [&charges](std::uint32_t charge) { set_bit(charges, charge); });
    selection.listed = listed_if_few(charges, range);
  } else {
    select_all_of(selection, version, customers);
  }
  return selection;
}

bool holds(const ChargeSelection& selection, const ListVersion& version, std::uint32_t charge) {
  if (selection.listed) return std::binary_search(selection.listed->begin(), selection.listed->end(), charge);
  if (!selection.charges.empty() && has_bit(selection.charges, charge)) return true;
  const std::uint32_t customer = customer_of(version, charge);
  if (selection.customer) return customer == *selection.customer;
  return !selection.customers.empty() && has_bit(selection.customers, customer);
}

std::optional<ChargeSelection> select_by_others(const ListVersion& version, const ListFilter& filter,
                                                OrdinalRange range) {
  if (!filter.customers && !filter.search) return std::nullopt;
  std::optional<Ordinals> allowed;
  if (filter.customers) allowed = in_order(*filter.customers, {0, version.customer_count()});
  return filter.search ? select_by_search(version, filter, allowed, range)
                       : select_by_customers(version, *allowed, range);
}

}  // namespace

std::vector<std::uint32_t> customers_with(const ListVersion& version, const std::string& folded,
                                          const WorkCheck& check) {
  if (folded.empty() || folded.find(kTextSeparator) != std::string::npos) return {};
  const Needle needle(folded);
  const Needle separator({&kTextSeparator, 1});
  Ordinals found;
  // A chunk's texts are looked at as fast as some rows of anything else.
  constexpr std::size_t kChunksBetween = 64;
  for (std::size_t i = 0; i < version.customer_texts.size(); ++i) {
    if (i % kChunksBetween == 0) check.look();
    const std::size_t first = i * version.shape.text_chunk_rows;
    for_each_record_with(needle, version.customer_texts[i].text, separator, [&](std::size_t record) {
      const auto customer = static_cast<std::uint32_t>(first + record / CustomerTexts::kTextsEach);
      if (found.empty() || found.back() != customer) found.push_back(customer);
    });
  }
  return found;
}

std::optional<ChargeSelection> select_charges(const ListVersion& version, const ListFilter& filter,
                                              OrdinalRange range) {
  auto others = select_by_others(version, filter, range);
  if (!filter.charges) return others;
  auto charges = in_order(*filter.charges, range);
  if (others) std::erase_if(charges, [&](std::uint32_t charge) { return !holds(*others, version, charge); });
  ChargeSelection selection;
  selection.listed = std::move(charges);
  return selection;
}

std::vector<std::uint32_t> charges_with_external_id(const ListVersion& version, std::string_view external_id,
                                                    const WorkCheck& check) {
  const std::string wanted = search_form(external_id) + kTextSeparator;
  Ordinals found;
  for (std::size_t i = 0; i < version.segment_count(); ++i) {
    check.look();
    const ExternalIdColumn& ids = version.segment(i).external_ids;
    const std::string_view text(ids.text.data(), ids.text.size());
    std::size_t record = 0;
    std::size_t counted = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const void* const next = memmem(text.data() + at, text.size() - at, wanted.data(), wanted.size());
      if (!next) break;
      at = static_cast<std::size_t>(static_cast<const char*>(next) - text.data());
      if (at != 0 && text[at - 1] != kTextSeparator) continue;
      record += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                    text.begin() + static_cast<std::ptrdiff_t>(at),
                                                    kTextSeparator));
      counted = at;
      found.push_back(static_cast<std::uint32_t>(i * version.shape.segment_rows + ids.rows[record]));
    }
  }
  return found;
}

}  // namespace pixledger::projections
