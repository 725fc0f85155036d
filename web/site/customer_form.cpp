#include "web/site/customer_form.h"

#include <algorithm>

#include "base/platform/json.h"
#include "base/text/typed_text.h"
#include "web/site/site_routes.h"

namespace pixledger::web {
namespace {

// Without the blanks, of any kind, that come along with what is pasted.
std::string value_of(std::string_view body, std::string_view name) {
  return std::string(without_outer_blanks(form_value(body, name).value_or("")));
}

// Without the signs that people, text processors and messengers put among digits. What else does not belong
// there is the API's to refuse.
std::string bare(const std::string& typed) { return bare_code(typed).value_or(typed); }

// With the country's code where it was written with it, and not with what is dialled before that.
std::string bare_phone(const std::string& typed) {
  auto digits = bare(typed);
  return digits.starts_with("00") ? digits.substr(2) : digits;
}

}  // namespace

FormEntry read_entry(std::string_view body) {
  return {.name = value_of(body, "name"),
          .document = value_of(body, "document"),
          .email = value_of(body, "email"),
          .phone = value_of(body, "phone")};
}

std::string customer_json(const FormEntry& entry, std::string_view caller) {
  Json json;
  json.begin_object().field("name", entry.name).field("document", bare(entry.document));
  json.field("email", entry.email).field("phone", bare_phone(entry.phone));
  return json.field("customerIp", caller).end_object().take();
}

std::vector<std::string> wrong_fields(const ApiError& error) {
  std::vector<std::string> wrong;
  for (const auto* name : {"name", "document", "email", "phone"}) {
    const auto is_named = [name](const std::string& field) {
      return field == name || field.ends_with(std::string(".") + name);
    };
    if (std::any_of(error.fields.begin(), error.fields.end(), is_named)) wrong.emplace_back(name);
  }
  return wrong;
}

}  // namespace pixledger::web
