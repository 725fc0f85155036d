#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stores/accounting/statement_heading.h"

namespace pixledger::stores {

// A count or sum of entries that a line states: "Total de registros: 12", "Total geral;150,00". Both are set
// if it may be either: "Total: 37".
struct StatedSize {
  std::optional<std::int64_t> count{};
  std::optional<std::int64_t> cents{};
  std::optional<std::int64_t> debits{};  // in a column of its own; `cents` is that of the credits then
  bool is_clear = false;                 // false: it may mean something else
};
// All sizes in the cells of a line that is no entry.
struct StatedSizes {
  std::vector<StatedSize> sizes{};
  std::vector<std::int64_t> amounts{};  // whose line does not say what it sums: "Entradas;150,00"
};
// `heading`: of the line's table. Balances and limits are no sizes.
StatedSizes stated_sizes_of(const std::vector<std::string>& cells, const StatementHeading& heading);

// "Página 1 de 3", "Pág. 1/3"
struct StatedPage {
  std::int64_t number, pages;
};
// `words`: of a whole line, in words_of; it may state anything else, too.
std::optional<StatedPage> stated_page_of(std::string_view words);

// Whether a line, in words_of, states that another page follows: "Continua na próxima página".
bool says_continued(std::string_view words);

// Whether a text, in words_of, may be of a balance or a limit, which is no sum of entries.
bool says_balance(std::string_view words);

}  // namespace pixledger::stores
