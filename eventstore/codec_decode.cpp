#include "eventstore/codec.h"
#include "eventstore/codec_facts.h"
#include "eventstore/codec_schema.h"
#include "eventstore/events_generated.h"

namespace pixledger::eventstore {
namespace {

const stored::Personal* verified_personal(const AlignedBytes& bytes, Position position) {
  if (bytes.size() == 0) return nullptr;
  const auto* personal = verified_root<stored::Personal>(bytes);
  if (!personal) throw_damaged(position, "Personal", "bytes");
  if (personal->salt()->size() != kSaltBytes) throw_damaged(position, "Personal", "salt");
  return personal;
}

}  // namespace

EnvelopeGist gist_of(Position position, std::string_view envelope_bytes) {
  const AlignedBytes bytes(envelope_bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  if (!envelope) throw_damaged(position, "Envelope", "bytes");
  return {FieldReader(position, "Envelope").time(envelope->recorded_at(), "recorded_at"),
          envelope->type() == stored::EventType::CustomerErased};
}

domain::RecordedEvent decode(const StoredEvent& stored_event) {
  const auto position = stored_event.position;
  const AlignedBytes bytes(stored_event.bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  if (!envelope) throw_damaged(position, "Envelope", "bytes");
  if (envelope->schema_version() > kSchemaVersion)
    throw LogCorrupt("the event at position " + std::to_string(position.value()) +
                     " was written by a newer release: upgrade pixledger");

  const FieldReader read(position, "Envelope");
  if (envelope->schema_version() == 0) throw_damaged(position, "Envelope", "schema_version");
  if (envelope->version() == 0) throw_damaged(position, "Envelope", "version");
  auto stream = read.parse<StreamName>(envelope->stream(), "stream");
  auto project = read.parse<domain::ProjectId>(envelope->project(), "project");
  const auto recorded_at = read.time(envelope->recorded_at(), "recorded_at");

  const AlignedBytes facts(view_of(*envelope->facts()));
  const AlignedBytes personal(stored_event.personal);
  auto event =
      decode_facts({position, envelope->type(), project, facts, verified_personal(personal, position)});
  return {position,
          std::move(stream),
          envelope->version(),
          recorded_at,
          std::move(project),
          std::string(view_of(envelope->actor())),
          std::string(view_of(envelope->request_id())),
          std::move(event)};
}

}  // namespace pixledger::eventstore
