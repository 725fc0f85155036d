#include "tools/audit/signed_file.h"

#include <algorithm>
#include <bit>

#include "eventstore/tree/merkle.h"
#include "tools/audit/strict_fields.h"
#include "tools/cli/bounded_read.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {
namespace {

using eventstore::Checkpoint;
using simdjson::dom::element;

using Problem = std::optional<std::string>;

constexpr std::string_view kNoteStart = "pixledger/";
// Above any receipt: a charge has few events.
constexpr std::size_t kFileBytesMax = 64U << 20U;
constexpr const char* kCheckpoint = "a checkpoint";

std::string text_of(std::uint64_t number) { return std::to_string(number); }

// The `data` of an answer, or the value; nothing is demanded of it yet.
element inner_of(element value) {
  element data;
  return value.at_key("data").get(data) == simdjson::SUCCESS ? data : value;
}

bool is_checkpoint(element value) {
  const auto inner = inner_of(value);
  return !inner.at_key("checkpoint").error() && inner.at_key("events").error() &&
         inner.at_key("transactionId").error();
}

CheckedFile bad_file(std::string problem) {
  CheckedFile checked;
  checked.problem = std::move(problem);
  return checked;
}

CheckedFile check_note(const std::string& note, const CheckpointOpener& open) {
  const auto checkpoint = open(note);
  if (!checkpoint) return bad_file("it is not signed by that key");
  CheckedFile checked;
  checked.checkpoint = *checkpoint;
  return checked;
}

// What is shown must be what is signed.
CheckedFile check_checkpoint(element whole, const CheckpointOpener& open) {
  const auto [value, path] = data_of(whole, kCheckpoint);
  const Fields fields(value, path, {"origin", "size", "rootHash", "checkpoint"}, kCheckpoint);
  const std::string text_rule = "must be a text";
  auto checked = check_note(std::string(fields.get<std::string_view>("checkpoint", text_rule)), open);
  if (checked.problem) return checked;
  const auto& said = checked.checkpoint;
  for (const auto& [name, is_signed] :
       {std::pair("origin", fields.get<std::string_view>("origin", text_rule) == said.origin),
        std::pair("size", fields.get<std::uint64_t>("size", "must be a number") == said.size),
        std::pair("rootHash", fields.get<std::string_view>("rootHash", text_rule) == to_hex(said.root))}) {
    if (!is_signed) return bad_file(fields.at(name) + " is not what is signed");
  }
  return checked;
}

struct Consistency {
  std::uint64_t from;
  std::uint64_t to;
  std::vector<Digest> proof;
};

Consistency read_consistency(std::string_view text) {
  constexpr const char* kKind = "a proof of consistency";
  simdjson::dom::parser parser;
  const auto [value, path] = data_of(parse_strictly(parser, text), kKind);
  const Fields fields(value, path, {"from", "to", "proof", "checkpoint"}, kKind);
  const std::string rule = "must be a number of events";
  return {fields.get<std::uint64_t>("from", rule), fields.get<std::uint64_t>("to", rule),
          fields.hashes("proof")};
}

using Discontinuous = std::optional<Discontinuity>;
using Proves = Discontinuity::Proves;

Discontinuity unproven(std::string problem) { return {.problem = std::move(problem)}; }

// A restore begins a new epoch, which may lack the last events of the earlier one.
Proves if_of_one_epoch(const Checkpoint& older, const Checkpoint& newer, Proves proves) {
  return older.origin == newer.origin ? proves : Proves::kNothing;
}

Proves proves_of_trees(const Checkpoint& older, const Checkpoint& newer, const std::vector<Digest>& proof) {
  if (older.size == newer.size || older.size == 0) return Proves::kNothing;
  // The proof belongs to the newer tree, whose first leaves differ.
  if (eventstore::shown_older_root(older.size, newer.size, newer.root, proof)) return Proves::kTwoHistories;
  return std::has_single_bit(older.size) ? Proves::kTwoHistoriesOrWrongConsistency : Proves::kNothing;
}

Discontinuous problem_of_trees(const Checkpoint& older, const Checkpoint& newer, const Problem& consistency) {
  const auto wanted = "from=" + text_of(older.size) + "&to=" + text_of(newer.size);
  std::vector<Digest> proof;
  if (older.size == newer.size && older.root != newer.root)
    return Discontinuity{
        "the " + text_of(older.size) + " events that it was signed for are not those of the older one",
        if_of_one_epoch(older, newer, Proves::kTwoHistories)};
  if (consistency) {
    auto read = read_consistency(*consistency);
    if (read.from != older.size || read.to != newer.size)
      return unproven("the proof of consistency is for from=" + text_of(read.from) +
                      "&to=" + text_of(read.to) + ", where " + wanted + " is due");
    proof = std::move(read.proof);
  } else if (older.size != newer.size && older.size != 0) {
    return unproven("it takes a proof of consistency: GET /api/v1/ledger/consistency?" + wanted);
  }
  if (eventstore::verify_consistency(older.size, older.root, newer.size, newer.root, proof))
    return std::nullopt;
  const auto proves = if_of_one_epoch(older, newer, proves_of_trees(older, newer, proof));
  if (proves == Proves::kNothing && older.origin == newer.origin)
    return unproven(
        "the proof of consistency is not one of these two trees, so nothing is known: ask for it "
        "again: GET /api/v1/ledger/consistency?" +
        wanted);
  return Discontinuity{
      "the first " + text_of(older.size) + " events are not those of the older one, as far as the proof goes",
      proves};
}

// Both signatures are valid, so each tree contains all that its file shows.
Discontinuous problem_of_receipts(const CheckedFile& older, const CheckedFile& newer) {
  if (!older.charge || !newer.charge || older.charge->id != newer.charge->id) return std::nullopt;
  const auto proves = if_of_one_epoch(older.checkpoint, newer.checkpoint, Proves::kTwoHistories);
  const auto& before = older.leaves;
  const auto& after = newer.leaves;
  if (!std::equal(before.begin(),
                  before.begin() + static_cast<std::ptrdiff_t>(std::min(before.size(), after.size())),
                  after.begin()))
    return Discontinuity{"its events of the charge are not those of the older one", proves};
  if (before.size() <= after.size()) return std::nullopt;
  // Without a stated size, the person who presents the newer file may have removed events from its end.
  return Discontinuity{"the older one has " + text_of(before.size()) +
                           " of the charge's events, and it has " + text_of(after.size()),
                       newer.checkpoint.stream ? proves : Proves::kNothing};
}

}  // namespace

std::string read_signed_file(const std::string& path) {
  auto in = open_named_file(path);
  auto text = read_at_most(in, kFileBytesMax);
  if (!text) throw UsageError(path + " is too long for a proof");
  return *std::move(text);
}

CheckedFile check_signed_file(std::string_view text, const CheckpointOpener& open) {
  if (text.substr(0, kNoteStart.size()) == kNoteStart) return check_note(std::string(text), open);
  try {
    simdjson::dom::parser parser;
    const auto whole = parse_strictly(parser, text);
    if (is_checkpoint(whole)) return check_checkpoint(whole, open);
  } catch (const Malformed& malformed) {
    return bad_file(std::string("it is neither a receipt nor a checkpoint: ") + malformed.what());
  }
  return check_receipt_file(text, open);
}

std::string note_in(std::string_view text, const std::string& path) {
  simdjson::dom::parser parser;
  element whole;
  std::string_view note = text;
  if (parser.parse(text.data(), text.size()).get(whole) == simdjson::SUCCESS &&
      inner_of(whole).at_key("checkpoint").get(note) != simdjson::SUCCESS)
    note = text;
  if (note.substr(0, kNoteStart.size()) != kNoteStart)
    throw UsageError(path + " is no checkpoint or receipt");
  return std::string(note);
}

Discontinuous problem_of_continuation(const CheckedFile& older, const CheckedFile& newer,
                                      const Problem& consistency) {
  const auto before = eventstore::identity_of_origin(older.checkpoint.origin);
  const auto now = eventstore::identity_of_origin(newer.checkpoint.origin);
  if (!before || !now || before->ledger_id != now->ledger_id) return unproven("they are of two ledgers");
  if (before->epoch > now->epoch)
    return unproven("it is of an earlier epoch of the ledger than the older one");
  if (older.checkpoint.size > newer.checkpoint.size)
    return unproven("it was signed for " + text_of(newer.checkpoint.size) +
                    " events, and the older one for " + text_of(older.checkpoint.size));
  // Receipts that contradict each other need no other proof.
  const auto of_receipts = problem_of_receipts(older, newer);
  if (of_receipts && of_receipts->proves == Proves::kTwoHistories) return of_receipts;
  try {
    if (auto problem = problem_of_trees(older.checkpoint, newer.checkpoint, consistency)) return problem;
  } catch (const Malformed& malformed) {
    return unproven(std::string("the proof of consistency is none: ") + malformed.what());
  }
  return of_receipts;
}

}  // namespace pixledger::tools
