#include "base/http/json/json_body.h"

#include <algorithm>
#include <simdjson.h>
#include <utility>

#include "base/platform/json_reader.h"
#include "base/text/text.h"

namespace pixledger::http {

// An object of the body with the inner objects that were read.
struct JsonObject::Node {
  JsonFields fields;
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
  const std::shared_ptr<Node>& inner_at(JsonFields its_fields) {
    const auto found = std::find_if(inner.begin(), inner.end(), [&](const auto& node) {
      return node->fields.prefix() == its_fields.prefix();
    });
    if (found != inner.end()) return *found;
    return inner.emplace_back(std::make_shared<Node>(Node{std::move(its_fields)}));
  }
  void add_known(std::vector<KnownNames>& known) const {
    known.push_back({fields.prefix(), asked});
    for (const auto& node : inner) node->add_known(known);
  }
  void refuse_unknown(UnknownNames& unknown) const {
    for (const auto field : fields.object()) {
      if (!is_known(field.key)) unknown.add(fields.prefix(), field.key);
    }
    for (const auto& node : inner) node->refuse_unknown(unknown);
  }
};

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kBodyPaddingBytes);
constexpr bool kCopyFirst = false;  // the padding is there already

// simdjson does not say whether a number is malformed or too large.
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

template <class Read>
auto JsonObject::read_field(std::string_view name, Presence presence, const Read& read) const
    -> decltype(read(std::declval<const JsonFields&>())) {
  if (!node_) return std::nullopt;
  node_->know(name);
  try {
    auto value = read(node_->fields);
    if (!value && presence == Presence::kRequired) violation(name, "is required");
    return value;
  } catch (const JsonRefused& refused) {
    violation(name, refused.reason());
    return std::nullopt;
  }
}

std::optional<std::string_view> JsonObject::text(std::string_view name, Presence presence) const {
  return read_field(name, presence,
                    [&](const JsonFields& fields) { return fields.find<std::string_view>(name); });
}

std::optional<std::int64_t> JsonObject::integer(std::string_view name, Presence presence, std::int64_t min,
                                                std::int64_t max) const {
  return read_field(name, presence, [&](const JsonFields& fields) { return fields.integer(name, min, max); });
}

std::optional<bool> JsonObject::optional_boolean(std::string_view name) const {
  return read_field(name, Presence::kOptional,
                    [&](const JsonFields& fields) { return fields.find<bool>(name); });
}

std::optional<std::vector<std::string_view>> JsonObject::optional_texts(std::string_view name,
                                                                        std::string_view rule) const {
  return read_field(name, Presence::kOptional,
                    [&](const JsonFields& fields) { return fields.texts(name, rule); });
}

std::optional<JsonObject::NamedTexts> JsonObject::optional_named_texts(std::string_view name,
                                                                       std::string_view rule) const {
  const auto object = read_field(name, Presence::kOptional, [&](const JsonFields& fields) {
    return fields.find<simdjson::dom::object>(name, rule);
  });
  if (!object) return std::nullopt;
  NamedTexts texts;
  for (const auto field : *object) texts.emplace_back(field.key, json_value<std::string_view>(field.value));
  return texts;
}

std::optional<JsonObject> JsonObject::object(std::string_view name, Presence presence) const {
  auto inner =
      read_field(name, presence, [&](const JsonFields& fields) { return fields.find<JsonFields>(name); });
  if (!inner) return std::nullopt;
  return JsonObject(node_->inner_at(*std::move(inner)), *violations_);
}

void JsonObject::violation(std::string_view name, std::string reason) const {
  if (node_) violations_->push_back({node_->fields.path_of(name), std::move(reason)});
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
  if (!document.is_object()) {
    violations.push_back({"body", "must be a JSON object"});
    return std::nullopt;
  }
  return JsonBody(std::make_shared<JsonObject::Node>(JsonObject::Node{JsonFields(document)}));
}

void JsonBody::refuse_unknown(Violations& violations) const {
  std::vector<KnownNames> known;
  root_->add_known(known);
  UnknownNames unknown("field", known, violations);
  root_->refuse_unknown(unknown);
}

std::string JsonBody::canonical() const {
  std::string out;
  append_canonical(root_->fields.object(), out);
  return out;
}

}  // namespace pixledger::http
