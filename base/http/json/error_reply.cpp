#include "base/http/json/error_reply.h"

#include <algorithm>
#include <array>

#include "base/http/message/reply.h"
#include "base/http/message/syntax.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger::http {
namespace {

// Only if the client names it with at least the weight of the other.
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

namespace {

constexpr std::size_t kEditsMax = 2;
constexpr std::size_t kBeginningMin = 4;  // a shorter one says too little of what was meant
constexpr std::size_t kComparedMax = 40;  // no known name is as long

std::string without_style(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != '-') plain += to_ascii_lower(c);
  }
  return plain;
}

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kComparedMax + 1>;
  Row before_last{}, last{}, current{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = current;
  }
  return last[b.size()];
}

bool one_begins_with_the_other(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= kBeginningMin && (a.starts_with(b) || b.starts_with(a));
}

// Cuts between characters.
std::string cut(std::string_view name, std::size_t bytes_max) {
  if (name.size() <= bytes_max) return std::string(name);
  return std::string(first_bytes(name, bytes_max)) + "…";
}

// Detects secrets that a caller has put in place of a field's name: an address, the digits of a CPF or a
// phone, a CNPJ with letters, an API key, a webhook's secret.
bool may_be_secret(std::string_view name) {
  if (name.find('@') != std::string_view::npos) return true;
  for (const auto beginning : {"sk_live_", "sk_test_", "whsec_"}) {
    if (name.find(beginning) != std::string_view::npos) return true;
  }
  std::size_t digits = 0, capitals = 0, others = 0;
  for (const char c : name) {
    if (is_ascii_digit(c))
      ++digits;
    else if (c >= 'A' && c <= 'Z')
      ++capitals;
    else if (std::string_view("./- ()+").find(c) == std::string_view::npos)
      ++others;
  }
  constexpr std::size_t kDigitsMin = 8;  // of a phone without its area
  constexpr std::size_t kCnpjLength = 14;
  return digits >= kDigitsMin || (others == 0 && digits >= 2 && digits + capitals == kCnpjLength);
}

constexpr std::size_t kSecretBytesShown = 2;

std::string_view without_brackets(std::string_view name) { return name.substr(0, name.find('[')); }

}  // namespace

std::string shown_name(std::string_view name) {
  return cut(name, may_be_secret(name) ? kSecretBytesShown : UnknownNames::kNameBytesMax);
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const auto plain = without_style(without_brackets(name));
  if (plain.empty() || plain.size() > kComparedMax) return {};
  std::string_view nearest;
  std::size_t fewest = kEditsMax + 1;
  for (const auto candidate : known) {
    const auto its_plain = without_style(without_brackets(candidate));
    if (its_plain.size() > kComparedMax) continue;
    auto edits = edits_between(plain, its_plain);
    if (2 * edits >= std::max(plain.size(), its_plain.size())) edits = kEditsMax + 1;
    if (edits > kEditsMax && one_begins_with_the_other(plain, its_plain)) edits = kEditsMax;
    if (edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

void UnknownNames::add(std::string_view path, std::string_view name) {
  const auto begin = violations_.begin() + static_cast<std::ptrdiff_t>(first_);
  auto field = cut(std::string(path) + shown_name(name), kNameBytesMax);
  if (field.empty()) field = "\"\"";
  if (std::any_of(begin, violations_.end(), [&](const Violation& other) { return other.field == field; }))
    return;
  if (violations_.size() - first_ == kNamesMax) {
    ++left_out_;
    return;
  }
  std::string reason = "is not a " + std::string(kind_) + " of this operation";
  if (const auto meant = suggestion(path, name); !meant.empty()) reason += "; did you mean " + meant + "?";
  violations_.push_back({std::move(field), std::move(reason)});
}

UnknownNames::~UnknownNames() {
  if (left_out_ > 0)
    violations_.push_back({std::string(kind_ == "field" ? "body" : "query"),
                           "has " + std::to_string(left_out_) + " more unknown " + std::string(kind_) + "s"});
}

std::string UnknownNames::suggestion(std::string_view path, std::string_view name) const {
  for (const auto& known : known_) {
    if (known.path != path) continue;
    if (const auto nearest = nearest_name(name, known.names); !nearest.empty())
      return std::string(path).append(nearest);
  }
  for (const auto& known : known_) {
    for (const auto candidate : known.names) {
      if (without_style(candidate) == without_style(name)) return std::string(known.path).append(candidate);
    }
  }
  return {};
}

}  // namespace pixledger::http
