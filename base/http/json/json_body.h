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

// Why such a text is not taken: the rule that it breaks, or the hidden characters that it holds
// (base/text/text.h).
std::string text_rule(std::string_view text, std::string_view rule);

// One object of a request's body, read field by field. Every field that is missing or bad adds a violation
// that names it by its path ("payment.amountCents"), so that a caller learns of all at once; null counts as
// absent. A field that is asked for is known from then on, whatever it holds: see
// JsonBody::refuse_unknown. Lives as long as its JsonBody.
class JsonObject {
 public:
  // Of a body that could not be read: every field is absent, and none is a violation.
  JsonObject() = default;

  // A field that a domain type parses from text; T::kRule says what it has to be.
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
  // A list of texts, in its order; `rule` says what it has to be.
  std::optional<std::vector<std::string_view>> optional_texts(std::string_view name,
                                                              std::string_view rule) const;

  // What an object holds whose names are the caller's own, in its order, nullopt where that is no text;
  // `rule` says what the whole has to be.
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
  // The parser's types stay out of this header, which costs its readers little.
  struct Node;
  enum class Presence { kRequired, kOptional };

  JsonObject(std::shared_ptr<Node> node, Violations& violations)
      : node_(std::move(node)), violations_(&violations) {}

  // What `read` finds in the object; what it throws becomes a violation of the field.
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
  // nullopt, with a violation, when the body is not one JSON object (RFC 8259, UTF-8).
  static std::optional<JsonBody> parse(const Request& request, Violations& violations);

  // The same for an operation whose body may be left out: nothing at all counts as {}.
  static std::optional<JsonBody> parse_or_empty(const Request& request, Violations& violations);

  JsonObject root(Violations& violations) const { return {root_, violations}; }

  // Adds a violation for each field that was never asked for, in this object and in those inside it that
  // were, with the known name that is most like it. To be called when everything that is known has been asked
  // for.
  void refuse_unknown(Violations& violations) const;

  // The same for every way to write the same JSON value: names sorted, no blanks (RFC 8785's idea), and no
  // fields that are null, which count as absent.
  std::string canonical() const;

 private:
  explicit JsonBody(std::shared_ptr<JsonObject::Node> root) : root_(std::move(root)) {}
  // `bytes` can be read for kBodyPaddingBytes beyond `size`.
  static std::optional<JsonBody> parse_bytes(const char* bytes, std::size_t size, Violations& violations);

  std::shared_ptr<JsonObject::Node> root_;
};

}  // namespace pixledger::http
