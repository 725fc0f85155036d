#include "eventstore/codec/codec.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/facts.h"
#include "eventstore/codec/schema_versions.h"
#include "eventstore/codec/upcast.h"

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

EnvelopeHeader header_of(Position position, std::string_view envelope_bytes) {
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

  const FieldReader read(position, "Envelope");
  if (envelope->version() == 0) throw_damaged(position, "Envelope", "version");
  auto stream = read.parse<StreamName>(envelope->stream(), "stream");
  auto project = read.parse<domain::ProjectId>(envelope->project(), "project");
  const auto recorded_at = read.time(envelope->recorded_at(), "recorded_at");

  std::string lifted;
  const AlignedBytes facts(upcast_facts(position, static_cast<std::uint16_t>(envelope->type()),
                                        envelope->schema_version(), view_of(*envelope->facts()), lifted));
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
