#pragma once

#include <optional>

#include "http/json/error_reply.h"
#include "http/message/request.h"

namespace pixledger::http {

// The path parameter `id` as an id of that kind, or nullopt with a violation.
template <class Id>
std::optional<Id> read_path_id(const Request& request, Violations& violations) {
  auto id = Id::parse(request.path_parameter("id"));
  if (!id) violations.push_back({"id", std::string(Id::kRule)});
  return id;
}

}  // namespace pixledger::http
