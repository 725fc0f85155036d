#pragma once

#include <simdjson.h>
#include <string>
#include <string_view>

// What banks write instead of payments: an empty page with whatever stands beside it, or an error with a
// status that says yes.
namespace pixledger::workers {

// Throws unless a page without payments is known to be empty: UnreadContent where it may hold payments by
// another name, otherwise UnusableAnswer. `has_list`: it has `pix`; then only errors and payments count
// against it. `is_counted`: it has all its counts; then only payments do.
void check_nothing(simdjson::dom::object fields, bool has_list, bool is_counted);

// Whether an entry of a list is an error instead of a payment.
bool is_error(simdjson::dom::element entry);

// A field's name for operators, without what may be a payer's name or document.
std::string shown_name(std::string_view name);

}  // namespace pixledger::workers
