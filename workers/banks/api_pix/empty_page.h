#pragma once

#include <cstdint>
#include <simdjson.h>
#include <string>
#include <string_view>

// What banks write instead of payments: an empty page with any fields beside it, or an error with a
// successful status.
namespace pixledger::workers {

// A page without payments.
struct EmptyPage {
  simdjson::dom::object fields;
  bool is_first;    // no page precedes it; otherwise a total may be that of the pages before
  bool has_list;    // it has `pix`: other fields' content is ignored, unless it is an error or payments
  bool is_counted;  // it has all its counts: errors are ignored, too
};

// Throws unless the page is surely empty: UnreadContent if it may hold payments by another name, or states
// that some exist; otherwise UnusableAnswer.
void check_nothing(const EmptyPage& page);

// Returns how many payments, on all pages, the fields of a page without payments state, by any name that
// banks use; 0: none.
std::int64_t stated_items(simdjson::dom::object fields);

// Returns whether an entry of a list is an error instead of a payment.
bool is_error(simdjson::dom::element entry);

// Returns a field's name for operators, without what may be a payer's name or document.
std::string shown_name(std::string_view name);

}  // namespace pixledger::workers
