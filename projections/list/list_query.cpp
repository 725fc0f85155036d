#include "projections/list/list_query.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "domain/values/contact.h"
#include "projections/list/block_mask.h"
#include "projections/list/list_version.h"
#include "projections/list/row_filter.h"
#include "projections/list/text_scan.h"

namespace pixledger::projections {
namespace {

// Sets of ordinals, as lists and as bits.

using Ordinals = std::vector<std::uint32_t>;  // ascending, each once

// One bit per ordinal: bit i % 64 of word i / 64. Empty if no bit is set.
using OrdinalBits = std::vector<std::uint64_t>;

void set_bit(OrdinalBits& bits, std::size_t ordinal) {
  bits[ordinal / 64] |= std::uint64_t{1} << ordinal % 64;
}

bool has_bit(const OrdinalBits& bits, std::size_t ordinal) {
  return (bits[ordinal / 64] >> ordinal % 64 & 1U) != 0;
}

OrdinalBits no_bits(std::size_t ordinals) { return OrdinalBits((ordinals + 63) / 64); }

OrdinalBits bits_of(const Ordinals& ordinals, std::size_t end) {
  OrdinalBits bits = no_bits(end);
  for (const std::uint32_t ordinal : ordinals) set_bit(bits, ordinal);
  return bits;
}

// Ascending.
template <class Visit>
void for_each_bit(const OrdinalBits& bits, Visit visit) {
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

Ordinals in_order(Ordinals ordinals, OrdinalRange range) {
  std::erase_if(ordinals, [range](std::uint32_t ordinal) { return !range.contains(ordinal); });
  // They are usually sorted already, and then there may be millions.
  if (!std::is_sorted(ordinals.begin(), ordinals.end())) std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  return ordinals;
}

// The result of a filter's customers, charges and search: either a list, or everything that another field
// selects.
struct ChargeSelection {
  // All, ascending, within the requested range, distinct: few enough to check one by one.
  std::optional<std::vector<std::uint32_t>> listed;
  OrdinalBits charges;                    // May include some beyond the range.
  std::optional<std::uint32_t> customer;  // All charges of this customer.
  OrdinalBits customers;                  // All charges of these customers.
};

// Costs: a step along a chain is as slow as a pass over this many rows, and checking one charge as over
// fewer. Starting a pass costs as much as kStepsForNothing steps.
constexpr std::uint64_t kRowsPerChainStep = 256;
constexpr std::uint64_t kRowsPerLookup = 64;
constexpr std::uint64_t kStepsForNothing = 32;

// Sets bits of mostly consecutive ordinals: writes a word when the next word begins.
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

// Scans either all customers' names and e-mails or all their phones for the folded text.
enum class ScannedTexts { kNamesAndEmails, kPhones };

Ordinals customers_with(const ListVersion& version, ScannedTexts scanned, const std::string& folded,
                        const WorkCheck& check) {
  if (folded.empty() || folded.find(kTextSeparator) != std::string::npos) return {};
  const Needle needle(folded);
  const Needle separator({&kTextSeparator, 1});
  Ordinals found;
  // Scanning one chunk's texts takes as long as scanning several rows elsewhere.
  constexpr std::size_t kChunksBetween = 64;
  for (std::size_t i = 0; i < version.customer_texts.size(); ++i) {
    if (i % kChunksBetween == 0) check.look();
    const std::size_t first = i * version.shape.text_chunk_rows;
    for_each_record_with(needle, version.customer_texts[i].text, separator, [&](std::size_t record) {
      const bool is_phone = record % CustomerTexts::kTextsEach == CustomerTexts::kPhone;
      if (is_phone != (scanned == ScannedTexts::kPhones)) return;
      const auto customer = static_cast<std::uint32_t>(first + record / CustomerTexts::kTextsEach);
      if (found.empty() || found.back() != customer) found.push_back(customer);
    });
  }
  return found;
}

// Customers whose name, e-mail or phone the search text finds.
Ordinals customers_found(const ListVersion& version, std::string_view search, const WorkCheck& check) {
  Ordinals found = customers_with(version, ScannedTexts::kNamesAndEmails, search_form(search), check);
  const auto phone = domain::TypedPhone::parse(search);
  if (!phone) return found;
  for (const auto customer : customers_with(version, ScannedTexts::kPhones, phone->digits, check))
    found.push_back(customer);
  return in_order(std::move(found), {0, version.customer_count()});
}

ChargeSelection select_by_search(const ListVersion& version, const ListFilter& filter,
                                 const std::optional<Ordinals>& allowed, OrdinalRange range) {
  ChargeSelection selection;
  OrdinalBits& charges = selection.charges;
  charges = no_bits(version.charge_count());
  Ordinals customers = customers_found(version, *filter.search, filter.check);
  const std::string folded = search_form(*filter.search);
  if (!folded.empty() && folded.find(kTextSeparator) == std::string::npos)
    mark_charges_with(charges, version, Needle(folded), range, filter.check);
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

// Lists the charges of customers with few charges, by their chains; leaves other customers to a pass over the
// column. Nullopt if the filter has neither customers, nor charges, nor a search.
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

// The filter's result without its creation times, one bit per customer. Nullopt if only creation times
// restrict it.
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
    OrdinalBits found = bits_of(customers_found(version, *filter.search, filter.check), count);
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

// Takes matches from the newest on, and keeps those of the page.
class PageTaker {
 public:
  PageTaker(std::uint64_t offset, std::uint32_t limit) : offset_(offset), limit_(limit) {}

  void take_one(std::uint32_t ordinal) {
    if (page_.total >= offset_ && page_.ordinals.size() < limit_) page_.ordinals.push_back(ordinal);
    ++page_.total;
  }

  void take_all(OrdinalRange range) {
    const std::uint64_t skipped = std::min<std::uint64_t>(still_to_skip(), range.size());
    const std::uint64_t taken =
        std::min<std::uint64_t>(range.size() - skipped, limit_ - page_.ordinals.size());
    const auto newest = static_cast<std::uint32_t>(range.last - skipped);
    for (std::uint32_t i = 1; i <= taken; ++i) page_.ordinals.push_back(newest - i);
    page_.total += range.size();
  }

  // True if none of the next `matches` is on the page; then counting them suffices.
  bool passes_over(std::size_t matches) const {
    return still_to_skip() >= matches || page_.ordinals.size() == limit_;
  }
  void pass_over(std::size_t matches) { page_.total += matches; }

  // `marked` is the number of marked rows from `first` on.
  void take_marked(const BlockMask& mask, std::size_t rows, std::size_t marked, std::uint32_t first) {
    if (passes_over(marked)) return pass_over(marked);
    for_each_marked(mask, rows, [&](std::size_t row) { take_one(static_cast<std::uint32_t>(first + row)); });
  }

  ListPage page() && { return std::move(page_); }

 private:
  std::uint64_t still_to_skip() const { return offset_ > page_.total ? offset_ - page_.total : 0; }

  ListPage page_;
  std::uint64_t offset_;
  std::uint32_t limit_;
};

// The ordinals below `count` whose time is between the bounds; times never decrease.
template <class CreatedMs>
OrdinalRange created_between(std::uint32_t count, CreatedMs created_ms, std::optional<Timestamp> from,
                             std::optional<Timestamp> to) {
  if (from && to && *from > *to) return {};
  const auto first_with = [&](auto is_past) {
    std::uint32_t low = 0;
    std::uint32_t high = count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (is_past(created_ms(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  OrdinalRange range{0, count};
  if (from) range.first = first_with([from](std::int64_t created) { return created >= from->millis(); });
  if (to) range.last = first_with([to](std::int64_t created) { return created > to->millis(); });
  return range;
}

void take_listed(const ListVersion& version, const RowFilter& filter,
                 const std::vector<std::uint32_t>& charges, PageTaker& page) {
  for (auto charge = charges.rbegin(); charge != charges.rend(); ++charge)
    if (filter.matches(version, *charge)) page.take_one(*charge);
}

// Also marks those of `rows` whose bit is set.
void mark_charges(BlockMask& mask, OrdinalRange rows, const OrdinalBits& charges) {
  const std::size_t shift = rows.first % 64;
  for (std::size_t i = 0; i < words_of(rows.size()); ++i) {
    const std::size_t word = rows.first / 64 + i;
    mask[i] |= charges[word] >> shift;
    if (shift != 0 && word + 1 < charges.size()) mask[i] |= charges[word + 1] << (64 - shift);
  }
  if (rows.size() % 64 != 0) mask[rows.size() / 64] &= (std::uint64_t{1} << rows.size() % 64) - 1;
}

// Marks the selected rows among `rows`, which are in one segment. The selection is not a list.
void mark_selected(const ListVersion& version, const ChargeSelection& selection, OrdinalRange rows,
                   BlockMask& mask) {
  const auto [segment, row] = version.locate(rows.first);
  const std::uint32_t* const customers = segment.customer.data() + row;
  if (selection.customer) {
    mark_all(mask, rows.size());
    keep_equal_32(mask.data(), customers, rows.size(), *selection.customer);
  } else if (!selection.customers.empty()) {
    mark_members(mask.data(), customers, rows.size(), selection.customers.data());
  } else {
    mark_none(mask, rows.size());
  }
  if (!selection.charges.empty()) mark_charges(mask, rows, selection.charges);
}

// Takes `rows` of a block without reading them, given that `matches` rows of the whole block match. Returns
// false and takes nothing if that is not possible.
bool take_counted(const StateBlock& states, std::size_t matches, OrdinalRange rows, PageTaker& page) {
  if (matches == states.size()) {
    page.take_all(rows);
    return true;
  }
  if (rows.size() != states.size() || !page.passes_over(matches)) return false;
  page.pass_over(matches);
  return true;
}

// `rows` are in one segment. Goes from the newest block to the oldest.
void take_blocks(const ListVersion& version, const SegmentFilter& filter,
                 const std::optional<ChargeSelection>& selection, OrdinalRange rows, PageTaker& page) {
  const std::uint32_t block_rows = version.shape.block_rows;
  BlockMask mask;
  while (rows.size() != 0) {
    const std::uint32_t block = (rows.last - 1) / block_rows;
    // States are scattered in memory: prefetches the next block's during this one.
    if (block >= 1) filter.prefetch(version.states[block - 1]);
    if (block >= 2) __builtin_prefetch(&version.states[block - 2]);
    // From the block's start, where its states begin.
    const OrdinalRange part{block * block_rows, rows.last};
    const StateBlock& states = version.states[block];
    const std::uint32_t first = std::max(rows.first, part.first);
    rows.last = first;
    const auto known = filter.known_matches(states);
    if (known == 0 || (known && !selection && take_counted(states, *known, {first, part.last}, page)))
      continue;
    if (selection) {
      mark_selected(version, *selection, part, mask);
    } else {
      mark_all(mask, part.size());
    }
    if (part.first < first) unmark_before(mask, first - part.first);
    const std::size_t marked =
        filter.keep(mask, states, part.first % version.shape.segment_rows, part.size());
    page.take_marked(mask, part.size(), marked, part.first);
  }
}

void take_segments(const ListVersion& version, const RowFilter& filter,
                   const std::optional<ChargeSelection>& selection, OrdinalRange range,
                   const WorkCheck& check, PageTaker& page) {
  const std::uint32_t segment_rows = version.shape.segment_rows;
  while (range.size() != 0) {
    if (selection) check.look();
    const std::uint32_t index = (range.last - 1) / segment_rows;
    const OrdinalRange rows{std::max(range.first, index * segment_rows), range.last};
    const SegmentFilter segment_filter(filter, version.segment(index));
    if (segment_filter.matches_all() && !selection) {
      page.take_all(rows);
    } else if (!segment_filter.matches_none()) {
      take_blocks(version, segment_filter, selection, rows, page);
    }
    range.last = rows.first;
  }
}

// Live customers are the gaps between sandbox customers.
void take_of_environment(const ListVersion& version, domain::Environment environment, OrdinalRange range,
                         PageTaker& page) {
  const auto all = version.sandbox_customers.span();
  const auto oldest = std::lower_bound(all.begin(), all.end(), range.first);
  for (auto next = std::lower_bound(oldest, all.end(), range.last); next != oldest;) {
    --next;
    page.take_all(environment == domain::Environment::kSandbox ? OrdinalRange{*next, *next + 1}
                                                               : OrdinalRange{*next + 1, range.last});
    range.last = *next;
  }
  if (environment == domain::Environment::kLive) page.take_all(range);
}

void take_bits(const OrdinalBits& bits, OrdinalRange range, PageTaker& page) {
  for (std::uint32_t word = (range.last + 63) / 64; word-- > range.first / 64;) {
    for (std::uint64_t left = bits[word]; left != 0;) {
      const auto top = static_cast<std::uint32_t>(std::bit_width(left)) - 1;
      if (range.contains(word * 64 + top)) page.take_one(word * 64 + top);
      left ^= std::uint64_t{1} << top;
    }
  }
}

}  // namespace

OrdinalRange charges_created(const ListVersion& version, std::optional<Timestamp> from,
                             std::optional<Timestamp> to) {
  const auto created_ms = [&version](std::uint32_t charge) { return version.created_ms(charge); };
  return created_between(version.charge_count(), created_ms, from, to);
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

ListPage find_charges(const ListVersion& version, const ListFilter& filter, std::uint64_t offset,
                      std::uint32_t limit) {
  const auto row_filter = RowFilter::resolve(version, filter);
  if (!row_filter) return {};
  const OrdinalRange range = charges_created(version, filter.created_from, filter.created_to);

  PageTaker page(offset, limit);
  const auto selection = select_charges(version, filter, range);
  if (!selection && row_filter->matches_all()) {
    page.take_all(range);
  } else if (selection && selection->listed) {
    take_listed(version, *row_filter, *selection->listed, page);
  } else {
    take_segments(version, *row_filter, selection, range, filter.check, page);
  }
  return std::move(page).page();
}

OrdinalRange customers_created(const ListVersion& version, std::optional<Timestamp> from,
                               std::optional<Timestamp> to) {
  const auto created_ms = [&version](std::uint32_t customer) {
    return version.customer_created_ms[customer];
  };
  return created_between(version.customer_count(), created_ms, from, to);
}

ListPage find_customers(const ListVersion& version, const CustomerFilter& filter, std::uint64_t offset,
                        std::uint32_t limit) {
  PageTaker page(offset, limit);
  const auto range = customers_created(version, filter.created_from, filter.created_to);
  if (const auto selected = select_customers(version, filter))
    take_bits(*selected, range, page);
  else if (filter.environment)
    take_of_environment(version, *filter.environment, range, page);
  else
    page.take_all(range);
  return std::move(page).page();
}

}  // namespace pixledger::projections
