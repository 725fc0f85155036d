#pragma once

#include <cstdint>
#include <simdjson.h>
#include <string>
#include <string_view>

// What banks write instead of payments: an empty page with whatever stands beside it, or an error with a
// status that says yes.
namespace pixledger::workers {

// A page without payments.
struct EmptyPage {
  simdjson::dom::object fields;
  bool is_first;    // no page comes before it; otherwise a total may be that of the pages before
  bool has_list;    // it has `pix`: content of other fields says nothing, unless it is an error or payments
  bool is_counted;  // it has all its counts: errors do not count against it either
};

// Throws unless the page is known to be empty: UnreadContent where it may hold payments by another name, or
// states that there are some; otherwise UnusableAnswer.
void check_nothing(const EmptyPage& page);

// How many payments the fields of a page without payments state that there are on all pages, by any name that
// banks give such a count; 0: none.
std::int64_t stated_items(simdjson::dom::object fields);

// Whether an entry of a list is an error instead of a payment.
bool is_error(simdjson::dom::element entry);

// A field's name for operators, without what may be a payer's name or document.
std::string shown_name(std::string_view name);

}  // namespace pixledger::workers
