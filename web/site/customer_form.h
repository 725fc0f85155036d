#pragma once

#include <string>
#include <string_view>

#include "web/session/payer_session.h"
#include "web/site/pages/page.h"

namespace pixledger::web {

// What a payer wrote, of a form's body.
FormEntry read_entry(std::string_view body);

// The same for the API: documents and telephones bare of the signs that people write them with. `caller`: the
// payer's address.
std::string customer_json(const FormEntry& entry, std::string_view caller);

// Which of the form's fields the API named.
std::vector<std::string> wrong_fields(const ApiError& error);

}  // namespace pixledger::web
