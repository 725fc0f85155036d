#include "eventstore/keys/key_uses.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/domain/sample_values.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using eventstore::KeyUseRecorder;
using eventstore::read_key_uses;

namespace {

struct World {
  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "key-uses";
  std::vector<std::string> faults;
  Timestamp day = *parse_date("2026-03-01");

  KeyUseRecorder recorder() {
    return KeyUseRecorder(file, [this](const std::string& fault) { faults.push_back(fault); });
  }
  std::int64_t number_of(Timestamp moment) const { return moment.millis() / kDayMs; }
  std::size_t lines() const {
    std::ifstream in(file);
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
};

}  // namespace

TEST_CASE("the day of a key's last use is kept, and written once a day") {
  World world;
  const auto one = sample_api_key_id(1), other = sample_api_key_id(2);
  CHECK(read_key_uses(world.file).empty());
  {
    auto recorder = world.recorder();
    for (int i = 0; i < 100; ++i) recorder.note(one, world.day.plus_millis(i));
    recorder.note(other, world.day);
    CHECK(world.lines() == 2);
    recorder.note(one, world.day.plus_millis(kDayMs));
    recorder.note(one, world.day);  // the clock was set back
    CHECK(world.lines() == 3);
  }
  const auto uses = read_key_uses(world.file);
  CHECK(uses.size() == 2);
  CHECK(uses.at(one.text()) == world.number_of(world.day) + 1);
  CHECK(uses.at(other.text()) == world.number_of(world.day));
  CHECK(world.faults.empty());
}

TEST_CASE("after a restart uses are the same, and the file is rewritten without its cut-off line") {
  World world;
  const auto key = sample_api_key_id(1);
  world.recorder().note(key, world.day);
  std::ofstream(world.file, std::ios::app) << "0123456789abcdef0123";
  auto recorder = world.recorder();
  recorder.note(key, world.day);
  CHECK(read_key_uses(world.file).size() == 1);
  recorder.note(sample_api_key_id(2), world.day);
  CHECK(world.lines() == 2);
  CHECK(read_key_uses(world.file).size() == 2);
}

TEST_CASE("the file does not grow with the days") {
  World world;
  auto recorder = world.recorder();
  for (int i = 0; i < 5'000; ++i) recorder.note(sample_api_key_id(1), world.day.plus_millis(i * kDayMs));
  CHECK(world.lines() < 2'000);
  CHECK(read_key_uses(world.file).at(sample_api_key_id(1).text()) == world.number_of(world.day) + 4'999);
}

TEST_CASE("a file that cannot be written is logged, and keys still work") {
  World world;
  std::filesystem::create_directory(world.file);
  auto recorder = world.recorder();
  const auto at_start = world.faults.size();
  recorder.note(sample_api_key_id(1), world.day);
  CHECK(world.faults.size() == at_start + 1);
  CHECK(world.faults.back().find(world.file.string()) != std::string::npos);
}

TEST_CASE("a file that could not be read at the start keeps its content") {
  World world;
  world.recorder().note(sample_api_key_id(1), world.day);
  const auto away = world.directory.path() / "away";
  std::filesystem::rename(world.file, away);
  std::filesystem::create_directory(world.file);
  auto recorder = world.recorder();
  recorder.note(sample_api_key_id(2), world.day);
  CHECK(world.faults.size() == 2);
  std::filesystem::remove(world.file);
  std::filesystem::rename(away, world.file);
  recorder.note(sample_api_key_id(3), world.day);
  CHECK(world.faults.size() == 2);
  CHECK(read_key_uses(world.file).size() == 3);
}

TEST_CASE("a line that a full disk has cut off does not spoil the next one") {
  World world;
  auto recorder = world.recorder();
  recorder.note(sample_api_key_id(1), world.day);
  {
    const FullDisk full(std::filesystem::file_size(world.file) + 10);
    recorder.note(sample_api_key_id(2), world.day);
  }
  CHECK(world.faults.size() == 1);
  recorder.note(sample_api_key_id(3), world.day);
  CHECK(world.lines() == 3);
  CHECK(read_key_uses(world.file).size() == 3);
}

TEST_CASE("the recorder of uses returns a key's last day, and nothing for a key that was never used") {
  World world;
  const auto one = sample_api_key_id(1);
  {
    auto recorder = world.recorder();
    CHECK_FALSE(recorder.last_day(one));
    recorder.note(one, world.day);
    recorder.note(one, world.day.plus_millis(kDayMs));
    CHECK(recorder.last_day(one) == world.number_of(world.day) + 1);
    CHECK_FALSE(recorder.last_day(sample_api_key_id(2)));
  }
  CHECK(world.recorder().last_day(one) == world.number_of(world.day) + 1);
}
