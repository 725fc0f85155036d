#include "base/platform/json_reader.h"

namespace pixledger {

JsonDocument::JsonDocument(std::string_view text) {
  if (parser_.parse(text.data(), text.size()).get(root_) != simdjson::SUCCESS)
    throw JsonRefused("", "is not JSON");
}

JsonFields::JsonFields(simdjson::dom::element element, const std::string& path)
    : prefix_(path.empty() ? path : path + ".") {
  if (element.get(object_) != simdjson::SUCCESS) throw JsonRefused(path, std::string(kRule));
}

void JsonFields::refuse(std::string_view name, std::string_view reason) const {
  throw JsonRefused(path_of(name), std::string(reason));
}

std::optional<simdjson::dom::element> JsonFields::member(std::string_view name) const {
  std::optional<simdjson::dom::element> found;
  for (const auto field : object_) {
    if (field.key != name) continue;
    if (found) refuse(name, "must be given once");
    found = field.value;
  }
  return found;
}

std::optional<std::int64_t> JsonFields::integer(std::string_view name, std::int64_t min,
                                                std::int64_t max) const {
  const auto found = member(name);
  if (!found || found->is_null()) return std::nullopt;
  const auto value = json_value<std::int64_t>(*found);
  if (!value || *value < min || *value > max)
    refuse(name, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return value;
}

std::optional<std::vector<std::string_view>> JsonFields::texts(std::string_view name,
                                                               std::string_view rule) const {
  const auto list = find<simdjson::dom::array>(name, rule);
  if (!list) return std::nullopt;
  std::vector<std::string_view> texts;
  for (const auto item : *list) {
    const auto text = json_value<std::string_view>(item);
    if (!text) refuse(name, rule);
    texts.push_back(*text);
  }
  return texts;
}

std::optional<std::vector<JsonFields>> JsonFields::objects(std::string_view name) const {
  const auto list = find<simdjson::dom::array>(name);
  if (!list) return std::nullopt;
  std::vector<JsonFields> objects;
  for (const auto item : *list)
    objects.emplace_back(item, path_of(name) + "[" + std::to_string(objects.size()) + "]");
  return objects;
}

}  // namespace pixledger
