#include "projections/views/charge_metadata.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {
namespace {

using namespace domain;
using namespace projections;

struct Rows {
  TemporaryDirectory directory;
  eventstore::LmdbEnvironment environment{directory.path(), {.map_bytes = std::size_t{1} << 26}};
  ViewTables tables{environment};

  // Adds a charge with the number as its only text.
  void add(std::uint32_t ordinal, const CustomerId& customer) {
    auto charge = sample_charge(Environment::kLive);
    charge.customer = customer;
    charge.metadata = Metadata::of({number(ordinal)});
    eventstore::LmdbWrite write(environment);
    put_metadata(write.get(), tables, charge, ordinal);
    write.commit();
  }
  static MetadataEntry number(std::uint32_t ordinal) {
    return {parsed<MetadataKey>("n"), parsed<MetadataValue>(std::to_string(ordinal % 10))};
  }
  std::optional<std::vector<std::uint32_t>> find(OrdinalRange range, std::size_t rows_max,
                                                 std::optional<CustomerId> customer = std::nullopt,
                                                 const projections::WorkCheck& check = {}) {
    const eventstore::LmdbRead read(environment);
    return charges_with_metadata(read.get(), tables, sample_project_id(), range, customer, {number(3)},
                                 rows_max, check);
  }
};

const CustomerId kAna = parsed<CustomerId>("cana0000000000000000000000");
const CustomerId kBia = parsed<CustomerId>("cbia0000000000000000000000");
using Found = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a search for metadata ends when it would read more rows than its limit") {
  Rows rows;
  for (std::uint32_t i = 0; i < 30; ++i) rows.add(i, i < 20 ? kAna : kBia);
  CHECK(rows.find({0, 30}, 30) == Found{3, 13, 23});
  CHECK_FALSE(rows.find({0, 30}, 29));
  CHECK(rows.find({10, 20}, 10) == Found{13});
  CHECK(rows.find({0, 30}, 10, kBia) == Found{23});
  CHECK_FALSE(rows.find({0, 30}, 19, kAna));
  CHECK(rows.find({5, 15}, 10, kAna) == Found{13});
  CHECK(rows.find({0, 10}, 10, kAna) == Found{3});
  CHECK(rows.find({0, 30}, 0, parsed<CustomerId>("cnobody00000000000000000")) == Found{});
}

TEST_CASE("a search for metadata asks now and then whether to go on, and ends if not") {
  Rows rows;
  for (std::uint32_t i = 0; i < 3'000; ++i) rows.add(i, kAna);
  unsigned looks = 0;
  const WorkCheck counting([&] { ++looks; });
  for (const auto& customer : {std::optional<CustomerId>(), std::optional(kAna)}) {
    looks = 0;
    CHECK(rows.find({0, 3'000}, 3'000, customer, counting)->size() == 300);
    CHECK(looks == 3);
    struct GivenUp {};
    const WorkCheck over([] { throw GivenUp(); });
    CHECK_THROWS_AS(rows.find({0, 3'000}, 3'000, customer, over), GivenUp);
  }
}

TEST_CASE("an erasure removes only the customer's own metadata") {
  Rows rows;
  for (std::uint32_t i = 0; i < 30; ++i) rows.add(i, i % 2 == 0 ? kAna : kBia);
  {
    eventstore::LmdbWrite write(rows.environment);
    remove_metadata(write.get(), rows.tables, sample_project_id(), kBia);
    write.commit();
  }
  CHECK(rows.find({0, 30}, 15) == Found{});
  CHECK(rows.find({0, 30}, 0, kBia) == Found{});
  const eventstore::LmdbRead read(rows.environment);
  CHECK(read_metadata(read.get(), rows.tables, sample_project_id(), 4) == *Metadata::of({Rows::number(4)}));
  CHECK(read_metadata(read.get(), rows.tables, sample_project_id(), 5).empty());
}

}  // namespace pixledger::tests
