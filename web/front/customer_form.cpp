#include "web/front/customer_form.h"

#include <algorithm>

#include "domain/text/ascii.h"
#include "eventstore/platform/json.h"
#include "http/message/header_items.h"
#include "web/front/site_routes.h"

namespace pixledger::web {
namespace {

std::string value_of(std::string_view body, std::string_view name) {
  return std::string(http::without_blanks(form_value(body, name).value_or("")));
}

// Without the signs, which mean nothing; what else does not belong there is the API's to refuse.
std::string without(std::string_view signs, std::string_view text) {
  std::string bare;
  std::copy_if(text.begin(), text.end(), std::back_inserter(bare),
               [signs](char c) { return signs.find(c) == std::string_view::npos; });
  return bare;
}

std::string bare_document(std::string_view text) {
  auto bare = without(" .-/", text);
  std::transform(bare.begin(), bare.end(), bare.begin(), domain::to_ascii_upper);
  return bare;
}

}  // namespace

FormEntry read_entry(std::string_view body) {
  return {.name = value_of(body, "name"),
          .document = value_of(body, "document"),
          .email = value_of(body, "email"),
          .phone = value_of(body, "phone")};
}

std::string customer_json(const FormEntry& entry, std::string_view caller) {
  eventstore::Json json;
  json.begin_object().field("name", entry.name).field("document", bare_document(entry.document));
  json.field("email", entry.email).field("phone", without(" .-()+", entry.phone));
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
