#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

inline constexpr std::size_t kAbsent = SIZE_MAX;

// Where a table has what, by what its columns are called: of many names, in any order, among others.
struct StatementHeading {
  std::size_t id = kAbsent, cents = kAbsent, amount = kAbsent, credit = kAbsent, debit = kAbsent,
              time = kAbsent, clock = kAbsent, txid = kAbsent, return_id = kAbsent, kind = kAbsent;
  std::size_t columns = 0;
  std::size_t texts = 0;        // of the columns, those of none of these
  std::vector<bool> parties{};  // which columns name somebody

  bool has_amount() const {
    return cents != kAbsent || amount != kAbsent || credit != kAbsent || debit != kAbsent;
  }
  bool is_whole() const { return has_amount() && time != kAbsent; }
};

// Of a line that may name the columns: `text`, as it stands there. Throws StatementRefused where two columns
// have one name, as nobody can tell which is meant.
StatementHeading heading_of(const std::vector<std::string>& cells, std::size_t line, std::string_view text);

}  // namespace pixledger::stores
