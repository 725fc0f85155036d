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

// Files that hold a state of a ledger that its key has signed, and whether one is a later state of the same
// history than another: what an auditor can tell without the ledger.
namespace pixledger::tools {

// Opens a checkpoint with a key; nothing when the key has not signed it.
using CheckpointOpener = std::function<std::optional<eventstore::Checkpoint>(std::string_view note)>;

// Whose checkpoints a verifier line opens: a ledger that was restored has the same key, and another epoch.
enum class Epochs { kThatOne, kAll };

// `given` is a verifier line, or a file with one. Throws UsageError when it is neither.
CheckpointOpener opener_with(const std::string& given, Epochs epochs = Epochs::kThatOne);

// With the key in the data directory, whatever ledger the checkpoint names.
CheckpointOpener opener_with_keys(const CommandContext& context);

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
// proof is looked at. All of them are of charges. Throws std::runtime_error that names the field, or
// LogCorrupt.
std::vector<domain::RecordedEvent> events_of_receipt(std::string_view text);

// What such a file holds. Throws UsageError when it cannot be read, or is longer than any receipt.
std::string read_signed_file(const std::string& path);

// A receipt or a checkpoint: a signed note, what write_checkpoint makes, or a whole answer
// of the API with that as its `data`. Any bytes are safe.
CheckedFile check_signed_file(std::string_view text, const CheckpointOpener& open);

// The signed note in the text of such a file, which is at `path`. Throws UsageError where there is none.
std::string note_in(std::string_view text, const std::string& path);

// Why a state does not continue an earlier one.
struct Discontinuity {
  // Whether the two prove that their ledger has had two histories, which takes the ledger's key.
  enum class Proves {
    kNothing,
    kTwoHistories,
    kTwoHistoriesOrWrongConsistency,  // the proof of consistency may be the one that is wrong
  };
  std::string problem;
  Proves proves = Proves::kNothing;
};

// Why `newer` is no later state of what `older` is a state of, both good; none: it continues it.
// `consistency` is what write_consistency makes for their sizes, or a whole answer of the API with that as
// its `data`; it may be left out where both are of one size. Two receipts of one charge must agree besides:
// who leaves out what had happened by the older one is found. Any bytes are safe.
std::optional<Discontinuity> problem_of_continuation(const CheckedFile& older, const CheckedFile& newer,
                                                     const std::optional<std::string>& consistency);

// Two signed states of one ledger that contradict each other, byte for byte.
struct Evidence {
  std::string ledger_id;
  std::string older;
  std::string newer;
  std::optional<std::string> consistency{};  // that relates them
};

// Writes each file durably into a new directory, in the first of `places`, or of temporary files, that allows
// it. Returns that directory; equal evidence has the same name. Throws std::runtime_error if no place allows
// it.
std::filesystem::path save_evidence(const Evidence& evidence, std::vector<std::filesystem::path> places);

// Explains to people what the evidence means and where it is.
std::string words_on_two_histories(const std::filesystem::path& saved, bool consistency_may_be_wrong);

}  // namespace pixledger::tools
