#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"

namespace pixledger::http {

// A call that was refused or failed.
struct FailedRequest {
  Timestamp at;
  domain::Environment environment;  // the caller's
  std::string_view method;          // a literal
  std::string_view route;           // a literal, with its parameters' names
  int status;
  std::string code;
  std::vector<std::string> fields;  // that are wrong, as the caller wrote them
  std::string request_id;
  std::optional<std::string> key_id{};   // who it was …
  std::optional<std::string> user_id{};  // … either of them
};

// The newest failed calls of each project, since the process began. Thread-safe.
//
// Memory is bounded: of a project kOfProjectMax are kept, with kFieldsMax fields each and as much of what a
// caller wrote as kTextMax; beyond kProjectsMax the project is forgotten whose last call failed longest ago.
class FailedRequests {
 public:
  static constexpr std::size_t kOfProjectMax = 200;
  static constexpr std::size_t kProjectsMax = 256;
  static constexpr std::size_t kFieldsMax = 10;
  static constexpr std::size_t kTextMax = 100;

  void note(const domain::ProjectId& project, FailedRequest request);
  // Newest first.
  std::vector<FailedRequest> of(const domain::ProjectId& project) const;
  std::size_t projects_known() const;

 private:
  struct Line {
    std::deque<FailedRequest> requests;
    std::list<std::string>::iterator turn;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Line> lines_;  // by project
  std::list<std::string> turns_;                 // projects, the one in front failed longest ago
};

}  // namespace pixledger::http
