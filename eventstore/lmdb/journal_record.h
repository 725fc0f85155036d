#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/log/copy_write.h"

// The bytes of a journal's records. docs/reference/event-format.md has them.
namespace pixledger::eventstore {

// A place in the journal: a segment's number and a byte in it. No segment has the number 0.
struct JournalPlace {
  std::uint64_t segment = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const JournalPlace&, const JournalPlace&) = default;
};

// A record is a head and its content. It is valid nowhere but in its place, and begins at a multiple of
// kRecordAlignment.
inline constexpr std::size_t kRecordHeadBytes = 56;
inline constexpr std::size_t kRecordAlignment = 8;

constexpr std::uint64_t record_bytes(std::uint64_t content_bytes) {
  return (kRecordHeadBytes + content_bytes + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

// A new record without content: append that, then seal it.
inline std::string begin_record() { return std::string(kRecordHeadBytes, '\0'); }
// Writes the head, and pads the record.
void seal_record(std::string& record, std::uint64_t number, const LogIdentity& ledger,
                 const JournalPlace& place);

struct JournalRecord {
  std::uint64_t number;
  LogIdentity ledger;
  std::string_view content;
  std::uint64_t bytes;  // of the whole record
};
// The record at the beginning of `bytes`, which begin at that place; nullopt if there is no whole one.
std::optional<JournalRecord> read_record(std::string_view bytes, const JournalPlace& place);

// Appends a batch to a record as its content. `root`: of the tree after it.
void put_batch(std::string& record, const Batch& batch, const Digest& root);
// Its number is the record's, which the caller sets. Throws LogCorrupt.
DecidedBatch read_batch(std::string_view content);

}  // namespace pixledger::eventstore
