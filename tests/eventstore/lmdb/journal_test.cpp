#include "eventstore/lmdb/journal.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/platform/durable_files.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_directory.h"

// The journal's files without a ledger; for what a ledger makes of them see journaled_log_test.cpp.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

const LogIdentity kLedger{std::string(kLedgerIdSize, 'a'), 1};

struct Files {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "journal";
  const JournalPlace begin = Journal::kFirstPlace;
  Journal journal = made();
  JournalPlace next = begin;
  std::uint64_t number = 0;

  Journal made() const {
    Journal::create(path, kLedger);
    return {path, kLedger};
  }
  Journal::Room append(const std::string& content) {
    auto record = begin_record() + content;
    const auto room = journal.make_room(next, record_bytes(content.size()));
    journal.write(room, ++number, record);
    next = room.after;
    return room;
  }
  std::filesystem::path segment(std::uint64_t number_of_it) const {
    return path / ("0000000" + std::to_string(number_of_it));
  }
  // Returns all contents from a place on.
  std::vector<std::string> read(const JournalPlace& from, std::uint64_t before = 0) const {
    JournalReader reader(path, kLedger, from, before);
    std::vector<std::string> contents;
    while (const auto record = reader.next()) contents.emplace_back(record->content);
    return contents;
  }
  std::vector<std::string> read() const { return read(begin); }
  void overwrite(std::uint64_t number_of_it, std::uint64_t at, const std::string& bytes) const {
    std::fstream file(segment(number_of_it), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }
};

using Contents = std::vector<std::string>;
std::string large(char letter) { return std::string(100'000, letter); }

}  // namespace

TEST_CASE("a journal gives back its records, across segments that grow") {
  Files files;
  Contents written;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    written.push_back(large(letter));
    files.append(written.back());
  }
  CHECK(files.read() == written);
  CHECK(files.next.segment > 2);
  CHECK(std::filesystem::file_size(files.segment(1)) == Journal::kFirstSegmentBytes);
  CHECK(std::filesystem::file_size(files.segment(2)) == 2 * Journal::kFirstSegmentBytes);
}

TEST_CASE("a record that is larger than a segment has a segment of its own") {
  Files files;
  const std::string huge(Journal::kSegmentBytesMax + 1, 'x');
  files.append("small");
  files.append(huge);
  files.append("after");
  CHECK(files.read() == Contents{"small", huge, "after"});
}

TEST_CASE("a segment's size does not change while it is written") {
  Files files;
  for (int i = 0; i < 100; ++i) files.append("a batch");
  CHECK(std::filesystem::file_size(files.segment(1)) == Journal::kFirstSegmentBytes);
}

TEST_CASE("a torn last record is left out, wherever it is torn") {
  Files files;
  files.append("first");
  const auto room = files.append("second and last");
  const auto whole = read_if_there(files.segment(1)).value();
  for (auto at = room.at.offset; at < room.at.offset + kRecordHeadBytes + 15; ++at) {
    INFO("byte " << at);
    files.overwrite(1, at, std::string(1, static_cast<char>(whole[at] ^ 0x20)));
    JournalReader reader(files.path, kLedger, files.begin, 0);
    CHECK(reader.next()->content == "first");
    CHECK_FALSE(reader.next());
    CHECK(reader.is_torn());
    CHECK(reader.place() == room.at);
    files.overwrite(1, at, std::string(1, whole[at]));
  }
  CHECK(files.read() == Contents{"first", "second and last"});
}

TEST_CASE("a hole in a journal is named with its file and batch") {
  Files files;
  files.append("first");
  const auto hole = files.append("second");
  SECTION("in one segment") { files.append("third"); }
  SECTION("the next whole record is in another segment") {
    for (int i = 0; i < 3; ++i) files.append(large('x'));
    REQUIRE(files.next.segment > 1);
    const auto third = hole.after.offset;
    files.overwrite(1, third, std::string(Journal::kFirstSegmentBytes - third, '\0'));
  }
  files.overwrite(1, hole.at.offset + kRecordHeadBytes, "S");
  CHECK_THROWS_WITH(files.read(), Catch::Contains("00000001 at byte " + std::to_string(hole.at.offset)) &&
                                      Catch::Contains("(batch 2)") && Catch::Contains("restore"));
}

TEST_CASE("a journal that is missing, cut or of another ledger is refused") {
  Files files;
  files.append("first");
  SECTION("missing") { std::filesystem::remove(files.segment(1)); }
  SECTION("cut") { std::filesystem::resize_file(files.segment(1), 4096); }
  SECTION("empty") { std::filesystem::resize_file(files.segment(1), 0); }
  SECTION("of another ledger") { Journal::create(files.path, {std::string(kLedgerIdSize, 'b'), 1}); }
  SECTION("from before a restore") { Journal::create(files.path, {kLedger.ledger_id, 2}); }
  CHECK_THROWS_AS(files.read(), LogCorrupt);
}

TEST_CASE("a removed record leaves room for the next one") {
  Files files;
  files.append("first");
  const auto room = files.append("not committed");
  files.journal.remove(room);
  CHECK(files.read() == Contents{"first"});
  files.next = room.at;
  --files.number;
  files.append("second");
  CHECK(files.read() == Contents{"first", "second"});
}

TEST_CASE("what a writer left that died before its commit is not taken for a record of others") {
  Files files;
  files.append(large('a'));
  files.append(large('b'));
  const auto before = files.next;
  SECTION("a smaller record than the next writer's, which begins a segment") {
    files.append("of the dead");
    files.next = before;
    --files.number;
    files.append(large('c'));
    files.append("d");
    CHECK(files.read() == Contents{large('a'), large('b'), large('c'), "d"});
  }
  SECTION("a larger one, which had begun a segment") {
    files.append(large('x'));
    files.next = before;
    --files.number;
    files.append("c");
    files.append("d");
    CHECK(files.read() == Contents{large('a'), large('b'), "c", "d"});
    files.append(large('e'));
    files.append(large('f'));
    CHECK(files.read() == Contents{large('a'), large('b'), "c", "d", large('e'), large('f')});
  }
}

TEST_CASE("a writer whose record was removed follows others into a segment that they made anew") {
  Files files;
  files.append(large('a'));
  files.append(large('b'));
  const auto before = files.next;
  files.journal.remove(files.append(large('x')));
  REQUIRE(files.next.segment == 2);
  Journal other(files.path, kLedger);
  const std::string larger(3 * Journal::kFirstSegmentBytes, 'c');
  auto record = begin_record() + larger;
  const auto room = other.make_room(before, record_bytes(larger.size()));
  other.write(room, 3, record);
  files.next = room.after;
  files.number = 3;
  files.append("d");
  CHECK(files.read() == Contents{large('a'), large('b'), larger, "d"});
}

TEST_CASE("a record that the system takes in part leaves nothing, and goes in later") {
  Files files;
  files.append("first");
  const auto at = files.next;
  for (const std::uint64_t taken : {0, 1, 60, 1000}) {
    INFO(taken << " bytes");
    {
      const FullDisk full(at.offset + taken);
      CHECK_THROWS_AS(files.append(large('x')), std::system_error);
    }
    CHECK(files.read() == Contents{"first"});
    JournalReader reader(files.path, kLedger, at, 1);
    CHECK_FALSE(reader.next());
    CHECK_FALSE(reader.is_torn());
    files.number = 1;
  }
  files.append("second");
  CHECK(files.read() == Contents{"first", "second"});
}

TEST_CASE("a segment that finds no room leaves nothing, and is made later") {
  Files files;
  files.append(large('a'));
  files.append(large('b'));
  const auto at = files.next;
  {
    const FullDisk full(Journal::kFirstSegmentBytes + 1000);
    CHECK_THROWS_AS(files.append(large('c')), std::system_error);
    CHECK_THROWS_AS(files.journal.prepare(at, files.begin), std::system_error);
    CHECK(std::distance(std::filesystem::directory_iterator(files.path), {}) == 1);
    files.number = 2;
    files.append("small");
  }
  files.append(large('c'));
  CHECK(files.read() == Contents{large('a'), large('b'), "small", large('c')});
}

TEST_CASE("segments before a place are empty when they are used again") {
  Files files;
  for (char letter = 'a'; letter <= 'z'; ++letter) files.append(large(letter));
  const auto place = files.next;
  const auto number = files.number;
  files.journal.reuse_before(place);
  CHECK(journal_segments(files.path) == std::vector<std::uint64_t>{place.segment});
  files.append("next");
  CHECK(files.read(place, number) == Contents{"next"});
  for (char letter = 'a'; letter <= 'z'; ++letter) files.append(large(letter));
  CHECK(files.read(place, number).size() == 27);
}

TEST_CASE("the next segment is made before the current one is full") {
  Files files;
  files.append(large('a'));
  files.journal.prepare(files.next, files.next);
  CHECK_FALSE(std::filesystem::exists(files.path / "spare"));
  files.append(large('b'));
  files.journal.prepare(files.next, files.next);
  CHECK(std::filesystem::file_size(files.path / "spare") == Journal::kFirstSegmentBytes);
  files.append(large('c'));
  CHECK(std::filesystem::file_size(files.segment(2)) == Journal::kFirstSegmentBytes);
  CHECK_FALSE(std::filesystem::exists(files.path / "spare"));
  CHECK(files.read() == Contents{large('a'), large('b'), large('c')});
}

TEST_CASE("an erasure leaves nothing in any file of the journal before a place") {
  Files files;
  for (int i = 0; i < 5; ++i) files.append(std::string(90'000, 'p') + "PERSON");
  const auto place = files.next;
  const auto number = files.number;
  files.append("of another");
  files.journal.erase_before(place);
  for (const auto& entry : std::filesystem::directory_iterator(files.path))
    CHECK(read_if_there(entry.path()).value().find("PERSON") == std::string::npos);
  CHECK(files.read(place, number) == Contents{"of another"});
}

TEST_CASE("recovery removes what follows the last record") {
  Files files;
  files.append(large('a'));
  files.append(large('b'));
  const auto place = files.next;
  files.append("torn");
  files.overwrite(1, place.offset, "X");
  files.journal.erase_after(place);
  JournalReader reader(files.path, kLedger, files.begin, 0);
  while (reader.next()) {
  }
  CHECK(reader.number() == 2);
  CHECK_FALSE(reader.is_torn());
}

TEST_CASE("a batch is the same after it was in a record") {
  const auto stream = domain::StreamName::parse("charge-cshared00").value();
  const Batch batch{.time = kStart,
                    .id_counter = 7,
                    .records = {{stream, 1, "envelope", "a person", {ClaimName("name"), ClaimName("other")}},
                                {stream, 2, "", "", {}}},
                    .idempotency = {{sha256("key"), "answer", std::nullopt}, {sha256("k2"), "", kStart}}};
  auto record = begin_record();
  put_batch(record, batch, sha256("root"));
  const auto read = read_batch(std::string_view(record).substr(kRecordHeadBytes));
  CHECK(read.time == batch.time);
  CHECK(read.id_counter == 7);
  CHECK(read.root == sha256("root"));
  REQUIRE(read.events.size() == 2);
  CHECK(read.events[0].stream.text() == stream.text());
  CHECK(read.events[0].leaf == "envelope" + std::string(bytes_of(sha256("a person"))));
  CHECK(read.events[0].personal == "a person");
  CHECK(read.events[0].claims.at(1).text() == "other");
  CHECK(read.events[1].version == 2);
  REQUIRE(read.idempotency.size() == 2);
  CHECK(read.idempotency[0].record.key == sha256("key"));
  CHECK(read.idempotency[0].record.bytes == "answer");
  CHECK_FALSE(read.idempotency[0].record.replaces);
  CHECK(read.idempotency[1].record.replaces == kStart);
  for (std::size_t size = 0; size + kRecordHeadBytes < record.size(); ++size)
    CHECK_THROWS_AS(read_batch(std::string_view(record).substr(kRecordHeadBytes, size)), LogCorrupt);
}
