#pragma once

#include <initializer_list>
#include <simdjson.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/sha256.h"

// JSON that somebody brings as a proof. What has a field that no such proof has would look as proven as the
// rest, and an object that has a name twice says different things to different readers: both are refused.
// Any bytes are safe.
namespace pixledger::tools {

// The text says why, with the path of the field.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
[[noreturn]] void refuse(const std::string& problem);

// "data.events[0].proof". A name that is not like ours is not repeated: it may be anything, and of any
// length.
std::string path_of(const std::string& parent, std::string_view name);
std::string path_of(const std::string& parent, std::size_t index);

// The elements live as long as the parser and its next parse.
simdjson::dom::element parse_strictly(simdjson::dom::parser& parser, std::string_view text);

struct Placed {
  simdjson::dom::element value;
  std::string path;
};
// The `data` of a whole answer of the API, or the value itself. `kind` as below.
Placed data_of(simdjson::dom::element value, const std::string& kind);

// An object that has these fields and no others.
class Fields {
 public:
  // `kind` is what it should be, for the text: "a receipt".
  Fields(simdjson::dom::element value, std::string path, std::initializer_list<std::string_view> names,
         const std::string& kind);

  std::string at(std::string_view name) const { return path_of(path_, name); }
  simdjson::dom::element operator[](std::string_view name) const { return fields_.at_key(name).value(); }

  // `rule` is what it must be, for the text.
  template <class Value>
  Value get(std::string_view name, const std::string& rule) const {
    Value value{};
    if ((*this)[name].get(value) != simdjson::SUCCESS) refuse(at(name) + " " + rule);
    return value;
  }
  std::string bytes(std::string_view name, std::size_t least, const std::string& rule) const;
  // As many as a proof in a tree can have.
  std::vector<Digest> hashes(std::string_view name) const;

 private:
  simdjson::dom::object fields_;
  std::string path_;
};

}  // namespace pixledger::tools
