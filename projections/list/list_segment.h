#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "projections/columns/amount_column.h"
#include "projections/columns/growing_column.h"
#include "projections/columns/widening_column.h"

// The columns of a segment: at most 65,536 charges that follow each other. They are only added to, so a copy
// of a segment is a version of it (GrowingColumn).

namespace pixledger::projections {

// Codes of a dictionary, written as places in a list of the codes that occur here: 8 bits each while this
// list has at most 256, else 16, which are enough for any 65,536 rows.
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
  // Where `code` stands in codes(); nothing if no row has it.
  std::optional<std::uint32_t> place_of(std::uint32_t code) const;

  // A code that occurs for the first time; returns its place.
  std::uint32_t add_code(std::uint32_t code, std::size_t rows_max);
  // A row whose code stands at `place`.
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

// The folded external ids of the charges that have one, one after the other, each ended by kTextSeparator,
// so that the number of separators before a place says whose it is.
struct ExternalIdColumn {
  GrowingColumn<std::uint16_t> rows;  // Which row each belongs to, ascending.
  GrowingColumn<char> text;

  void push_back(std::size_t row, std::string_view folded, std::size_t rows_max);
};

// Ends every searchable text. No folded text contains it, so no match can cross it.
inline constexpr char kTextSeparator = '\n';

// "No charge", at the end of a customer's chain.
inline constexpr std::uint32_t kNoOrdinal = std::numeric_limits<std::uint32_t>::max();

struct ListSegment {
  std::int64_t first_created_ms = 0;
  std::int64_t amount_min = std::numeric_limits<std::int64_t>::max();
  std::int64_t amount_max = std::numeric_limits<std::int64_t>::min();
  WideningColumn created;  // Milliseconds since first_created_ms, never falling.
  CodeColumn connection;
  CodeColumn origin_host;
  AmountColumn amount;                    // Ranked in a full segment, and only there.
  GrowingColumn<std::uint32_t> customer;  // Ordinals.
  GrowingColumn<std::uint32_t> previous;  // The charge of the same customer before this one, or kNoOrdinal.
  ExternalIdColumn external_ids;

  std::size_t size() const { return customer.size(); }
  std::int64_t created_ms(std::size_t row) const { return first_created_ms + created[row]; }
  // For a segment that is full: gives its columns their last form.
  void seal();
  // All but the text.
  std::size_t column_bytes() const;
};

}  // namespace pixledger::projections
