#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "eventstore/proof/checkpoint.h"
#include "tools/cli/command_context.h"

// Files with a state of a ledger that its key has signed, and whether one state continues another: what an
// auditor can check without the ledger.
namespace pixledger::tools {

// Opens a checkpoint with a key; returns nullopt if the key has not signed it.
using CheckpointOpener = std::function<std::optional<eventstore::Checkpoint>(std::string_view note)>;

// Which checkpoints a verifier line opens: a restored ledger has the same key and another epoch.
enum class Epochs { kThatOne, kAll };

// `given` is a verifier line, or a file with one. Throws UsageError if it is neither.
CheckpointOpener opener_with(const std::string& given, Epochs epochs = Epochs::kThatOne);

// Uses the key in the data directory, whatever ledger the checkpoint names.
CheckpointOpener opener_with_keys(const CommandContext& context);

struct CheckedFile {
  std::optional<std::string> problem{};  // the first fault, with its field; nullopt: the file is valid
  // If it is valid:
  eventstore::Checkpoint checkpoint{};
  std::optional<domain::Charge> charge{};  // as of the last event; nullopt: it is only a checkpoint
  std::vector<std::pair<Position, Digest>> leaves{};  // of the events, in their order
  std::size_t without_personal = 0;  // events without personal data: erased, or left out of the file
};

// Checks whether a file from others is a receipt and proves all that it states. Accepts what write_receipt
// makes, or a whole answer of the API with that as its `data`. Rejects a field that no receipt has, or that
// differs from the bytes, since it would look as proven as the others. Rejects an object that has a name
// twice, since readers would differ about its content. Any bytes are safe.
CheckedFile check_receipt_file(std::string_view text, const CheckpointOpener& open);

// Returns the events of a charge in their order, from the answer of a trusted API: checks neither signature
// nor proof. All of them are of charges. Throws std::runtime_error that names the field, or LogCorrupt.
std::vector<domain::RecordedEvent> events_of_receipt(std::string_view text);

// Reads such a file. Throws UsageError if it is unreadable, or longer than any receipt.
std::string read_signed_file(const std::string& path);

// Checks a receipt or a checkpoint: a signed note, what write_checkpoint makes, or a whole answer of the API
// with that as its `data`. Any bytes are safe.
CheckedFile check_signed_file(std::string_view text, const CheckpointOpener& open);

// Returns the signed note in the text of such a file, which is at `path`. Throws UsageError if it has no
// note.
std::string note_in(std::string_view text, const std::string& path);

// Why a state does not continue an earlier one.
struct Discontinuity {
  // Whether the two prove that their ledger has had two histories, which requires the ledger's key.
  enum class Proves {
    kNothing,
    kTwoHistories,
    kTwoHistoriesOrWrongConsistency,  // the proof of consistency may be wrong instead
  };
  std::string problem;
  Proves proves = Proves::kNothing;
};

// Returns why `newer` does not continue `older`, both valid, or nullopt if it does. `consistency` is what
// write_consistency makes for their sizes, or a whole answer of the API with that as its `data`; optional if
// both have one size. Two receipts of one charge must also agree: a newer one that omits events of the older
// one is detected. Any bytes are safe.
std::optional<Discontinuity> problem_of_continuation(const CheckedFile& older, const CheckedFile& newer,
                                                     const std::optional<std::string>& consistency);

// Two signed states of one ledger that contradict each other, byte for byte.
struct Evidence {
  std::string ledger_id;
  std::string older;
  std::string newer;
  std::optional<std::string> consistency{};  // the proof that relates them
};

// Writes each file durably into a new directory, in the first of `places`, or of temporary files, that allows
// it. Returns that directory; equal evidence has the same name. Throws std::runtime_error if no place allows
// it.
std::filesystem::path save_evidence(const Evidence& evidence, std::vector<std::filesystem::path> places);

// Explains to people what the evidence means and where it is.
std::string words_on_two_histories(const std::filesystem::path& saved, bool consistency_may_be_wrong);

}  // namespace pixledger::tools
