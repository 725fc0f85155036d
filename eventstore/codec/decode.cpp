#include "eventstore/codec/codec.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/facts.h"
#include "eventstore/codec/stored_form.h"

namespace pixledger::eventstore {
namespace {

const stored::Personal* verified_personal(const AlignedBytes& bytes, Position position) {
  if (bytes.size() == 0) return nullptr;
  const auto* personal = verified_root<stored::Personal>(bytes);
  const FieldReader read(position, "Personal");
  if (!personal) read.refuse("bytes");
  if (personal->salt()->size() != kSaltBytes) read.refuse("salt");
  return personal;
}

}  // namespace

EnvelopeHeader header_of(Position position, std::string_view envelope_bytes) {
  const AlignedBytes bytes(envelope_bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  const FieldReader read(position, "Envelope");
  if (!envelope) read.refuse("bytes");
  return {read.time(envelope->recorded_at(), "recorded_at"),
          envelope->type() == stored::EventType::CustomerErased};
}

domain::RecordedEvent decode(const StoredEvent& stored_event) {
  const auto position = stored_event.position;
  const AlignedBytes bytes(stored_event.bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  const FieldReader read(position, "Envelope");
  if (!envelope) read.refuse("bytes");
  if (envelope->version() == 0) read.refuse("version");
  auto stream = read.parse<StreamName>(envelope->stream(), "stream");
  auto project = read.parse<domain::ProjectId>(envelope->project(), "project");
  const auto recorded_at = read.time(envelope->recorded_at(), "recorded_at");

  if (envelope->schema_version() == 0) read.refuse("schema_version");
  if (envelope->schema_version() > kSchemaVersion)
    throw WrittenByNewerRelease("the event at position " + std::to_string(position.value()) +
                                " was written by a newer release: upgrade pixledger");
  const AlignedBytes facts(view_of(*envelope->facts()));
  const AlignedBytes personal(stored_event.personal);
  auto event = decode_facts({.position = position,
                             .type = static_cast<std::uint16_t>(envelope->type()),
                             .project = project,
                             .bytes = facts,
                             .personal = verified_personal(personal, position)});
  return {.position = position,
          .stream = std::move(stream),
          .version = envelope->version(),
          .recorded_at = recorded_at,
          .project = std::move(project),
          .actor = std::string(view_of(envelope->actor())),
          .request_id = std::string(view_of(envelope->request_id())),
          .event = std::move(event)};
}

}  // namespace pixledger::eventstore
