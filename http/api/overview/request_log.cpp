#include "http/front/request_log.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/platform/json.h"
#include "http/api/common/caller_project.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "projections/generations/projector.h"

namespace pixledger::http {
namespace {

constexpr std::uint64_t kGroupsDefault = 50;

struct AskedFailures {
  std::optional<std::string> code;
  std::optional<std::string> field;
  std::uint64_t limit = kGroupsDefault;

  bool fits(const FailedRequest& request) const {
    if (code && request.code != *code) return false;
    return !field || std::find(request.fields.begin(), request.fields.end(), *field) != request.fields.end();
  }
};

struct Group {
  const FailedRequest* newest;
  std::optional<std::string> field;
  std::uint64_t count = 0;
};

// Groups by code, field, route and environment; a call with several invalid fields is in the group of each.
// Newest first.
std::vector<Group> group(const std::vector<FailedRequest>& requests, const AskedFailures& asked) {
  using GroupKey = std::tuple<std::string_view, std::optional<std::string>, std::string_view,
                              std::string_view, domain::Environment>;
  std::map<GroupKey, std::size_t> places;
  std::vector<Group> groups;
  const auto count = [&](const FailedRequest& request, std::optional<std::string> field) {
    if (asked.field && field != asked.field) return;
    const auto [found, is_new] = places.try_emplace(
        GroupKey(request.code, field, request.method, request.route, request.environment), groups.size());
    if (is_new) groups.push_back({&request, std::move(field)});
    ++groups[found->second].count;
  };
  for (const auto& request : requests) {
    if (request.fields.empty()) count(request, std::nullopt);
    for (const auto& field : request.fields) count(request, field);
  }
  return groups;
}

void write_group(Json& json, const Group& group) {
  json.begin_object();
  json.field("code", group.newest->code).field("field", group.field);
  json.field("status", group.newest->status).field("count", group.count);
  json.field("lastAt", group.newest->at);
  json.field("method", group.newest->method).field("route", group.newest->route);
  json.field("environment", group.newest->environment);
  json.end_object();
}

void write_request(Json& json, const FailedRequest& request) {
  json.begin_object();
  json.field("at", request.at).field("method", request.method).field("route", request.route);
  json.field("status", request.status).field("code", request.code);
  json.key("fields").begin_array();
  for (const auto& field : request.fields) json.value(field);
  json.end_array();
  json.field("requestId", request.request_id);
  json.field("keyId", request.key_id).field("userId", request.user_id);
  json.field("environment", request.environment);
  json.end_object();
}

}  // namespace

Reply list_failed_requests(const Services& services, const Request& request) {
  Input input(request);
  AskedFailures asked{.code = input.parameter("code"), .field = input.parameter("field")};
  asked.limit = input.integer("limit", 1, FailedRequests::kOfProjectMax).value_or(kGroupsDefault);
  if (!input.finish()) return input.refusal();
  auto failed = services.failed_requests.of(request.caller->project);
  // Field names come from callers, so they may hold personal data of a customer who was erased since.
  const auto erased_at = services.projector.last_erasure();
  for (auto& each : failed)
    if (each.at <= erased_at) each.fields.clear();
  std::erase_if(failed, [&](const FailedRequest& each) {
    return is_refused(*request.caller, each.environment) || !asked.fits(each);
  });
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.key("groups").begin_array();
  for (const auto& each : group(failed, asked)) write_group(json, each);
  json.end_array().key("recent").begin_array();
  for (std::size_t i = 0; i < std::min<std::size_t>(failed.size(), asked.limit); ++i)
    write_request(json, failed[i]);
  json.end_array().end_object().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
