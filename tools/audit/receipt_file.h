#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "eventstore/proof/checkpoint.h"
#include "tools/audit/proof_options.h"

namespace pixledger::tools {

struct CheckedFile {
  std::optional<std::string> problem{};  // the first thing that is wrong, with the field; none: it is good
  // When it is good:
  eventstore::Checkpoint checkpoint{};
  std::optional<domain::Charge> charge{};  // as of the last of the events; none: it is a checkpoint alone
  std::vector<std::pair<Position, Digest>> leaves{};  // of the events, in their order
  std::size_t without_personal = 0;  // events whose personal data is erased, or was left out of the file
};

// Whether a file that somebody brings is a receipt, what write_receipt makes or a whole answer of the API
// with that as its `data`, and proves all that it says. A field that no receipt has, or that is shown
// otherwise than the bytes say, would look as proven as the others, so it is refused, as is an object that
// has a name twice: readers would differ about what it says. Any bytes are safe.
CheckedFile check_receipt_file(std::string_view text, const CheckpointOpener& open);

// The events of a charge in their order, from the answer of an API that is trusted: neither signature nor
// proof is looked at. All of them are of charges. Throws Malformed (strict_fields.h) or LogCorrupt.
std::vector<domain::RecordedEvent> events_of_receipt(std::string_view text);

}  // namespace pixledger::tools
