#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

inline constexpr std::size_t kAbsent = SIZE_MAX;

// The columns of a table, by their names: in any order, among others.
struct StatementHeading {
  std::size_t id = kAbsent, cents = kAbsent, amount = kAbsent, credit = kAbsent, debit = kAbsent,
              time = kAbsent, clock = kAbsent, txid = kAbsent, return_id = kAbsent;
  std::vector<std::size_t> signs{};   // columns that state the direction
  std::vector<std::size_t> kinds{};   // columns that may state it, or the kind
  std::vector<std::size_t> states{};  // columns that state whether the money moved
  std::vector<std::size_t> currencies{};
  std::size_t columns = 0;
  std::size_t texts = 0;             // number of other columns
  std::vector<bool> parties{};       // which columns name a person
  std::vector<std::string> names{};  // as the file spells them, for messages

  bool has_amount() const {
    return cents != kAbsent || amount != kAbsent || credit != kAbsent || debit != kAbsent;
  }
  // "column 3, Valor (R$),"
  std::string column(std::size_t place) const {
    return "column " + std::to_string(place + 1) + ", " + names[place] + ",";
  }
  bool is_whole() const { return has_amount() && time != kAbsent; }
};

// Reads a line that may name the columns; `text` is its text. Returns none of them if none is of a time.
// Throws StatementRefused if two columns have one name, as it is unclear which is meant.
StatementHeading heading_of(const std::vector<std::string>& cells, std::size_t line, std::string_view text);

}  // namespace pixledger::stores
