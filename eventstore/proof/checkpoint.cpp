#include "eventstore/proof/checkpoint.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kOriginPrefix = "pixledger/";
constexpr std::string_view kStreamPrefix = "stream ";
constexpr std::string_view kNoStream = "stream - 0";

// Takes the line and its line feed off the front. Returns nullopt for an empty or unfinished line.
std::optional<std::string_view> take_full_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Decimal, without leading zeros.
template <class Number>
std::optional<Number> parse_decimal(std::string_view text) {
  const auto number = whole_number<Number>(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

bool is_ledger_id(std::string_view text) {
  return text.size() == kLedgerIdSize && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// "stream <name> <number of events>"; names of streams have no blanks.
std::optional<StreamLength> parse_stream_length(std::string_view line) {
  line.remove_prefix(kStreamPrefix.size());
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  auto stream = domain::StreamName::parse(line.substr(0, blank));
  const auto events = parse_decimal<std::uint32_t>(line.substr(blank + 1));
  if (!stream || !events || *events == 0) return std::nullopt;
  return StreamLength{*std::move(stream), *events};
}

}  // namespace

std::string origin_of(const LogIdentity& identity) {
  return std::string(kOriginPrefix) + identity.ledger_id + '/' + std::to_string(identity.epoch);
}

std::optional<LogIdentity> identity_of_origin(std::string_view origin) {
  if (origin.substr(0, kOriginPrefix.size()) != kOriginPrefix) return std::nullopt;
  origin.remove_prefix(kOriginPrefix.size());
  const auto id = origin.substr(0, origin.find('/'));
  if (!is_ledger_id(id) || id.size() == origin.size()) return std::nullopt;
  const auto epoch = parse_decimal<std::uint32_t>(origin.substr(id.size() + 1));
  if (!epoch) return std::nullopt;
  return LogIdentity{std::string(id), *epoch};
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  const auto text = checkpoint.origin + '\n' + std::to_string(checkpoint.size) + '\n' +
                    to_base64(bytes_of(checkpoint.root)) + '\n';
  if (!checkpoint.states_streams) return text;
  if (!checkpoint.stream) return text + std::string(kNoStream) + '\n';
  const auto& [stream, events] = *checkpoint.stream;
  return text + std::string(kStreamPrefix) + stream.text() + ' ' + std::to_string(events) + '\n';
}

std::optional<Checkpoint> parse_checkpoint_text(std::string_view text) {
  const auto origin = take_full_line(text);
  if (!origin) return std::nullopt;
  const auto size_line = take_full_line(text);
  if (!size_line) return std::nullopt;
  const auto root_line = take_full_line(text);
  if (!root_line) return std::nullopt;
  const auto size = parse_decimal<std::uint64_t>(*size_line);
  const auto root = bytes_from_base64(*root_line);
  if (!size || !root || root->size() != Digest().size()) return std::nullopt;
  Checkpoint checkpoint{std::string(*origin), *size, digest_from_bytes(*root)};
  while (!text.empty()) {
    const auto line = take_full_line(text);
    if (!line) return std::nullopt;
    if (line->substr(0, kStreamPrefix.size()) != kStreamPrefix) continue;
    if (checkpoint.states_streams) return std::nullopt;
    checkpoint.states_streams = true;
    if (*line == kNoStream) continue;
    checkpoint.stream = parse_stream_length(*line);
    if (!checkpoint.stream) return std::nullopt;
  }
  return checkpoint;
}

std::string sign_checkpoint(const Checkpoint& checkpoint, const Ed25519Key& key) {
  return sign_note(checkpoint_text(checkpoint), checkpoint.origin, key);
}

std::optional<Checkpoint> open_checkpoint(std::string_view note, const NoteVerifier& verifier) {
  const auto text = verifier.open(note);
  if (!text) return std::nullopt;
  auto checkpoint = parse_checkpoint_text(*text);
  if (!checkpoint || checkpoint->origin != verifier.name()) return std::nullopt;
  return checkpoint;
}

std::optional<Checkpoint> open_checkpoint(std::string_view note, const Ed25519PublicKey& key) {
  const auto origin = note.substr(0, note.find('\n'));
  if (!identity_of_origin(origin)) return std::nullopt;
  return open_checkpoint(note, NoteVerifier(std::string(origin), key));
}

Checkpoint checkpoint_of(const Log& log) {
  const auto size = log.head().position.value();
  return {.origin = origin_of(log.identity()),
          .size = size,
          .root = tree_root(size, TreeOfLog(log)),
          .states_streams = true};
}

void write_checkpoint(Json& json, const Checkpoint& checkpoint, const std::string& note) {
  json.begin_object()
      .field("origin", checkpoint.origin)
      .field("size", checkpoint.size)
      .field("rootHash", to_hex(checkpoint.root))
      .field("checkpoint", note)
      .end_object();
}

void write_consistency(Json& json, std::uint64_t from, std::uint64_t to, std::span<const Digest> proof,
                       const std::string& note) {
  json.begin_object().field("from", from).field("to", to).key("proof").begin_array();
  for (const Digest& hash : proof) json.value(to_base64(bytes_of(hash)));
  json.end_array().field("checkpoint", note).end_object();
}

}  // namespace pixledger::eventstore
