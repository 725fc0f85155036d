#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/json/error_reply.h"

namespace pixledger::http {

// The parameters of a query string (application/x-www-form-urlencoded: percent escapes, '+' is a blank).
// A parameter that is asked for is known from then on; see refuse_unknown. Not for several threads.
class Query {
 public:
  // Keeps views into `raw`, which must outlive it.
  explicit Query(std::string_view raw);

  // The decoded value of a known parameter. Empty values count as absent. A parameter given twice (with two
  // values that are not empty), a broken escape and bytes that are not UTF-8 are violations, and then
  // nullopt.
  std::optional<std::string> value(std::string_view name, Violations& violations) const;

  // The decoded values of all parameters `name[KEY]`, by KEY; the rest as in value().
  std::vector<std::pair<std::string, std::string>> values_in(std::string_view name,
                                                             Violations& violations) const;

  // Adds a violation for each parameter that was never asked for, an empty one too, with the known name that
  // is most like it. To be called when everything that is known has been asked for.
  void refuse_unknown(Violations& violations) const;

 private:
  struct Parameter {
    std::string name;        // decoded; as sent where that cannot be, since it is the name of nothing known
    std::string_view value;  // as sent
  };
  std::vector<Parameter> parameters_;
  mutable std::vector<std::string_view> asked_;  // literals, and names of parameters_
  mutable std::vector<std::string> families_;    // `name[key]` for what values_in was asked for
};

}  // namespace pixledger::http
