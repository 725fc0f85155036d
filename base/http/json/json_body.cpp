#include "base/http/json/json_body.h"

#include <algorithm>
#include <simdjson.h>
#include <vector>

#include "base/http/json/error_reply.h"
#include "base/text/text.h"

namespace pixledger::http {

// An object of the body with those inside it that were asked for.
struct JsonObject::Node {
  simdjson::dom::object object;
  std::string path;                       // of its fields: "payment.", empty for the body itself
  std::vector<std::string_view> asked{};  // names of fields; literals
  std::vector<std::shared_ptr<Node>> inner{};

  bool is_known(std::string_view name) const {
    return std::find(asked.begin(), asked.end(), name) != asked.end();
  }
  void know(std::string_view name) {
    constexpr std::size_t kMostHave = 12;
    if (asked.empty()) asked.reserve(kMostHave);
    if (!is_known(name)) asked.push_back(name);
  }
  const std::shared_ptr<Node>& inner_at(const std::string& its_path, simdjson::dom::object its_object) {
    const auto found =
        std::find_if(inner.begin(), inner.end(), [&](const auto& node) { return node->path == its_path; });
    if (found != inner.end()) return *found;
    return inner.emplace_back(std::make_shared<Node>(Node{its_object, its_path}));
  }
  void add_known(std::vector<KnownNames>& known) const {
    known.push_back({path, asked});
    for (const auto& node : inner) node->add_known(known);
  }
  void refuse_unknown(UnknownNames& unknown) const {
    for (const auto field : object) {
      if (!is_known(field.key)) unknown.add(path, field.key);
    }
    for (const auto& node : inner) node->refuse_unknown(unknown);
  }
};

struct JsonObject::Found {
  std::optional<simdjson::dom::element> element;
};

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kBodyPaddingBytes);
constexpr bool kCopyFirst = false;  // the padding is there already

std::string range_rule(std::int64_t min, std::int64_t max) {
  return "must be an integer from " + std::to_string(min) + " to " + std::to_string(max);
}

// Of a number simdjson does not say whether it is malformed or too large.
std::string describe(simdjson::error_code error) {
  if (error == simdjson::NUMBER_ERROR)
    return "has a number that is not valid JSON or too large: integers must fit in 64 bits, others be below "
           "1.8e308";
  return std::string("is not valid JSON: ") + error_message(error);
}

void append_canonical(simdjson::dom::element element, std::string& out);

void append_canonical(simdjson::dom::object object, std::string& out) {
  std::vector<simdjson::dom::key_value_pair> fields;
  for (const auto field : object) {
    if (!field.value.is_null()) fields.push_back(field);
  }
  std::stable_sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  out += '{';
  for (const auto& field : fields) {
    out += std::to_string(field.key.size());
    out += ':';
    out += field.key;
    append_canonical(field.value, out);
  }
  out += '}';
}

// Texts carry their length instead of escapes: this is hashed, never parsed.
void append_canonical(simdjson::dom::element element, std::string& out) {
  switch (element.type()) {
    case simdjson::dom::element_type::OBJECT:
      return append_canonical(simdjson::dom::object(element), out);
    case simdjson::dom::element_type::ARRAY:
      out += '[';
      for (const auto item : simdjson::dom::array(element)) append_canonical(item, out);
      out += ']';
      return;
    case simdjson::dom::element_type::STRING: {
      const std::string_view text = element;
      out += '"' + std::to_string(text.size()) + ':';
      out += text;
      return;
    }
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE:
    case simdjson::dom::element_type::BOOL:
    case simdjson::dom::element_type::NULL_VALUE:
      out += simdjson::minify(element) + ',';
      return;
  }
}

}  // namespace

JsonObject::Found JsonObject::find(std::string_view name, Presence presence) const {
  if (!node_) return {};
  node_->know(name);
  std::optional<simdjson::dom::element> found;
  for (const auto field : node_->object) {
    if (field.key != name) continue;
    if (found) {
      violation(name, "must be given once");
      return {};
    }
    found = field.value;
  }
  if (found && found->is_null()) found.reset();
  if (!found && presence == Presence::kRequired) violation(name, "is required");
  return {found};
}

std::optional<std::string_view> JsonObject::text(std::string_view name, Presence presence) const {
  const auto [element] = find(name, presence);
  if (!element) return std::nullopt;
  std::string_view text;
  if (element->get(text) == simdjson::SUCCESS) return text;
  violation(name, "must be a text");
  return std::nullopt;
}

std::optional<std::int64_t> JsonObject::required_integer(std::string_view name, std::int64_t min,
                                                         std::int64_t max) const {
  return integer(name, Presence::kRequired, min, max);
}

std::optional<std::int64_t> JsonObject::optional_integer(std::string_view name, std::int64_t min,
                                                         std::int64_t max) const {
  return integer(name, Presence::kOptional, min, max);
}

std::optional<std::int64_t> JsonObject::integer(std::string_view name, Presence presence, std::int64_t min,
                                                std::int64_t max) const {
  const auto [element] = find(name, presence);
  if (!element) return std::nullopt;
  std::int64_t value = 0;
  // 10.0 and 1e3 are not integers here: only what is written as one.
  const bool written_as_integer = element->is_int64() && element->get(value) == simdjson::SUCCESS;
  if (!written_as_integer || value < min || value > max) {
    violation(name, range_rule(min, max));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> JsonObject::optional_boolean(std::string_view name) const {
  const auto [element] = find(name, Presence::kOptional);
  if (!element) return std::nullopt;
  bool value = false;
  if (element->get(value) == simdjson::SUCCESS) return value;
  violation(name, "must be true or false");
  return std::nullopt;
}

std::optional<std::vector<std::string_view>> JsonObject::optional_texts(std::string_view name,
                                                                        std::string_view rule) const {
  const auto [element] = find(name, Presence::kOptional);
  if (!element) return std::nullopt;
  std::vector<std::string_view> texts;
  simdjson::dom::array list;
  bool valid = element->get(list) == simdjson::SUCCESS;
  if (valid) {
    for (const auto item : list) {
      std::string_view text;
      valid = valid && item.get(text) == simdjson::SUCCESS;
      texts.push_back(text);
    }
  }
  if (valid) return texts;
  violation(name, std::string(rule));
  return std::nullopt;
}

std::optional<JsonObject::NamedTexts> JsonObject::optional_named_texts(std::string_view name,
                                                                       std::string_view rule) const {
  const auto [element] = find(name, Presence::kOptional);
  if (!element) return std::nullopt;
  simdjson::dom::object object;
  if (element->get(object) != simdjson::SUCCESS) {
    violation(name, std::string(rule));
    return std::nullopt;
  }
  NamedTexts texts;
  for (const auto field : object) {
    std::string_view text;
    const bool is_text = field.value.get(text) == simdjson::SUCCESS;
    texts.emplace_back(field.key, is_text ? std::optional(text) : std::nullopt);
  }
  return texts;
}

std::optional<JsonObject> JsonObject::required_object(std::string_view name) const {
  return object(name, Presence::kRequired);
}

std::optional<JsonObject> JsonObject::optional_object(std::string_view name) const {
  return object(name, Presence::kOptional);
}

std::optional<JsonObject> JsonObject::object(std::string_view name, Presence presence) const {
  const auto [element] = find(name, presence);
  if (!element) return std::nullopt;
  simdjson::dom::object object;
  if (element->get(object) != simdjson::SUCCESS) {
    violation(name, "must be an object");
    return std::nullopt;
  }
  return JsonObject(node_->inner_at(node_->path + std::string(name) + ".", object), *violations_);
}

void JsonObject::violation(std::string_view name, std::string reason) const {
  if (node_) violations_->push_back({node_->path + std::string(name), std::move(reason)});
}

std::string text_rule(std::string_view text, std::string_view rule) {
  if (holds_hidden_characters(text))
    return "must be without invisible characters and those that turn the direction of writing";
  return std::string(rule);
}

std::optional<JsonBody> JsonBody::parse(const Request& request, Violations& violations) {
  const auto bytes = without_byte_order_mark(request.body);
  return parse_bytes(bytes.data(), bytes.size(), violations);
}

std::optional<JsonBody> JsonBody::parse_or_empty(const Request& request, Violations& violations) {
  static constexpr char kEmptyObject[2 + kBodyPaddingBytes] = "{}";
  if (without_byte_order_mark(request.body).empty()) return parse_bytes(kEmptyObject, 2, violations);
  return parse(request, violations);
}

std::optional<JsonBody> JsonBody::parse_bytes(const char* bytes, std::size_t size, Violations& violations) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element document;
  const auto error = parser.parse(bytes, size, kCopyFirst).get(document);
  if (error != simdjson::SUCCESS) {
    violations.push_back({"body", size == 0 ? "must be a JSON object, but is empty" : describe(error)});
    return std::nullopt;
  }
  simdjson::dom::object object;
  if (document.get(object) != simdjson::SUCCESS) {
    violations.push_back({"body", "must be a JSON object"});
    return std::nullopt;
  }
  return JsonBody(std::make_shared<JsonObject::Node>(JsonObject::Node{object, ""}));
}

void JsonBody::refuse_unknown(Violations& violations) const {
  std::vector<KnownNames> known;
  root_->add_known(known);
  UnknownNames unknown("field", known, violations);
  root_->refuse_unknown(unknown);
}

std::string JsonBody::canonical() const {
  std::string out;
  append_canonical(root_->object, out);
  return out;
}

}  // namespace pixledger::http
