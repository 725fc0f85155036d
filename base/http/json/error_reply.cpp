#include "base/http/json/error_reply.h"

#include "base/http/message/header_items.h"
#include "base/http/message/status_text.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

// Only for those who name it, and do not name the other with more weight.
bool prefers_problem_json(const Request& request) {
  const std::string accept = request.headers.joined("Accept");
  std::string_view ranges = accept;
  int problem = 0, plain = 0;
  while (!ranges.empty()) {
    std::string_view range = next_item(ranges, ',');
    const std::string_view type = next_item(range, ';');
    if (equal_without_case(type, kProblemJson)) problem = weight_of(range);
    if (equal_without_case(type, kJson)) plain = weight_of(range);
  }
  return problem > 0 && problem >= plain;
}

void write_details(Json& json, const Violations& details) {
  json.key("details").begin_array();
  for (const Violation& violation : details) {
    json.begin_object().field("field", violation.field).field("reason", violation.reason);
    if (violation.resume_after) json.field("resumeAfter", *violation.resume_after);
    json.end_object();
  }
  json.end_array();
}

std::shared_ptr<const ErrorNote> note_of(const ErrorBody& error) {
  auto note = std::make_shared<ErrorNote>();
  note->code = error.code;
  for (const auto& violation : error.details) note->fields.push_back(violation.field);
  return note;
}

}  // namespace

Reply error_reply(const Request& request, const ErrorBody& error) {
  const bool problem = prefers_problem_json(request);
  Json json;
  json.begin_object();
  if (problem) {
    json.field("type", "about:blank").field("title", status_text(error.status));
    json.field("status", error.status).field("detail", error.message).field("code", error.code);
  } else {
    json.field("success", false).field("code", error.code).field("message", error.message);
  }
  write_details(json, error.details);
  json.field("requestId", request.request_id).end_object();
  return Reply{.status = error.status,
               .body = json.take(),
               .content_type = problem ? kProblemJson : kJson,
               .headers = {{"Vary", "Accept"}},
               .error = note_of(error)};
}

Reply validation_reply(const Request& request, Violations violations) {
  return error_reply(request, {.status = 400,
                               .code = kInvalid,
                               .message = "The request is not valid; see details.",
                               .details = std::move(violations)});
}

Reply transport_error_reply(const Request& request, int status, std::string_view message) {
  const std::string code = "ERR_HTTP_" + std::to_string(status);
  Reply reply = error_reply(request, {.status = status, .code = code, .message = std::string(message)});
  if (status == 503) reply.headers.push_back({"Retry-After", "1"});
  return reply;
}

}  // namespace pixledger::http
