#include "eventstore/lmdb/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/big_endian.h"
#include "base/platform/durable_files.h"
#include "base/text/ascii.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlockBytes = 4096;
constexpr std::uint64_t kWriteBytesMax = 1 << 20;
constexpr std::uint64_t kFirstRecordAt = Journal::kFirstPlace.offset;

std::string name_of(std::uint64_t segment) {
  auto number = std::to_string(segment);
  return std::string(number.size() < 8 ? 8 - number.size() : 0, '0') + number;
}

// Returns how many bytes were written; fewer than asked: errno says why.
std::uint64_t write_at(int file, std::string_view bytes, std::uint64_t at) {
  std::uint64_t done = 0;
  while (done < bytes.size()) {
    const auto count =
        ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    if (count == 0) {
      errno = ENOSPC;
      break;
    }
    done += static_cast<std::uint64_t>(count);
  }
  return done;
}

bool write_zeros(int file, std::uint64_t begin, std::uint64_t end) {
  const std::string zeros(std::min(end - std::min(begin, end), kWriteBytesMax), '\0');
  for (auto at = begin; at < end;) {
    const auto size = std::min(end - at, kWriteBytesMax);
    if (write_at(file, std::string_view(zeros).substr(0, size), at) != size) return false;
    at += size;
  }
  return true;
}

std::uint64_t size_of(int file, const fs::path& name) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail_on(name, "look at");
  return static_cast<std::uint64_t>(status.st_size);
}

// Makes the file, durable but for its name; `head` begins it.
void make_zeros(const fs::path& file, std::uint64_t size, std::string_view head) {
  auto unfinished = file;
  unfinished += ".new";
  const Descriptor made(unfinished, O_RDWR | O_CREAT | O_TRUNC);
  if (!made) fail_on(unfinished, "open");
  if (!write_zeros(made.number(), 0, size) || write_at(made.number(), head, 0) != head.size() ||
      ::fsync(made.number()) != 0 || ::rename(unfinished.c_str(), file.c_str()) != 0) {
    const int error = errno;
    ::unlink(unfinished.c_str());
    errno = error;
    fail_on(file, "write");
  }
}

void zero_durably(const fs::path& file, std::uint64_t begin, std::uint64_t end) {
  const Descriptor opened(file, O_RDWR);
  if (!opened) fail_on(file, "open");
  if (!write_zeros(opened.number(), begin, end) || ::fdatasync(opened.number()) != 0) fail_on(file, "write");
}

std::string first_record(std::uint64_t segment, std::uint64_t size, const LogIdentity& ledger) {
  auto record = begin_record() + big_endian(size);
  seal_record(record, 0, ledger, {segment, 0});
  return record;
}

bool is_void(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

}  // namespace

std::vector<std::uint64_t> journal_segments(const fs::path& directory) {
  std::vector<std::uint64_t> segments;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(directory, missing))
    if (const auto number = whole_number<std::uint64_t>(entry.path().filename().string()))
      segments.push_back(*number);
  std::sort(segments.begin(), segments.end());
  return segments;
}

Journal::Journal(fs::path directory, LogIdentity ledger)
    : directory_(std::move(directory)), ledger_(std::move(ledger)) {}

void Journal::create(const fs::path& directory, const LogIdentity& ledger) {
  fs::remove_all(directory);
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::owner_all);
  make_zeros(directory / name_of(1), kFirstSegmentBytes, first_record(1, kFirstSegmentBytes, ledger));
  sync_directory(directory);
  sync_directory(directory.parent_path());
}

fs::path Journal::path_of(std::uint64_t segment) const { return directory_ / name_of(segment); }

const Journal::Segment& Journal::open(std::uint64_t number) {
  if (current_.number == number) return current_;
  auto file = std::make_unique<Descriptor>(path_of(number), O_RDWR);
  if (!*file) fail_on(path_of(number), "open");
  const auto size = size_of(file->number(), path_of(number));
  current_ = {number, size, std::move(file)};
  return current_;
}

Journal::Room Journal::make_room(const JournalPlace& next, std::uint64_t size) {
  const auto& segment = open(next.segment);
  if (next.offset + size <= segment.bytes) return {next, {next.segment, next.offset + size}};
  // A writer that died before its commit may have left a whole record here, which would be taken in instead
  // of the one in the next segment.
  if (next.offset + kRecordHeadBytes <= segment.bytes &&
      (!write_zeros(segment.file->number(), next.offset, next.offset + kRecordHeadBytes) ||
       ::fdatasync(segment.file->number()) != 0))
    fail_on(path_of(next.segment), "write");
  begin_segment(next.segment + 1, std::min(2 * segment.bytes, kSegmentBytesMax), kFirstRecordAt + size);
  return {{next.segment + 1, kFirstRecordAt}, {next.segment + 1, kFirstRecordAt + size}};
}

void Journal::begin_segment(std::uint64_t number, std::uint64_t size, std::uint64_t size_needed) {
  const auto file = path_of(number);
  std::error_code missing;
  // A writer that died has begun it, or the keeper has made one in advance.
  for (const auto& made : {file, spare()}) {
    const auto bytes = fs::file_size(made, missing);
    if (missing || bytes < size_needed) continue;
    // The keeper may give the spare's name to another file, but not this one.
    if (made != file) fs::rename(made, file);
    const Descriptor opened(file, O_RDWR);
    const auto head = first_record(number, bytes, ledger_);
    if (!opened || write_at(opened.number(), head, 0) != head.size() || ::fdatasync(opened.number()) != 0)
      fail_on(file, "write");
    return sync_directory(directory_);
  }
  size = std::max(size, (size_needed + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
  make_zeros(file, size, first_record(number, size, ledger_));
  sync_directory(directory_);
}

void Journal::write(const Room& room, std::uint64_t number, std::string& record) {
  seal_record(record, number, ledger_, room.at);
  const auto& segment = open(room.at.segment);
  const auto written = write_at(segment.file->number(), record, room.at.offset);
  if (written == record.size()) {
    if (is_planted(Planted::kJournalUnsynced) || ::fdatasync(segment.file->number()) == 0) return;
    throw Uncertain("cannot sync " + path_of(room.at.segment).string() + ": " +
                    std::generic_category().message(errno));
  }
  const int error = errno;
  if (written > 0) remove({room.at, {room.at.segment, room.at.offset + written}});
  errno = error;
  fail_on(path_of(room.at.segment), "write");
}

void Journal::remove(const Room& room) {
  const auto& segment = open(room.at.segment);
  if (write_zeros(segment.file->number(), room.at.offset, room.after.offset) &&
      ::fdatasync(segment.file->number()) == 0)
    return;
  throw Uncertain("cannot overwrite a record in " + path_of(room.at.segment).string() + ": " +
                  std::generic_category().message(errno));
}

void Journal::erase_before(const JournalPlace& place) {
  for (const auto number : journal_segments(directory_)) {
    if (number > place.segment) break;
    const auto file = path_of(number);
    std::error_code missing;
    const auto size = fs::file_size(file, missing);
    // The keeper may have overwritten it meanwhile, for use again.
    if (missing) continue;
    try {
      zero_durably(file, number == place.segment ? kFirstRecordAt : 0,
                   number == place.segment ? place.offset : size);
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::no_such_file_or_directory) throw;
    }
  }
}

void Journal::reuse_before(const JournalPlace& place) {
  const auto current = size_of(Descriptor(path_of(place.segment), O_RDONLY).number(), path_of(place.segment));
  bool changed = false;
  for (const auto number : journal_segments(directory_)) {
    if (number >= place.segment) break;
    const auto file = path_of(number);
    const auto size = fs::file_size(file);
    if (size >= current && size <= kSegmentBytesMax && !fs::exists(spare())) {
      zero_durably(file, 0, size);
      fs::rename(file, spare());
    } else {
      fs::remove(file);
    }
    changed = true;
  }
  if (changed) sync_directory(directory_);
}

void Journal::prepare(const JournalPlace& next, const JournalPlace& since) {
  std::error_code missing;
  const auto size = fs::file_size(path_of(next.segment), missing);
  if (missing || next.offset < size / 2 || fs::exists(spare())) return;
  const bool fills_fast = next.segment != since.segment || next.offset - since.offset > size / 4;
  make_zeros(spare(), std::min(fills_fast ? 2 * size : size, kSegmentBytesMax), {});
  sync_directory(directory_);
}

void Journal::erase_after(const JournalPlace& next) {
  bool changed = false;
  for (const auto number : journal_segments(directory_)) {
    if (number <= next.segment) continue;
    fs::remove(path_of(number));
    changed = true;
  }
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().extension() != ".new") continue;
    fs::remove(entry.path());
    changed = true;
  }
  if (changed) sync_directory(directory_);
  const auto rest = read_if_there(path_of(next.segment)).value_or("");
  if (next.offset < rest.size() && !is_void(std::string_view(rest).substr(next.offset)))
    zero_durably(path_of(next.segment), next.offset, rest.size());
}

JournalReader::JournalReader(fs::path directory, LogIdentity ledger, JournalPlace place, std::uint64_t number)
    : directory_(std::move(directory)), ledger_(std::move(ledger)), place_(place), number_(number) {
  if (!fs::exists(directory_ / name_of(place_.segment))) fail("is missing");
  load(place_.segment);
  if (bytes_.empty()) fail("has lost its beginning");
  if (place_.offset > bytes_.size()) fail("is cut");
}

// Leaves `bytes_` empty if no record was ever written there.
void JournalReader::load(std::uint64_t segment) {
  bytes_ = read_if_there(directory_ / name_of(segment)).value_or("");
  const auto first = read_record(bytes_, {segment, 0});
  if (!first || first->number != 0 || first->content.size() != kBigEndianBytes) {
    bytes_.clear();
    return;
  }
  if (first->ledger != ledger_) fail("is of another ledger, or from before a restore");
  if (from_big_endian(first->content) != bytes_.size()) fail("is cut");
}

std::optional<JournalRecord> JournalReader::next() {
  const auto at = [this] {
    return read_record(std::string_view(bytes_).substr(std::min(place_.offset, bytes_.size())), place_);
  };
  auto record = at();
  if (!record) {
    // The record may begin the next segment. This one's rest was too small, or has what a dead writer left.
    const auto left = place_;
    auto here = std::move(bytes_);
    load(left.segment + 1);
    place_ = {left.segment + 1, kFirstRecordAt};
    if (!bytes_.empty()) record = at();
    if (record && record->number == number_ + 1) {
      refuse_whole_after(left.segment, here, left.offset);
    } else {
      record.reset();
      bytes_ = std::move(here);
      place_ = left;
    }
  }
  if (!record) {
    check_end();
    is_torn_ = place_.offset < bytes_.size() && !is_void(std::string_view(bytes_).substr(place_.offset));
    return std::nullopt;
  }
  if (record->ledger != ledger_) fail("has a record of another ledger");
  if (record->number != number_ + 1)
    fail("has batch " + std::to_string(record->number) + " there: records are missing");
  number_ = record->number;
  place_.offset += record->bytes;
  return record;
}

// Throws if a whole record follows.
void JournalReader::check_end() const {
  refuse_whole_after(place_.segment, bytes_, place_.offset);
  for (const auto segment : journal_segments(directory_)) {
    if (segment <= place_.segment) continue;
    const auto bytes = read_if_there(directory_ / name_of(segment)).value_or("");
    refuse_whole_after(segment, bytes, kFirstRecordAt);
  }
}

void JournalReader::refuse_whole_after(std::uint64_t segment, std::string_view bytes,
                                       std::uint64_t from) const {
  for (auto at = bytes.find("PXLJ", from); at != std::string_view::npos; at = bytes.find("PXLJ", at + 1)) {
    if (at % kRecordAlignment != 0) continue;
    const auto record = read_record(bytes.substr(at), {segment, at});
    if (!record || record->number <= number_) continue;
    fail("is damaged: batch " + std::to_string(record->number) + " follows, in " + name_of(segment) +
         " at byte " + std::to_string(at));
  }
}

std::string JournalReader::describe() const {
  return (directory_ / name_of(place_.segment)).string() + " at byte " + std::to_string(place_.offset) +
         " (batch " + std::to_string(number_ + 1) + ")";
}

void JournalReader::fail(const std::string& problem) const {
  throw LogCorrupt("the journal " + describe() + " " + problem +
                   ": restore a backup, and see what pixledger doctor says");
}

}  // namespace pixledger::eventstore
