#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/environment.h"
#include "projections/columns/copy_on_write.h"
#include "projections/columns/state_block.h"
#include "projections/columns/value_dictionary.h"
#include "projections/list/list_segment.h"

// What a transaction list holds. A copy is an exact version of it and costs microseconds: columns that only
// grow are shared up to the copy's size, what changes is shared in chunks until it does.

namespace pixledger::projections {

inline constexpr std::uint32_t kSegmentRowsMax = 65'536;
inline constexpr std::uint32_t kBlockRowsMax = 4'096;

// How many rows go together. Others than the defaults are for tests, which want many segments of few rows.
struct ListShape {
  std::uint32_t segment_rows = kSegmentRowsMax;  // At most this; a multiple of block_rows.
  std::uint32_t block_rows = kBlockRowsMax;      // Filtered at once, and states copied at once. At most this.
  std::uint32_t link_chunk_rows = 512;           // Customers' chains copied at once.
  std::uint32_t text_chunk_rows = 256;           // Customers' texts copied at once.

  bool is_valid() const;
  friend bool operator==(const ListShape&, const ListShape&) = default;
};

// Where a customer's chain of charges begins.
struct CustomerLink {
  std::uint32_t newest = kNoOrdinal;
  std::uint32_t count = 0;
};

// The folded "name⏎e-mail⏎" of some customers that follow each other; both are empty for one who was erased.
struct CustomerTexts {
  static constexpr std::size_t kTextsEach = 2;

  std::vector<std::uint32_t> ends;  // Where each customer's ends in `text`.
  std::string text;
};

class ListVersion {
 public:
  explicit ListVersion(const ListShape& list_shape) : shape(list_shape) {}

  std::uint32_t charge_count() const { return charges; }
  std::uint32_t customer_count() const { return static_cast<std::uint32_t>(customer_created_ms.size()); }

  std::size_t segment_count() const { return sealed.size() + (tail.size() != 0 ? 1 : 0); }
  const ListSegment& segment(std::size_t index) const {
    return index < sealed.size() ? *sealed[index] : tail;
  }
  // The segment of a charge and its row there.
  std::pair<const ListSegment&, std::uint32_t> locate(std::uint32_t ordinal) const {
    return {segment(ordinal / shape.segment_rows), ordinal % shape.segment_rows};
  }
  std::int64_t created_ms(std::uint32_t ordinal) const {
    const auto [columns, row] = locate(ordinal);
    return columns.created_ms(row);
  }
  StateByte state(std::uint32_t ordinal) const {
    return states[ordinal / shape.block_rows][ordinal % shape.block_rows];
  }
  std::uint32_t charges_in(domain::Environment environment) const {
    return environment == domain::Environment::kSandbox ? sandbox_charges : charges - sandbox_charges;
  }
  const CustomerLink& link(std::uint32_t customer) const {
    return links[customer / shape.link_chunk_rows][customer % shape.link_chunk_rows];
  }

  ListShape shape;
  std::uint32_t charges = 0;
  std::uint32_t sandbox_charges = 0;                       // Of them; all others are live.
  std::vector<std::shared_ptr<const ListSegment>> sealed;  // Full ones.
  ListSegment tail;
  CopyOnWrite<StateBlock> states;                   // In chunks of shape.block_rows.
  CopyOnWrite<std::vector<CustomerLink>> links;     // In chunks of shape.link_chunk_rows.
  CopyOnWrite<CustomerTexts> customer_texts;        // In chunks of shape.text_chunk_rows.
  GrowingColumn<std::int64_t> customer_created_ms;  // Never falling.
  GrowingColumn<std::uint32_t> sandbox_customers;   // Ordinals, rising; all others are live.
  ValueDictionary connections;
  ValueDictionary origin_hosts;
};

}  // namespace pixledger::projections
