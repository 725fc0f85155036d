#include "stores/status/operations_record.h"

#include <functional>
#include <simdjson.h>
#include <string>
#include <string_view>

#include "base/platform/durable_files.h"
#include "base/platform/json.h"

namespace pixledger::stores {
namespace {

using simdjson::dom::element;

constexpr std::string_view kDone = "done";
constexpr std::string_view kSound = "sound";

std::optional<std::string_view> text_at(const element& record, std::string_view pointer) {
  std::string_view text;
  if (record.at_pointer(pointer).get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::optional<Timestamp> time_at(const element& record, std::string_view pointer) {
  const auto text = text_at(record, pointer);
  return text ? parse_iso8601(*text) : std::nullopt;
}

std::string json_of(const OperationsRecord& record) {
  Json json;
  json.begin_object();
  if (const auto& backup = record.backup)
    json.key("backup")
        .begin_object()
        .field("endedAt", backup->ended_at)
        .field("result", backup->succeeded ? kDone : "failed")
        .field("succeededAt", backup->last_success_at)
        .end_object();
  if (const auto& verification = record.verification)
    json.key("verify")
        .begin_object()
        .field("endedAt", verification->ended_at)
        .field("result", verification->sound ? kSound : "not sound")
        .end_object();
  return json.end_object().take_line();
}

// One process at a time: a backup and a verification may end at the same moment.
void change(const DataDirectory& data, const std::function<void(OperationsRecord&)>& change) {
  if (!may_write(data.root, {"operations.json"})) return;
  const DirectoryLock lock(data.root);
  auto record = read_operations(data);
  change(record);
  write_durably(data.operations(), json_of(record));
}

}  // namespace

OperationsRecord read_operations(const DataDirectory& data) {
  OperationsRecord record;
  const auto content = read_if_there(data.operations());
  simdjson::dom::parser parser;
  element found;
  if (!content) return record;
  record.is_damaged = parser.parse(*content).get(found) != simdjson::SUCCESS || !found.is_object();
  if (record.is_damaged) return record;
  if (const auto ended_at = time_at(found, "/backup/endedAt"))
    record.backup = {.ended_at = *ended_at,
                     .succeeded = text_at(found, "/backup/result") == kDone,
                     .last_success_at = time_at(found, "/backup/succeededAt")};
  if (const auto ended_at = time_at(found, "/verify/endedAt"))
    record.verification = {.ended_at = *ended_at, .sound = text_at(found, "/verify/result") == kSound};
  return record;
}

void record_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded) {
  change(data, [&](OperationsRecord& record) {
    auto last_success_at = record.backup ? record.backup->last_success_at : std::nullopt;
    if (succeeded) last_success_at = ended_at;
    record.backup = {.ended_at = ended_at, .succeeded = succeeded, .last_success_at = last_success_at};
  });
}

void record_verification(const DataDirectory& data, Timestamp ended_at, bool sound) {
  change(data,
         [&](OperationsRecord& record) { record.verification = {.ended_at = ended_at, .sound = sound}; });
}

}  // namespace pixledger::stores
