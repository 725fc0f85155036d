#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pixledger::stores {

// What a line beside the entries says of how many there are or what they come to: "Total de registros: 12",
// "Total geral;150,00". Where both are there it may be either: "Total: 37".
struct StatedSize {
  std::optional<std::int64_t> count{};
  std::optional<std::int64_t> cents{};
  bool is_clear = false;  // false: it may mean something else
};
// `cells`: of the whole line, which says nothing else.
StatedSize stated_size_of(const std::vector<std::string>& cells);
// Whether a label is of a sum of entries: "Total", "Soma dos pagamentos"; not "Total disponível".
bool is_sum_label(const std::string& words);
// And of all of them: "Total geral".
bool is_clear_sum_label(const std::string& words);

}  // namespace pixledger::stores
