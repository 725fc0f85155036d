#include "tools/audit/signed_file.h"

#include <algorithm>

#include "eventstore/tree/merkle.h"
#include "tools/audit/strict_fields.h"
#include "tools/cli/bounded_read.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {
namespace {

using eventstore::Checkpoint;
using eventstore::Digest;
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

CheckedFile bad(std::string problem) {
  CheckedFile checked;
  checked.problem = std::move(problem);
  return checked;
}

CheckedFile check_note(const std::string& note, const CheckpointOpener& open) {
  const auto checkpoint = open(note);
  if (!checkpoint) return bad("it is not signed by that key");
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
        std::pair("rootHash",
                  fields.get<std::string_view>("rootHash", text_rule) == eventstore::to_hex(said.root))}) {
    if (!is_signed) return bad(fields.at(name) + " is not what is signed");
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

Problem problem_of_trees(const Checkpoint& older, const Checkpoint& newer, const Problem& consistency) {
  const auto wanted = "from=" + text_of(older.size) + "&to=" + text_of(newer.size);
  std::vector<Digest> proof;
  if (consistency) {
    auto read = read_consistency(*consistency);
    if (read.from != older.size || read.to != newer.size)
      return "the proof of consistency is for from=" + text_of(read.from) + "&to=" + text_of(read.to) +
             ", where " + wanted + " is due";
    proof = std::move(read.proof);
  } else if (older.size != newer.size && older.size != 0) {
    return "it takes a proof of consistency: GET /api/v1/ledger/consistency?" + wanted;
  }
  if (eventstore::verify_consistency(older.size, older.root, newer.size, newer.root, proof))
    return std::nullopt;
  return "the first " + text_of(older.size) +
         " events are not those of the older one, as far as the proof goes";
}

// Both are good, so all that either shows is in its tree, and the trees are of one history by now.
Problem problem_of_receipts(const CheckedFile& older, const CheckedFile& newer) {
  if (!older.charge || !newer.charge || older.charge->id != newer.charge->id) return std::nullopt;
  const auto& before = older.leaves;
  const auto& after = newer.leaves;
  if (before.size() > after.size())
    return "the older one has " + text_of(before.size()) + " of the charge's events, and it has " +
           text_of(after.size());
  if (!std::equal(before.begin(), before.end(), after.begin()))
    return "its events of the charge are not those of the older one";
  return std::nullopt;
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
    return bad(std::string("it is neither a receipt nor a checkpoint: ") + malformed.what());
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

Problem problem_of_continuation(const CheckedFile& older, const CheckedFile& newer,
                                const Problem& consistency) {
  const auto before = eventstore::identity_of_origin(older.checkpoint.origin);
  const auto now = eventstore::identity_of_origin(newer.checkpoint.origin);
  if (!before || !now || before->ledger_id != now->ledger_id) return "they are of two ledgers";
  if (before->epoch > now->epoch) return "it is of an earlier epoch of the ledger than the older one";
  if (older.checkpoint.size > newer.checkpoint.size)
    return "it was signed for " + text_of(newer.checkpoint.size) + " events, and the older one for " +
           text_of(older.checkpoint.size);
  try {
    if (auto problem = problem_of_trees(older.checkpoint, newer.checkpoint, consistency)) return problem;
  } catch (const Malformed& malformed) {
    return std::string("the proof of consistency is none: ") + malformed.what();
  }
  return problem_of_receipts(older, newer);
}

}  // namespace pixledger::tools
