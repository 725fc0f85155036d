#include "tools/audit/strict_fields.h"

#include <algorithm>
#include <set>

#include "base/text/base64.h"

namespace pixledger::tools {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// Two for each level: a proof of consistency of trees whose sizes are numbers of 64 bits has fewer.
constexpr std::size_t kHashesMax = 128;
constexpr std::size_t kNameBytesMax = 64;

bool is_field_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

// `path` is the value's, before and after: a copy for each of many values that lie deep would take very long.
void refuse_repeated_names(element value, std::string& path) {
  const auto length = path.size();
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const element item : items) {
      path += path_of("", index++);
      refuse_repeated_names(item, path);
      path.resize(length);
    }
  }
  object fields;
  if (value.get(fields) != simdjson::SUCCESS) return;
  std::set<std::string_view> names;
  for (const auto& field : fields) {
    path += (length == 0 ? "" : ".") + path_of("", field.key);
    if (!names.insert(field.key).second) refuse(path + " is there twice");
    refuse_repeated_names(field.value, path);
    path.resize(length);
  }
}

}  // namespace

void refuse(const std::string& problem) { throw Malformed(problem); }

std::string path_of(const std::string& parent, std::string_view name) {
  return (parent.empty() ? parent : parent + ".") + (is_field_name(name) ? std::string(name) : "…");
}
std::string path_of(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

element parse_strictly(simdjson::dom::parser& parser, std::string_view text) {
  element value;
  if (parser.parse(text.data(), text.size()).get(value) != simdjson::SUCCESS) refuse("it is not JSON");
  std::string path;
  refuse_repeated_names(value, path);
  return value;
}

Placed data_of(element value, const std::string& kind) {
  if (value.at_key("data").error()) return {value, ""};
  const Fields answer(value, "", {"success", "data"}, kind);
  const std::string rule = "must be true";
  if (!answer.get<bool>("success", rule)) refuse(answer.at("success") + " " + rule);
  return {answer["data"], "data"};
}

Fields::Fields(element value, std::string path, std::initializer_list<std::string_view> names,
               const std::string& kind)
    : path_(std::move(path)) {
  if (value.get(fields_) != simdjson::SUCCESS) refuse((path_.empty() ? "it" : path_) + " must be an object");
  for (const auto name : names) {
    if (fields_.at_key(name).error()) refuse(at(name) + " is missing");
  }
  for (const auto& field : fields_) {
    if (std::find(names.begin(), names.end(), field.key) == names.end())
      refuse(at(field.key) + " is no field of " + kind);
  }
}

std::string Fields::bytes(std::string_view name, std::size_t least, const std::string& rule) const {
  auto bytes = bytes_from_base64(get<std::string_view>(name, rule));
  if (!bytes || bytes->size() < least) refuse(at(name) + " " + rule);
  return *std::move(bytes);
}

std::vector<Digest> Fields::hashes(std::string_view name) const {
  const std::string rule = "must be a list of at most " + std::to_string(kHashesMax) + " hashes in base64";
  const auto items = get<simdjson::dom::array>(name, rule);
  if (items.size() > kHashesMax) refuse(at(name) + " " + rule);
  std::vector<Digest> hashes;
  for (const element item : items) {
    std::string_view text;
    const bool is_text = item.get(text) == simdjson::SUCCESS;
    const auto bytes = is_text ? bytes_from_base64(text) : std::nullopt;
    if (!bytes || bytes->size() != Digest().size()) refuse(at(name) + " " + rule);
    hashes.push_back(digest_from_bytes(*bytes));
  }
  return hashes;
}

}  // namespace pixledger::tools
