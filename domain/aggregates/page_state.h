#pragma once

#include <optional>
#include <string_view>

namespace pixledger::domain {

// What the page of a checkout session shows its payer. The server of the API says it, that of the pages draws
// it; the texts are both what the API answers and what stands in a page's `data-state`.
enum class PageState : unsigned char {
  kForm,  // nobody has said yet who pays
  kWaiting,
  kProcessing,
  kPaid,
  kReview,  // money has come that the store has to look at
  kExpired,
  kCancelled,
  kFailed,
  kRefunded,
  kPartiallyRefunded
};
std::string_view to_string(PageState state);  // "partially_refunded"
std::optional<PageState> parse_page_state(std::string_view text);

// Whether the payment stands, whatever was returned of it since.
bool is_paid(PageState state);

}  // namespace pixledger::domain
