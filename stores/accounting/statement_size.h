#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

// A count or sum of entries that a line states: "Total de registros: 12", "Total geral;150,00". Both are set
// if it may be either: "Total: 37".
struct StatedSize {
  std::optional<std::int64_t> count{};
  std::optional<std::int64_t> cents{};
  bool is_clear = false;  // false: it may mean something else
};
// `cells`: of the whole line, which must state nothing else than a size and a page.
StatedSize stated_size_of(const std::vector<std::string>& cells);

// "Página 1 de 3", "Pág. 1/3"
struct StatedPage {
  std::int64_t number, pages;
};
// `words`: of a whole line, in words_of; it may state anything else, too.
std::optional<StatedPage> stated_page_of(std::string_view words);

// Whether a label is of a sum of entries: "Total", "Soma dos pagamentos"; not "Total disponível".
bool is_sum_label(const std::string& words);
// Likewise, of all entries: "Total geral".
bool is_clear_sum_label(const std::string& words);

}  // namespace pixledger::stores
