#include "domain/aggregates/page_state.h"

#include <algorithm>
#include <array>

namespace pixledger::domain {
namespace {

constexpr std::array<std::string_view, 10> kPageStateNames = {
    "form",    "waiting",   "processing", "paid",     "review",
    "expired", "cancelled", "failed",     "refunded", "partially_refunded"};

}  // namespace

std::string_view to_string(PageState state) { return kPageStateNames[static_cast<std::size_t>(state)]; }

std::optional<PageState> parse_page_state(std::string_view text) {
  const auto* const found = std::find(kPageStateNames.begin(), kPageStateNames.end(), text);
  if (found == kPageStateNames.end()) return std::nullopt;
  return static_cast<PageState>(found - kPageStateNames.begin());
}

bool is_paid(PageState state) {
  return state == PageState::kPaid || state == PageState::kRefunded || state == PageState::kPartiallyRefunded;
}

}  // namespace pixledger::domain
