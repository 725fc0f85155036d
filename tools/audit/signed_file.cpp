#include "tools/audit/signed_file.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <initializer_list>
#include <set>
#include <simdjson.h>
#include <stdexcept>
#include <system_error>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "base/platform/json.h"
#include "base/platform/json_reader.h"
#include "base/platform/sha256.h"
#include "base/text/base64.h"
#include "base/text/text.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/tree/merkle.h"
#include "tools/cli/files.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {
namespace {

// JSON of a proof from others. A field that no such proof has would look as proven as the rest, and an object
// that has a name twice means different things to different readers: both are rejected. Any bytes are safe.

using simdjson::dom::element;
using simdjson::dom::object;

// Two for each level: a proof of consistency of trees whose sizes are numbers of 64 bits has fewer.
constexpr std::size_t kHashesMax = 128;
constexpr std::size_t kNameBytesMax = 64;

bool is_field_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

// "data.events[0].proof". A name unlike ours is not repeated: it may be anything, of any length.
std::string shown_path(const std::string& parent, std::string_view name) {
  return (parent.empty() ? parent : parent + ".") + (is_field_name(name) ? std::string(name) : "…");
}
std::string shown_path(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

struct Placed {
  element value;
  std::string path;
};

// An object that has these fields and no others.
class Fields : public JsonFields {
 public:
  // `kind` is what it should be, for the text: "a receipt".
  Fields(element value, const std::string& path, std::initializer_list<std::string_view> names,
         const std::string& kind);

  std::string bytes(std::string_view name, std::size_t least, const std::string& rule) const;
  // At most as many as a proof in a tree can have.
  std::vector<Digest> hashes(std::string_view name) const;
};

// `path` is the value's, and unchanged on return: copies for many deeply nested values would be slow.
void refuse_repeated_names(element value, std::string& path) {
  const auto length = path.size();
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const element item : items) {
      path += shown_path("", index++);
      refuse_repeated_names(item, path);
      path.resize(length);
    }
  }
  object fields;
  if (value.get(fields) != simdjson::SUCCESS) return;
  std::set<std::string_view> names;
  for (const auto& field : fields) {
    path += (length == 0 ? "" : ".") + shown_path("", field.key);
    if (!names.insert(field.key).second) throw JsonRefused(path, "is there twice");
    refuse_repeated_names(field.value, path);
    path.resize(length);
  }
}

class StrictDocument : public JsonDocument {
 public:
  explicit StrictDocument(std::string_view text) : JsonDocument(text) {
    std::string path;
    refuse_repeated_names(root(), path);
  }
};

// Returns the `data` of a whole answer of the API, or the value itself. `kind` as below.
Placed data_of(element value, const std::string& kind) {
  if (value.at_key("data").error()) return {value, ""};
  const Fields answer(value, "", {"success", "data"}, kind);
  const std::string rule = "must be true";
  if (!answer.get<bool>("success", rule)) answer.refuse("success", rule);
  return {*answer.member("data"), "data"};
}

Fields::Fields(element value, const std::string& path, std::initializer_list<std::string_view> names,
               const std::string& kind)
    : JsonFields(value, path) {
  for (const auto name : names) required(member(name), name);
  for (const auto& field : object()) {
    if (std::find(names.begin(), names.end(), field.key) == names.end())
      throw JsonRefused(shown_path(path, field.key), "is no field of " + kind);
  }
}

std::string Fields::bytes(std::string_view name, std::size_t least, const std::string& rule) const {
  auto bytes = bytes_from_base64(get<std::string_view>(name, rule));
  if (!bytes || bytes->size() < least) refuse(name, rule);
  return *std::move(bytes);
}

std::vector<Digest> Fields::hashes(std::string_view name) const {
  const std::string rule = "must be a list of at most " + std::to_string(kHashesMax) + " hashes in base64";
  const auto texts = required(this->texts(name, rule), name);
  if (texts.size() > kHashesMax) refuse(name, rule);
  std::vector<Digest> hashes;
  for (const auto text : texts) {
    const auto bytes = bytes_from_base64(text);
    if (!bytes || bytes->size() != Digest().size()) refuse(name, rule);
    hashes.push_back(digest_from_bytes(*bytes));
  }
  return hashes;
}

// Removes the byte order mark and the line ends that Windows programs add: a signature is over the original
// text.
std::string as_signed(std::string_view text) {
  text = without_byte_order_mark(text);
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text.substr(at, 2) != "\r\n") plain += text[at];
  return plain;
}

}  // namespace

CheckpointOpener opener_with(const std::string& given, Epochs epochs) {
  auto verifier = eventstore::NoteVerifier::parse(given);
  if (!verifier) {
    std::ifstream in(given);
    std::string line;
    if (in && std::getline(in, line)) {
      line = as_signed(line + '\n');
      line.pop_back();
      verifier = eventstore::NoteVerifier::parse(line);
    }
  }
  if (!verifier)
    throw UsageError("--public-key must be what checkpoint --public-key prints, or a file with it");
  if (epochs == Epochs::kThatOne)
    return
        [verifier = *verifier](std::string_view note) { return eventstore::open_checkpoint(note, verifier); };
  return [verifier = *verifier](std::string_view note) {
    auto checkpoint = eventstore::open_checkpoint(note, verifier.key());
    const auto named = eventstore::identity_of_origin(verifier.name());
    const auto signer = checkpoint ? eventstore::identity_of_origin(checkpoint->origin) : std::nullopt;
    if (!named || !signer || named->ledger_id != signer->ledger_id) checkpoint.reset();
    return checkpoint;
  };
}

CheckpointOpener opener_with_keys(const CommandContext& context) {
  const auto keys = context.common.data.keys();
  if (!std::filesystem::exists(keys))
    throw UsageError(
        "--public-key is missing: what pixledger checkpoint --public-key prints where the ledger is, or a "
        "file "
        "with it. (Without it the keys in a data directory are taken, and there are none: " +
        keys.string() + ")");
  const auto key = eventstore::Keyring::open(keys).signing_key().public_key();
  return [key](std::string_view note) { return eventstore::open_checkpoint(note, key); };
}

namespace {

constexpr std::size_t kLeafDigestBytes = 32;
constexpr const char* kReceipt = "a receipt";

eventstore::ProvenEvent event_of(const Fields& event) {
  const Position position(event.get<std::uint64_t>("position", "must be a position: 1, 2, 3, …"));
  const auto leaf = event.bytes("leaf", kLeafDigestBytes + 1, "must be a leaf in base64");
  std::string personal;
  if (!event.member("personal")->is_null())
    personal = event.bytes("personal", 1, "must be null, or bytes in base64");
  const auto envelope_bytes = leaf.size() - kLeafDigestBytes;
  eventstore::StoredEvent stored{position, leaf.substr(0, envelope_bytes),
                                 digest_from_bytes(std::string_view(leaf).substr(envelope_bytes)),
                                 std::move(personal)};
  return {std::move(stored), event.hashes("proof")};
}

// Returns where the two differ, ignoring the order of names; an event nests only objects.
std::optional<std::string> difference(element said, element shown, const std::string& path) {
  object said_fields;
  object shown_fields;
  if (said.get(said_fields) != simdjson::SUCCESS || shown.get(shown_fields) != simdjson::SUCCESS)
    return simdjson::minify(said) == simdjson::minify(shown) ? std::nullopt : std::optional(path);
  for (const auto& field : said_fields) {
    const auto at = shown_path(path, field.key);
    element other;
    if (shown_fields.at_key(field.key).get(other) != simdjson::SUCCESS) return at;
    if (auto found = difference(field.value, other, at)) return found;
  }
  for (const auto& field : shown_fields) {
    if (said_fields.at_key(field.key).error()) return shown_path(path, field.key);
  }
  return std::nullopt;
}

class ReceiptFile {
 public:
  explicit ReceiptFile(std::string_view text) : document_(text), receipt_(parse()) {}

  const eventstore::Receipt& receipt() const { return receipt_; }

  // Returns the first shown field that the bytes do not state; `events` are the receipt's, decoded.
  std::optional<std::string> shown_otherwise(const std::vector<domain::RecordedEvent>& events) const {
    simdjson::dom::parser parser;
    for (std::size_t i = 0; i < events.size(); ++i) {
      Json json;
      eventstore::write_event(json, events[i]);
      element said;
      const auto& [path, shown] = shown_.at(i);
      // A ledger may have signed invalid text: then there is nothing to show.
      if (parser.parse(json.take()).get(said) != simdjson::SUCCESS) return path;
      if (auto found = difference(said, shown, path)) return found;
    }
    return std::nullopt;
  }

 private:
  eventstore::Receipt parse() {
    const auto [value, path] = data_of(document_.root(), kReceipt);
    const Fields fields(value, path, {"transactionId", "checkpoint", "events"}, kReceipt);
    const auto charge = fields.get<domain::ChargeId>("transactionId");
    eventstore::Receipt receipt{charge, fields.get<std::string>("checkpoint"), {}};
    for (const element item : fields.get<simdjson::dom::array>("events")) {
      const auto at = shown_path(fields.path_of("events"), receipt.events.size());
      const Fields event(item, at, {"position", "leaf", "personal", "proof", "event"}, kReceipt);
      receipt.events.push_back(event_of(event));
      shown_.emplace_back(event.path_of("event"), *event.member("event"));
    }
    return receipt;
  }

  StrictDocument document_;                             // holds the elements
  std::vector<std::pair<std::string, element>> shown_;  // each `event` with its path
  eventstore::Receipt receipt_;
};

// The leaf says that personal data existed.
bool lacks_personal(const eventstore::ProvenEvent& event) {
  return event.stored.personal.empty() && event.stored.personal_digest != sha256("");
}

CheckedFile refused(std::string problem) {
  CheckedFile checked;
  checked.problem = std::move(problem);
  return checked;
}

CheckedFile check(const ReceiptFile& file, const CheckpointOpener& open) {
  const auto checkpoint = open(file.receipt().checkpoint);
  if (!checkpoint) return refused("its checkpoint is not signed by that key");
  const auto checked = eventstore::check_receipt(file.receipt(), *checkpoint);
  if (checked.problem) return refused(*checked.problem);
  if (const auto field = file.shown_otherwise(checked.events))
    return refused(*field + " is not what the bytes of the event say");
  CheckedFile result;
  result.checkpoint = *checkpoint;
  for (const auto& event : checked.events)
    result.charge = domain::apply(std::move(result.charge), std::get<domain::ChargeEvent>(event.event),
                                  event.recorded_at);
  for (const auto& event : file.receipt().events) {
    const auto& stored = event.stored;
    const auto digest = bytes_of(stored.personal_digest);
    result.leaves.emplace_back(stored.position, eventstore::leaf_hash(stored.bytes, digest));
    if (lacks_personal(event)) ++result.without_personal;
  }
  return result;
}

}  // namespace

std::vector<domain::RecordedEvent> events_of_receipt(std::string_view text) {
  const ReceiptFile file(text);
  std::vector<domain::RecordedEvent> events;
  for (const auto& event : file.receipt().events) {
    events.push_back(eventstore::decode(event.stored));
    if (!std::holds_alternative<domain::ChargeEvent>(events.back().event))
      throw std::runtime_error("a receipt holds an event that is not of a charge");
  }
  return events;
}

CheckedFile check_receipt_file(std::string_view text, const CheckpointOpener& open) {
  try {
    return check(ReceiptFile(text), open);
  } catch (const JsonRefused& malformed) {
    return refused(std::string("it is not a receipt: ") + malformed.what());
  }
}

namespace {

using eventstore::Checkpoint;

using Problem = std::optional<std::string>;

constexpr std::string_view kNoteStart = "pixledger/";
// Above any receipt: a charge has few events.
constexpr std::size_t kFileBytesMax = 64U << 20U;
constexpr const char* kCheckpoint = "a checkpoint";

std::string text_of(std::uint64_t number) { return std::to_string(number); }

// The `data` of an answer, or the value; not validated yet.
element inner_of(element value) {
  element data;
  return value.at_key("data").get(data) == simdjson::SUCCESS ? data : value;
}

bool is_checkpoint(element value) {
  const auto inner = inner_of(value);
  return !inner.at_key("checkpoint").error() && inner.at_key("events").error() &&
         inner.at_key("transactionId").error();
}

CheckedFile check_note(const std::string& note, const CheckpointOpener& open) {
  const auto checkpoint = open(note);
  if (!checkpoint) return refused("it is not signed by that key");
  CheckedFile checked;
  checked.checkpoint = *checkpoint;
  return checked;
}

// The shown fields must match the signed ones.
CheckedFile check_checkpoint(element whole, const CheckpointOpener& open) {
  const auto [value, path] = data_of(whole, kCheckpoint);
  const Fields fields(value, path, {"origin", "size", "rootHash", "checkpoint"}, kCheckpoint);
  auto checked = check_note(fields.get<std::string>("checkpoint"), open);
  if (checked.problem) return checked;
  const auto& said = checked.checkpoint;
  for (const auto& [name, is_signed] :
       {std::pair("origin", fields.get<std::string_view>("origin") == said.origin),
        std::pair("size", fields.get<std::uint64_t>("size", "must be a number") == said.size),
        std::pair("rootHash", fields.get<std::string_view>("rootHash") == to_hex(said.root))}) {
    if (!is_signed) return refused(fields.path_of(name) + " is not what is signed");
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
  const StrictDocument document(text);
  const auto [value, path] = data_of(document.root(), kKind);
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
  // Without a stated size, the presenter of the newer file may have removed events from its end.
  return Discontinuity{"the older one has " + text_of(before.size()) +
                           " of the charge's events, and it has " + text_of(after.size()),
                       newer.checkpoint.stream ? proves : Proves::kNothing};
}

}  // namespace

std::string read_signed_file(const std::string& path) {
  auto in = open_named_file(path);
  auto text = read_at_most(in, kFileBytesMax);
  if (!text) throw UsageError(path + " is too long for a proof");
  return as_signed(*text);
}

CheckedFile check_signed_file(std::string_view text, const CheckpointOpener& open) {
  if (text.substr(0, kNoteStart.size()) == kNoteStart) return check_note(std::string(text), open);
  try {
    const StrictDocument document(text);
    if (is_checkpoint(document.root())) return check_checkpoint(document.root(), open);
  } catch (const JsonRefused& malformed) {
    return refused(std::string("it is neither a receipt nor a checkpoint: ") + malformed.what());
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
  } catch (const JsonRefused& malformed) {
    return unproven(std::string("the proof of consistency is invalid: ") + malformed.what());
  }
  return of_receipts;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 8;

std::string name_of(const Evidence& evidence) {
  const auto content = sha256(evidence.older + evidence.newer);
  return "two-histories-" + evidence.ledger_id.substr(0, kIdDigits) + "-" +
         to_hex(content).substr(0, kIdDigits);
}

void write(const Evidence& evidence, const fs::path& directory) {
  write_durably(directory / "older", evidence.older);
  write_durably(directory / "newer", evidence.newer);
  if (evidence.consistency) write_durably(directory / "consistency", *evidence.consistency);
}

}  // namespace

fs::path save_evidence(const Evidence& evidence, std::vector<fs::path> places) {
  std::string problems;
  std::error_code missing;
  if (auto temporary = fs::temp_directory_path(missing); !missing) places.push_back(std::move(temporary));
  for (const auto& place : places) {
    const auto directory = (fs::absolute(place) / name_of(evidence)).lexically_normal();
    bool is_new = false;
    try {
      is_new = fs::create_directories(directory);
      write(evidence, directory);
      return directory;
    } catch (const std::system_error& error) {
      std::error_code ignored;
      if (is_new) fs::remove_all(directory, ignored);
      problems += std::string(problems.empty() ? "" : "; ") + text_of_system_error(error);
    }
  }
  throw std::runtime_error(
      "the two contradict each other, which proves that the ledger has had two "
      "histories, and the evidence could not be saved: " +
      problems + ". Keep both files yourself");
}

std::string words_on_two_histories(const fs::path& saved, bool consistency_may_be_wrong) {
  return "Both were signed with the ledger's key, and they contradict each other. This proves that the "
         "ledger "
         "has had two histories: its past was changed, or two ledgers went on under one key" +
         std::string(consistency_may_be_wrong
                         ? ", unless the proof of consistency is not what the ledger has answered"
                         : "") +
         ".\nThe evidence is saved: " + (saved / "older").string() + " and " + (saved / "newer").string() +
         ". Show both to those who must know, with the ledger's public key.\n";
}

}  // namespace pixledger::tools
