#include <catch2/catch.hpp>

#include "base/platform/durable_files.h"
#include "base/platform/sha256.h"
#include "eventstore/lmdb/checkpoint_file.h"
#include "eventstore/lmdb/journal.h"
#include "tests/eventstore/codec/golden_file.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/temporary_directory.h"

// The bytes on the disk of journals and checkpoints, which a later release must recover from.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

const LogIdentity kLedger{"0123456789abcdef0123456789abcdef", 7};

std::string line(const std::string& name, std::string_view bytes) {
  return name + " " + to_hex(bytes) + "\n";
}

Batch golden_batch() {
  const auto stream = domain::StreamName::parse("charge-cshared00").value();
  return {.time = kStart,
          .id_counter = 9,
          .records = {{stream, 1, "envelope", "a person", {ClaimName("name"), ClaimName("other")}},
                      {stream, 2, "second", "", {}}},
          .idempotency = {{sha256("key"), "answer", std::nullopt}, {sha256("k2"), "again", kStart}}};
}

}  // namespace

TEST_CASE("a journal holds exactly the golden bytes") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "journal";
  Journal::create(path, kLedger);
  Journal journal(path, kLedger);
  auto record = begin_record();
  put_batch(record, golden_batch(), sha256("root"));
  const auto room = journal.make_room(Journal::kFirstPlace, record_bytes(record.size() - kRecordHeadBytes));
  journal.write(room, 1, record);

  const auto bytes = read_if_there(path / "00000001").value();
  CHECK(bytes.size() == Journal::kFirstSegmentBytes);
  CHECK(bytes.find_first_not_of('\0', room.after.offset) == std::string::npos);
  const auto text =
      line("begin", std::string_view(bytes).substr(0, room.at.offset)) +
      line("record", std::string_view(bytes).substr(room.at.offset, room.after.offset - room.at.offset));
  CHECK(text == golden_text("journal.hex", text));
}

TEST_CASE("a checkpoint holds exactly the golden bytes") {
  const TemporaryDirectory directory;
  const CheckpointFile file(directory.path(), kLedger);
  file.create();
  file.write({.sequence = 2,
              .transaction = 3,
              .number = 4,
              .place = {5, 6},
              .roots_check = 7,
              .meta = std::string(136, 'm')});

  const auto bytes = read_if_there(directory.path() / "checkpoint").value();
  REQUIRE(bytes.size() == 8192);
  const auto end = bytes.find_last_of('m') + 1;
  CHECK(bytes.find_first_not_of('\0', end) >= 8188);
  CHECK(bytes.find_first_not_of('\0') == 4096);
  const auto text = line("slot", std::string_view(bytes).substr(4096, end - 4096)) +
                    line("check", std::string_view(bytes).substr(8188));
  CHECK(text == golden_text("checkpoint.hex", text));
}
