#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/json/error_reply.h"

namespace pixledger::http {

// The parameters of a query string (application/x-www-form-urlencoded: percent escapes, '+' is a blank).
// Only parameters that are asked for are judged, so unknown ones are ignored whatever they hold.
class Query {
 public:
  // Keeps views into `raw`, which must outlive it.
  explicit Query(std::string_view raw);

  // The decoded value of a known parameter. Empty values count as absent. A parameter given twice (with two
  // values that are not empty), a broken escape and bytes that are not UTF-8 are violations, and then
  // nullopt.
  std::optional<std::string> value(std::string_view name, Violations& violations) const;

 private:
  struct Parameter {
    std::string name;        // decoded
    std::string_view value;  // as sent, not empty
  };
  std::vector<Parameter> parameters_;
};

}  // namespace pixledger::http
