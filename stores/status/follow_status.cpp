#include "stores/status/follow_status.h"

#include <fstream>
#include <limits>

#include "base/platform/durable_files.h"
#include "base/platform/json.h"
#include "base/platform/json_reader.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::filesystem::path file_in(const std::filesystem::path& workers) {
  return workers / "follow" / "status.json";
}

std::uint64_t number(const JsonFields& fields, std::string_view name) {
  return static_cast<std::uint64_t>(fields.required(fields.integer(name, 0, kMax), name));
}

FollowedTarget target_of(const JsonFields& fields) {
  FollowedTarget target;
  target.name = fields.get<std::string>("name");
  target.uri = fields.get<std::string>("uri");
  target.is_encrypted = fields.get<bool>("encrypted");
  target.is_up = fields.get<bool>("up");
  target.position = Position(number(fields, "position"));
  target.problem = fields.find<std::string>("problem").value_or("");
  target.reason = fields.find<std::string>("reason").value_or("");
  target.erasures_pending = number(fields, "erasuresPending");
  target.locked_until = fields.find<Timestamp>("lockedUntil");
  const auto failures = fields.get<JsonFields>("failures");
  for (const auto& [reason, count] : failures.object())
    target.failures[std::string(reason)] = number(failures, reason);
  return target;
}

}  // namespace

std::optional<FollowStatus> read_follow_status(const std::filesystem::path& workers) {
  const auto text = read_if_there(file_in(workers));
  if (!text) return std::nullopt;
  try {
    const JsonDocument document(*text);
    const JsonFields fields(document.root());
    FollowStatus status{fields.get<Timestamp>("writtenAt"), {}};
    for (const auto& target : fields.required(fields.objects("targets"), "targets"))
      status.targets.push_back(target_of(target));
    return status;
  } catch (const JsonRefused&) {
    return std::nullopt;
  }
}

void write_follow_status(const std::filesystem::path& workers, const FollowStatus& status) {
  Json json;
  json.begin_object().field("writtenAt", status.written_at).key("targets").begin_array();
  for (const auto& target : status.targets) {
    json.begin_object()
        .field("name", target.name)
        .field("uri", target.uri)
        .field("encrypted", target.is_encrypted)
        .field("up", target.is_up)
        .field("position", target.position.value())
        .field("problem", target.problem)
        .field("reason", target.reason)
        .field("erasuresPending", target.erasures_pending)
        .field("lockedUntil", target.locked_until)
        .key("failures")
        .begin_object();
    for (const auto& [reason, count] : target.failures) json.field(reason, count);
    json.end_object().end_object();
  }
  json.end_array().end_object();
  const auto file = file_in(workers);
  auto unfinished = file;
  unfinished += ".new";
  {
    std::ofstream out(unfinished);
    out << json.take_line();
    if (!out.flush()) fail_on(unfinished, "write");
  }
  std::filesystem::rename(unfinished, file);
}

}  // namespace pixledger::stores
