#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pixledger::stores {

// A count or sum of entries that a line states: "Total de registros: 12", "Total geral;150,00". Both are set
// if it may be either: "Total: 37".
struct StatedSize {
  std::optional<std::int64_t> count{};
  std::optional<std::int64_t> cents{};
  bool is_clear = false;  // false: it may mean something else
};
// `cells`: of the whole line, which must state nothing else.
StatedSize stated_size_of(const std::vector<std::string>& cells);
// Whether a label is of a sum of entries: "Total", "Soma dos pagamentos"; not "Total disponível".
bool is_sum_label(const std::string& words);
// Likewise, of all entries: "Total geral".
bool is_clear_sum_label(const std::string& words);

}  // namespace pixledger::stores
