#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"

namespace pixledger {
class JsonFields;
}

namespace pixledger::http {

// Returns why such a text is invalid: the broken rule, or the hidden characters in it (base/text/text.h).
std::string text_rule(std::string_view text, std::string_view rule);

// An object of a request's body, read field by field. Every missing or invalid field adds a violation with
// its path ("payment.amountCents"), so that a caller learns of all at once; null counts as absent. A field
// that was read is known from then on, whatever it holds: see JsonBody::refuse_unknown. Must not outlive its
// JsonBody.
class JsonObject {
 public:
  // For an unreadable body: every field is absent, and none adds a violation.
  JsonObject() = default;

  // A field that a domain type parses from text; T::kRule is its rule.
  template <class T>
  std::optional<T> required(std::string_view name) const {
    return parsed<T>(name, text(name, Presence::kRequired));
  }
  template <class T>
  std::optional<T> optional(std::string_view name) const {
    return parsed<T>(name, text(name, Presence::kOptional));
  }
  std::optional<std::int64_t> required_integer(std::string_view name, std::int64_t min,
                                               std::int64_t max) const {
    return integer(name, Presence::kRequired, min, max);
  }
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min,
                                               std::int64_t max) const {
    return integer(name, Presence::kOptional, min, max);
  }

  std::optional<bool> optional_boolean(std::string_view name) const;
  // A list of texts, in its order; `rule` describes valid values.
  std::optional<std::vector<std::string_view>> optional_texts(std::string_view name,
                                                              std::string_view rule) const;

  // The members of an object whose names are the caller's own, in its order, nullopt for a value that is no
  // text; `rule` describes the whole.
  using NamedTexts = std::vector<std::pair<std::string_view, std::optional<std::string_view>>>;
  std::optional<NamedTexts> optional_named_texts(std::string_view name, std::string_view rule) const;

  // A missing object is one violation, not one for each of its fields.
  std::optional<JsonObject> required_object(std::string_view name) const {
    return object(name, Presence::kRequired);
  }
  std::optional<JsonObject> optional_object(std::string_view name) const {
    return object(name, Presence::kOptional);
  }

  void violation(std::string_view name, std::string reason) const;

 private:
  friend class JsonBody;
  // Hides the parser's types, so this header stays cheap to include.
  struct Node;
  enum class Presence { kRequired, kOptional };

  JsonObject(std::shared_ptr<Node> node, Violations& violations)
      : node_(std::move(node)), violations_(&violations) {}

  // Returns what `read` finds in the object; an exception of it becomes a violation of the field.
  template <class Read>
  auto read_field(std::string_view name, Presence presence, const Read& read) const
      -> decltype(read(std::declval<const JsonFields&>()));
  std::optional<std::string_view> text(std::string_view name, Presence presence) const;
  std::optional<std::int64_t> integer(std::string_view name, Presence presence, std::int64_t min,
                                      std::int64_t max) const;
  std::optional<JsonObject> object(std::string_view name, Presence presence) const;

  template <class T>
  std::optional<T> parsed(std::string_view name, std::optional<std::string_view> text) const {
    if (!text) return std::nullopt;
    auto value = T::parse(*text);
    if (!value) violation(name, text_rule(*text, T::kRule));
    return value;
  }

  std::shared_ptr<Node> node_;
  Violations* violations_ = nullptr;
};

// The body of a request as one JSON object. Uses its thread's parser: at most one at a time per thread.
class JsonBody {
 public:
  // Returns nullopt, with a violation, if the body is not one JSON object (RFC 8259, UTF-8).
  static std::optional<JsonBody> parse(const Request& request, Violations& violations);

  // The same for an operation with an optional body: an empty one counts as {}.
  static std::optional<JsonBody> parse_or_empty(const Request& request, Violations& violations);

  JsonObject root(Violations& violations) const { return {root_, violations}; }

  // Adds a violation for each field that was never read, in this object and in inner ones that were, with the
  // most similar known name. To be called after all known fields were read.
  void refuse_unknown(Violations& violations) const;

  // Equal for all spellings of the same JSON value: names sorted, no blanks (as in RFC 8785), and without
  // null fields, which count as absent.
  std::string canonical() const;

 private:
  explicit JsonBody(std::shared_ptr<JsonObject::Node> root) : root_(std::move(root)) {}
  // `bytes` can be read for kBodyPaddingBytes beyond `size`.
  static std::optional<JsonBody> parse_bytes(const char* bytes, std::size_t size, Violations& violations);

  std::shared_ptr<JsonObject::Node> root_;
};

}  // namespace pixledger::http
