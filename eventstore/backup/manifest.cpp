#include "eventstore/backup/manifest.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/platform/big_endian.h"
#include "base/text/ascii.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/reading/short_snapshots.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kManifestFirstLine = "pixledger backup 1";
// For a restored ledger: with lines of the epochs that ended.
constexpr std::string_view kFirstLineWithEpochs = "pixledger backup 2";
// The first line of a manifest with a format line, for ledgers with events that older releases cannot read.
constexpr std::string_view kFirstLineWithFormat = "pixledger backup 3";
// Of a target (target_layout.h): always with a format line, and with lines of erasures and kept states.
constexpr std::string_view kFirstLineOfTarget = "pixledger backup 4";
constexpr std::string_view kManifestOfAnyFormat = "pixledger backup ";
constexpr std::string_view kNone = "-";

// Takes the text before the next `end` off the front of `text`, and `end` too.
std::string_view take_until(char end, std::string_view& text) {
  const auto length = std::min(text.find(end), text.size());
  const auto taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

// A path that stays in the backup's directory.
bool is_plain_path(std::string_view path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/';
  });
  return plain && !path.empty() && path.front() != '/' && path.front() != '.' &&
         path.find("/.") == std::string_view::npos && path.find("//") == std::string_view::npos;
}

std::string facts_text(const FileFacts& facts) {
  return std::to_string(facts.bytes) + ' ' + to_hex(facts.digest);
}

// The fields of one line. A field that does not parse makes `well` false.
class LineFields {
 public:
  explicit LineFields(std::string_view line) : left_(line) {}

  bool well() const { return well_ && left_.empty(); }
  std::string_view word() { return take_until(' ', left_); }
  template <class Number>
  Number number() {
    return valid(whole_number<Number>(word()));
  }
  Digest digest() { return valid(digest_from_hex(word())); }
  std::optional<Digest> optional_digest() {
    const auto text = word();
    return text == kNone ? std::nullopt : std::optional(valid(digest_from_hex(text)));
  }
  Position position() { return Position(number<std::uint64_t>()); }
  std::string path() {
    const auto text = word();
    well_ = well_ && is_plain_path(text);
    return std::string(text);
  }
  FileFacts facts() {
    const auto bytes = number<std::uint64_t>();
    return {bytes, digest()};
  }

 private:
  template <class Value>
  Value valid(std::optional<Value> value) {
    well_ = well_ && value.has_value();
    return value.value_or(Value{});
  }

  std::string_view left_;
  bool well_ = true;
};

// Parses the lines that every manifest has, in this order, then those of files.
class Parser {
 public:
  Parser(std::string_view text, bool is_of_target) : left_(text) { manifest_.is_of_target = is_of_target; }

  std::optional<BackupManifest> parse() {
    auto& manifest = manifest_;
    line("ledger", [&](LineFields& fields) {
      manifest.ledger.ledger_id = fields.word();
      manifest.ledger.epoch = fields.number<std::uint32_t>();
    });
    line("run", [&](LineFields& fields) {
      manifest.run = fields.number<std::uint32_t>();
      manifest.made_at = Timestamp(fields.number<std::int64_t>());
    });
    line("events", [&](LineFields& fields) {
      manifest.first = fields.position();
      manifest.last = fields.position();
      manifest.root_before = fields.digest();
      manifest.root = fields.digest();
    });
    line("head", [&](LineFields& fields) {
      manifest.head_time = Timestamp(fields.number<std::int64_t>());
      manifest.id_counter = fields.number<std::uint32_t>();
    });
    line("keyring", [&](LineFields& fields) { manifest.keyring = fields.optional_digest(); });
    if (begins_with("format "))
      line("format", [&](LineFields& fields) { manifest.format = fields.number<std::uint32_t>(); });
    while (well_ && begins_with("ended ")) parse_ended_epoch(manifest);
    if (manifest.is_of_target)
      line("erased", [&](LineFields& fields) { manifest.erased = fields.position(); });
    while (well_ && !left_.empty()) parse_file(manifest);
    if (!well_ || manifest.ledger.ledger_id.size() != kLedgerIdSize || !is_contiguous(manifest))
      return std::nullopt;
    return std::move(manifest);
  }

 private:
  template <class Read>
  void line(std::string_view name, Read read) {
    LineFields fields(take_until('\n', left_));
    well_ = well_ && fields.word() == name;
    if (!well_) return;
    read(fields);
    well_ = fields.well();
  }

  bool begins_with(std::string_view word) const { return left_.substr(0, word.size()) == word; }

  void parse_ended_epoch(BackupManifest& manifest) {
    line("ended", [&](LineFields& fields) {
      auto& ended = manifest.ended_epochs.emplace_back();
      ended.epoch = fields.number<std::uint32_t>();
      ended.last = fields.position();
    });
  }

  void parse_file(BackupManifest& manifest) {
    if (begins_with("segment ")) {
      line("segment", [&](LineFields& fields) {
        auto& segment = manifest.segments.emplace_back();
        segment.file = fields.path();
        segment.first = fields.position();
        segment.last = fields.position();
        segment.facts = fields.facts();
        segment.root = fields.digest();
      });
      return;
    }
    if (manifest.is_of_target && begins_with("state ")) {
      line("state", [&](LineFields& fields) {
        auto& state = manifest.states.emplace_back();
        state.directory = fields.path();
        state.position = fields.position();
        state.made_at = Timestamp(fields.number<std::int64_t>());
      });
      return;
    }
    well_ = well_ && manifest.is_of_target == !manifest.states.empty();
    if (!well_) return;
    line("file", [&](LineFields& fields) {
      auto& file = (manifest.is_of_target ? manifest.states.back().files : manifest.files).emplace_back();
      file.file = fields.path();
      file.facts = fields.facts();
    });
  }

  static bool is_contiguous(const BackupManifest& manifest) {
    auto next = manifest.first;
    for (const auto& segment : manifest.segments) {
      if (segment.first != next || segment.last < segment.first) return false;
      next = segment.last.next();
    }
    return next == manifest.last.next();
  }

  std::string_view left_;
  BackupManifest manifest_;
  bool well_ = true;
};

[[noreturn]] void refuse_newer() {
  throw BackupRefused("the backup was written by a newer release: use that one, or a later one");
}

std::string end_line(std::string_view lines) { return "end " + to_hex(sha256(lines)) + "\n"; }

}  // namespace

const StateFile* BackupManifest::find(const std::string& file) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const StateFile& candidate) { return candidate.file == file; });
  return found == files.end() ? nullptr : &*found;
}

std::string manifest_text(const BackupManifest& manifest) {
  const auto number = [](auto value) { return ' ' + std::to_string(value); };
  const auto hex = [](const Digest& digest) { return ' ' + to_hex(digest); };
  const bool has_format = manifest.is_of_target || manifest.format != kLedgerFormatVersion;
  std::string text(manifest.is_of_target           ? kFirstLineOfTarget
                   : has_format                    ? kFirstLineWithFormat
                   : manifest.ended_epochs.empty() ? kManifestFirstLine
                                                   : kFirstLineWithEpochs);
  text += "\nledger " + manifest.ledger.ledger_id + number(manifest.ledger.epoch);
  text += "\nrun" + number(manifest.run) + number(manifest.made_at.millis());
  text += "\nevents" + number(manifest.first.value()) + number(manifest.last.value()) +
          hex(manifest.root_before) + hex(manifest.root);
  text += "\nhead" + number(manifest.head_time.millis()) + number(manifest.id_counter);
  text += "\nkeyring " + (manifest.keyring ? to_hex(*manifest.keyring) : std::string(kNone)) + '\n';
  if (has_format) text += "format" + number(manifest.format) + '\n';
  for (const auto& [epoch, last] : manifest.ended_epochs)
    text += "ended" + number(epoch) + number(last.value()) + '\n';
  if (manifest.is_of_target) text += "erased" + number(manifest.erased.value()) + '\n';
  const auto add_files = [&text](const std::vector<StateFile>& files) {
    for (const auto& file : files) text += "file " + file.file + ' ' + facts_text(file.facts) + '\n';
  };
  for (const auto& segment : manifest.segments)
    text += "segment " + segment.file + number(segment.first.value()) + number(segment.last.value()) + ' ' +
            facts_text(segment.facts) + hex(segment.root) + '\n';
  add_files(manifest.files);
  for (const auto& state : manifest.states) {
    text +=
        "state " + state.directory + number(state.position.value()) + number(state.made_at.millis()) + '\n';
    add_files(state.files);
  }
  return text + end_line(text);
}

std::optional<BackupManifest> parse_manifest(std::string_view text) {
  const auto first_line = text.substr(0, text.find('\n'));
  const bool is_ours = first_line == kManifestFirstLine || first_line == kFirstLineWithEpochs ||
                       first_line == kFirstLineWithFormat || first_line == kFirstLineOfTarget;
  const auto end = text.rfind("end ");
  if (end == std::string_view::npos || text.substr(end) != end_line(text.substr(0, end))) return std::nullopt;
  if (!is_ours) {
    if (text.substr(0, kManifestOfAnyFormat.size()) != kManifestOfAnyFormat) return std::nullopt;
    refuse_newer();
  }
  auto manifest = Parser(text.substr(first_line.size() + 1, end - first_line.size() - 1),
                         first_line == kFirstLineOfTarget)
                      .parse();
  if (manifest && manifest->format > kLedgerFormat) refuse_newer();
  return manifest;
}

std::optional<BackupManifest> find_manifest(const std::filesystem::path& directory) {
  const auto file = directory / kManifestFile;
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error("cannot read " + file.string());
  auto manifest = parse_manifest(text);
  if (!manifest) throw damaged(file, "it is not as it was written");
  return manifest;
}

void check_state_files(const std::filesystem::path& directory, const BackupManifest& manifest) {
  for (const auto& state : manifest.files) {
    const auto path = directory / state.file;
    if (BackupFileReader(path).finish() != state.facts)
      throw damaged(path, "its checksum is not the manifest's");
  }
}

namespace {

constexpr std::string_view kIdempotencyMagic = "pixledger idempotency 1\n";
constexpr std::size_t kKeyBytes = 32;
}  // namespace

std::uint64_t copy_idempotency(const LedgerLog& log, Position last, Timestamp now,
                               const std::filesystem::path& directory, BackupManifest& manifest) {
  const auto name = manifest.state_directory() + '/' + kIdempotencyFile;
  BackupFileWriter file(directory / name);
  file.write(kIdempotencyMagic);
  std::uint64_t count = 0;
  const auto from = std::max(Timestamp(0), now.plus_millis(-kIdempotencyKeptMs));
  // In the order of their times, which do not change while the records are valid.
  const auto open = [from](const LogSnapshot& snapshot) { return snapshot.idempotency(from); };
  visit_in_short_snapshots(log, open, [&](const LogSnapshot&, const IdempotencyEntry& entry) {
    if (entry.time > now || entry.time < from) return false;
    if (decode_idempotency_record(entry.record).as_of() > last) return true;
    file.write(big_endian(static_cast<std::uint64_t>(entry.time.millis())));
    file.write(entry.key);
    file.write(big_endian32(static_cast<std::uint32_t>(entry.record.size())));
    file.write(entry.record);
    ++count;
    return true;
  });
  manifest.files.push_back({name, file.finish()});
  return count;
}

void read_idempotency(const std::filesystem::path& path,
                      const std::function<void(const IdempotencyEntry&)>& visit) {
  BackupFileReader file(path);
  if (file.next(kIdempotencyMagic.size()) != kIdempotencyMagic)
    throw damaged(path, "it does not begin as it was written");
  while (file.left() > 0) {
    const std::string head(file.next(kBigEndianBytes + kKeyBytes + kBigEndian32Bytes));
    if (head.empty()) throw damaged(path, "it ends early");
    const auto length = static_cast<std::size_t>(from_big_endian(head.substr(kBigEndianBytes + kKeyBytes)));
    const auto record = file.next(length);
    if (record.empty()) throw damaged(path, "it ends early");
    const auto millis = static_cast<std::int64_t>(from_big_endian(head.substr(0, kBigEndianBytes)));
    visit({.time = Timestamp(millis),
           .key = std::string_view(head).substr(kBigEndianBytes, kKeyBytes),
           .record = record,
           .is_as_written = true});
  }
}

}  // namespace pixledger::eventstore
