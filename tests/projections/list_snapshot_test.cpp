#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/platform/checked_file.h"
#include "base/platform/sha256.h"
#include "projections/list/list_query.h"
#include "projections/list/project_lists.h"
#include "tests/support/ledgers/random_list.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace pixledger;
using projections::find_charges;
using projections::ListFilter;
using projections::ProjectListVersion;
using projections::read_lists;
using projections::TransactionList;
using projections::write_lists;
using tests::RandomList;

constexpr std::uint32_t kEverything = 1'000'000;

domain::ProjectId project(int number) {
  return *domain::ProjectId::parse("cproject" + std::to_string(100 + number));
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  // A new file: some file systems write at once if the content of an existing file is replaced.
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

struct Fixture {
  void write(const TransactionList& list) {
    const std::array<ProjectListVersion, 1> lists{{{project(1), list.version()}}};
    write_lists(file, "a stamp", lists);
  }

  tests::TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "lists";
};

// The one block that holds `content`, after a block with this digest.
std::string block(const Digest& before, const std::string& content) {
  std::string size(sizeof(std::uint32_t), '\0');
  const auto number = static_cast<std::uint32_t>(content.size());
  std::memcpy(size.data(), &number, sizeof number);
  const auto digest = sha256({bytes_of(before), size, content});
  return size + std::string(bytes_of(digest)) + content;
}

// Writes `content`, less than a megabyte, in the form of a snapshot with valid digests, so that only the
// content may be wrong.
void write_sealed(const std::filesystem::path& file, const std::string& content) {
  const std::string first = block({}, content);
  const auto digest = digest_from_bytes(std::string_view(first).substr(sizeof(std::uint32_t), 32));
  write_file(file, first + block(digest, ""));
}

// The content of the file's blocks, without heads.
std::string content_of(const std::filesystem::path& file) {
  constexpr std::size_t kHeadBytes = 36;
  const std::string bytes = read_file(file);
  std::string content;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    content += bytes.substr(at + kHeadBytes, size);
    at += kHeadBytes + size;
  }
  return content;
}

// Uses every part that could make a reader fail.
void use(const TransactionList& list) {
  const auto version = list.version();
  ListFilter filter;
  filter.search = "a";
  filter.amount_min = domain::Cents(1);
  find_charges(*version, filter, 0, kEverything);
  filter = {};
  filter.customers.emplace();
  for (std::uint32_t i = 0; i < list.customer_count(); ++i) filter.customers->push_back(i);
  filter.connection = tests::sample_connection(1);
  filter.origin_host = tests::sample_host(1);
  find_charges(*version, filter, 0, kEverything);
}

}  // namespace

TEST_CASE("a snapshot restores every list, which behaves like the original", "[list]") {
  const auto seed = GENERATE(as<std::uint64_t>(), 21, 22);
  const std::size_t host_count = GENERATE(5U, 400U);
  CAPTURE(seed, host_count);
  RandomList random(seed, host_count > 256 ? projections::ListShape{1'024, 64, 16, 16} : tests::kSmallShape);
  random.host_count = host_count;
  for (int i = 0; i < 3'000; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);

  auto snapshot = read_lists(fixture.file);
  REQUIRE(snapshot);
  CHECK(snapshot->stamp == "a stamp");
  REQUIRE(snapshot->lists.size() == 1);
  random.list = std::move(snapshot->lists.at(project(1)));
  for (int round = 0; round < 4; ++round) {
    const auto version = random.list.version();
    for (int i = 0; i < 60; ++i) {
      const ListFilter filter = random.filter();
      const auto page = find_charges(*version, filter, 0, kEverything);
      REQUIRE(page.ordinals == random.model.find(filter));
      REQUIRE(page.total == page.ordinals.size());
    }
    for (int i = 0; i < 300; ++i) random.step();
  }
}

TEST_CASE("a snapshot of another snapshot's lists is the same file", "[list]") {
  RandomList random(31);
  for (int i = 0; i < 1'000; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);
  const auto first = read_file(fixture.file);
  fixture.write(read_lists(fixture.file)->lists.at(project(1)));
  CHECK(read_file(fixture.file) == first);
}

TEST_CASE("a snapshot holds any number of lists, empty ones too", "[list]") {
  RandomList random(32, {});
  for (int i = 0; i < 500; ++i) random.step();
  const TransactionList empty;
  std::vector<ProjectListVersion> lists;
  Fixture fixture;
  write_lists(fixture.file, "", lists);
  REQUIRE(read_lists(fixture.file));
  CHECK(read_lists(fixture.file)->lists.empty());
  for (int i = 0; i < 20; ++i)
    lists.push_back({project(i), i % 2 == 0 ? empty.version() : random.list.version()});
  write_lists(fixture.file, "new", lists);
  const auto snapshot = read_lists(fixture.file);
  REQUIRE(snapshot);
  REQUIRE(snapshot->lists.size() == 20);
  CHECK(snapshot->lists.at(project(2)).charge_count() == 0);
  CHECK(snapshot->lists.at(project(3)).charge_count() == random.list.charge_count());
  CHECK_FALSE(std::filesystem::exists(fixture.file.string() + ".new"));
}

TEST_CASE("a snapshot is taken while the list changes", "[list]") {
  RandomList random(33);
  for (int i = 0; i < 400; ++i) random.step();
  const auto version = random.list.version();
  const auto model = random.model;
  for (int i = 0; i < 400; ++i) random.step();
  Fixture fixture;
  const std::array<ProjectListVersion, 1> lists{{{project(1), version}}};
  write_lists(fixture.file, "earlier", lists);
  const auto snapshot = read_lists(fixture.file);
  REQUIRE(snapshot);
  ListFilter filter;
  filter.status = domain::ChargeStatus::kPaid;
  CHECK(find_charges(*snapshot->lists.at(project(1)).version(), filter, 0, kEverything).ordinals ==
        model.find(filter));
}

TEST_CASE("a snapshot whose texts an earlier release folded is no snapshot", "[list]") {
  const Fixture fixture;
  for (const bool own : {true, false}) {
    CheckedFileWriter out(fixture.file);
    out.text(own ? "pixledger transaction lists 7" : "pixledger transaction lists 6");
    out.value<std::uint32_t>(0x01020304);
    out.text("a stamp");
    out.value<std::uint64_t>(0);
    out.finish();
    CHECK(read_lists(fixture.file).has_value() == own);
  }
}

TEST_CASE("a missing snapshot is no snapshot", "[list]") {
  const Fixture fixture;
  CHECK_FALSE(read_lists(fixture.file));
  CHECK_FALSE(read_lists(fixture.directory.path()));
}

TEST_CASE("a snapshot that was cut short or lengthened is refused", "[list]") {
  RandomList random(41);
  for (int i = 0; i < 40; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);
  const auto bytes = read_file(fixture.file);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    write_file(fixture.file, bytes.substr(0, size));
    REQUIRE_FALSE(read_lists(fixture.file));
  }
  write_file(fixture.file, bytes + '\0');
  CHECK_FALSE(read_lists(fixture.file));
}

TEST_CASE("a snapshot with a flipped bit is refused", "[list]") {
  RandomList random(42);
  for (int i = 0; i < 40; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);
  const auto bytes = read_file(fixture.file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CAPTURE(i);
    auto damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    write_file(fixture.file, damaged);
    REQUIRE_FALSE(read_lists(fixture.file));
  }
}

TEST_CASE("impossible content is refused or harmless, even with valid digests", "[list]") {
  RandomList random(43);
  for (int i = 0; i < 100; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);
  const auto content = content_of(fixture.file);
  const auto written = read_file(fixture.file);
  write_sealed(fixture.file, content);
  REQUIRE(read_file(fixture.file) == written);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      auto damaged = content;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      write_sealed(fixture.file, damaged);
      const auto snapshot = read_lists(fixture.file);
      refused += snapshot ? 0 : 1;
      if (!snapshot) continue;
      for (const auto& [id, list] : snapshot->lists) use(list);
    }
  }
  CHECK(refused > content.size());
}

TEST_CASE("a snapshot that cannot be written leaves the old one", "[list]") {
  RandomList random(44);
  for (int i = 0; i < 40; ++i) random.step();
  Fixture fixture;
  fixture.write(random.list);
  const auto before = read_file(fixture.file);
  std::filesystem::create_directory(fixture.file.string() + ".new");
  CHECK_THROWS_AS(fixture.write(random.list), std::system_error);
  CHECK(read_file(fixture.file) == before);
}
