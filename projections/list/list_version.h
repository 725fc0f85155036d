#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/environment.h"
#include "projections/columns/amount_column.h"
#include "projections/columns/state_block.h"
#include "projections/columns/value_dictionary.h"

namespace pixledger::projections {

// The columns of a segment: at most 65,536 consecutive charges. They only grow, so a copy of a segment is a
// version of it (GrowingColumn).

// Dictionary codes, stored as places in a list of the codes that occur. A place has 8 bits while the list has
// at most 256 codes, then 16, which suffice for 65,536 rows.
class CodeColumn {
 public:
  static constexpr std::size_t kNarrowMax = 256;

  std::size_t size() const { return is_wide() ? wide_.size() : narrow_.size(); }
  bool is_wide() const { return wide_.size() != 0; }
  const GrowingColumn<std::uint8_t>& narrow() const { return narrow_; }
  const GrowingColumn<std::uint16_t>& wide() const { return wide_; }
  std::uint32_t place_at(std::size_t row) const { return is_wide() ? wide_[row] : narrow_[row]; }

  std::uint32_t code_at(std::size_t row) const { return codes_[place_at(row)]; }

  // The codes that occur, in the order of their first row.
  const GrowingColumn<std::uint32_t>& codes() const { return codes_; }
  // Returns the place of `code` in codes(), or nullopt if no row has it.
  std::optional<std::uint32_t> place_of(std::uint32_t code) const;

  // Adds a code that occurs for the first time; returns its place.
  std::uint32_t add_code(std::uint32_t code, std::size_t rows_max);
  // Appends a row whose code is at `place`.
  void push_back(std::uint32_t place, std::size_t rows_max);
  void shrink_to_fit();
  static CodeColumn of(GrowingColumn<std::uint32_t> codes, GrowingColumn<std::uint8_t> places);
  static CodeColumn of(GrowingColumn<std::uint32_t> codes, GrowingColumn<std::uint16_t> places);
  std::size_t memory_bytes() const {
    return narrow_.memory_bytes() + wide_.memory_bytes() + codes_.memory_bytes();
  }

 private:
  GrowingColumn<std::uint8_t> narrow_;
  GrowingColumn<std::uint16_t> wide_;
  GrowingColumn<std::uint32_t> codes_;
};

// Texts of a charge that have few distinct values: its connection, then its origin host.
// ListedCharge::coded_texts, ColumnFilter::coded_texts and the snapshot keep this order.
inline constexpr std::size_t kCodedColumns = 2;
template <class T>
using PerCodedColumn = std::array<T, kCodedColumns>;

// The folded external ids of the charges that have one, concatenated, each ended by kTextSeparator. The
// number of separators before a place identifies the row.
struct ExternalIdColumn {
  GrowingColumn<std::uint16_t> rows;  // The row of each id, ascending.
  GrowingColumn<char> text;

  void push_back(std::size_t row, std::string_view folded, std::size_t rows_max);
};

// Ends every searchable text. No folded text contains it, so no match crosses it.
inline constexpr char kTextSeparator = '\n';

// "No charge", at the end of a customer's chain.
inline constexpr std::uint32_t kNoOrdinal = std::numeric_limits<std::uint32_t>::max();

struct ListSegment {
  std::int64_t first_created_ms = 0;
  std::int64_t amount_min = std::numeric_limits<std::int64_t>::max();
  std::int64_t amount_max = std::numeric_limits<std::int64_t>::min();
  WideningColumn created;  // Milliseconds since first_created_ms, never decreasing.
  PerCodedColumn<CodeColumn> coded;
  AmountColumn amount;                    // Ranked in full segments only.
  GrowingColumn<std::uint32_t> customer;  // Ordinals.
  GrowingColumn<std::uint32_t> previous;  // The same customer's previous charge, or kNoOrdinal.
  ExternalIdColumn external_ids;

  std::size_t size() const { return customer.size(); }
  std::int64_t created_ms(std::size_t row) const { return first_created_ms + created[row]; }
  // Converts a full segment's columns to their final form.
  void seal();
  // Everything but the text.
  std::size_t column_bytes() const;
};

// The content of a transaction list. A copy is an exact version of it and costs microseconds. Growing columns
// are shared up to the copy's size; changing data is shared in chunks, copied on write.

inline constexpr std::uint32_t kSegmentRowsMax = 65'536;
inline constexpr std::uint32_t kBlockRowsMax = 4'096;

// Rows per unit. Tests use smaller values than the defaults, to get many segments of few rows.
struct ListShape {
  std::uint32_t segment_rows = kSegmentRowsMax;  // At most the default; a multiple of block_rows.
  std::uint32_t block_rows = kBlockRowsMax;      // Filtered, and states copied, at once. At most the default.
  std::uint32_t link_chunk_rows = 512;           // Customers' chains copied at once.
  std::uint32_t text_chunk_rows = 256;           // Customers' texts copied at once.

  bool is_valid() const;
  friend bool operator==(const ListShape&, const ListShape&) = default;
};

// The start of a customer's chain of charges.
struct CustomerLink {
  std::uint32_t newest = kNoOrdinal;
  std::uint32_t count = 0;
};

// The folded "name⏎e-mail⏎phone⏎" of some consecutive customers; all are empty after an erasure.
struct CustomerTexts {
  static constexpr std::size_t kTextsEach = 3;
  static constexpr std::size_t kPhone = 2;  // Which of them is the phone.

  std::vector<std::uint32_t> ends;  // End of each customer's texts in `text`.
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
  // Returns the segment of a charge and its row there.
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
  std::uint32_t sandbox_charges = 0;                       // The others are live.
  std::vector<std::shared_ptr<const ListSegment>> sealed;  // Full ones.
  ListSegment tail;
  CopyOnWrite<StateBlock> states;                   // In chunks of shape.block_rows.
  CopyOnWrite<std::vector<CustomerLink>> links;     // In chunks of shape.link_chunk_rows.
  CopyOnWrite<CustomerTexts> customer_texts;        // In chunks of shape.text_chunk_rows.
  GrowingColumn<std::int64_t> customer_created_ms;  // Never decreasing.
  GrowingColumn<std::uint32_t> sandbox_customers;   // Ordinals, rising; all others are live.
  PerCodedColumn<ValueDictionary> dictionaries;
};

}  // namespace pixledger::projections
