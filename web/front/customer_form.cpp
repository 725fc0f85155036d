#include "web/front/customer_form.h"

#include <algorithm>
#include <array>

#include "domain/text/ascii.h"
#include "eventstore/platform/json.h"
#include "http/message/header_items.h"
#include "web/front/site_routes.h"

namespace pixledger::web {
namespace {

std::string value_of(std::string_view body, std::string_view name) {
  return std::string(http::without_blanks(form_value(body, name).value_or("")));
}

// What text processors and messengers put among digits, in UTF-8: blanks that do not break or have no width,
// marks of direction, hyphens, dashes and the minus sign.
constexpr std::array<std::string_view, 17> kPastedSigns{
    "\u00a0", "\u2009", "\u202f", "\u200b", "\u200e", "\u200f", "\u202a", "\u202c", "\u2060",
    "\u2066", "\u2069", "\ufeff", "\u2010", "\u2011", "\u2013", "\u2014", "\u2212"};

std::size_t pasted_sign_at(std::string_view text) {
  const auto* const found = std::find_if(kPastedSigns.begin(), kPastedSigns.end(),
                                         [text](std::string_view sign) { return text.starts_with(sign); });
  return found == kPastedSigns.end() ? 0 : found->size();
}

// Without the signs, which mean nothing; what else does not belong there is the API's to refuse.
std::string without(std::string_view signs, std::string_view text) {
  std::string bare;
  while (!text.empty()) {
    const auto pasted = pasted_sign_at(text);
    if (pasted == 0 && signs.find(text.front()) == std::string_view::npos) bare += text.front();
    text.remove_prefix(pasted == 0 ? 1 : pasted);
  }
  return bare;
}

// With the country's code where it was written with it, and not with what is dialled before that.
std::string bare_phone(std::string_view text) {
  auto bare = without(" .-()+", text);
  return bare.starts_with("00") ? bare.substr(2) : bare;
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
