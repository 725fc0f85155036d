#include "projections/generations/generation_comparison.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "eventstore/lmdb/lmdb_damage.h"
#include "projections/views/list_loader.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

using eventstore::LmdbCursor;
using eventstore::LmdbRead;

// Most rows that may wait for a second read.
constexpr std::size_t kSetAsideMax = 200'000;
constexpr std::size_t kChargesNamedMax = 10;
// Most events that `next` may be behind when a comparison starts: the closer, the fewer rows are read twice.
constexpr std::uint64_t kNearEvents = 20'000;
// A replay may be slower than new events arrive.
constexpr int kRoundsMax = 5;

std::uint64_t rows_in(const LmdbRead& read, const ViewTables& tables) {
  std::uint64_t rows = 0;
  for (const auto& table : kViewTables) {
    MDB_stat stat{};
    eventstore::check_lmdb(mdb_stat(read.get(), tables.*table.handle, &stat), "mdb_stat");
    rows += stat.ms_entries;
  }
  return rows;
}

// The text before a key's numbers, and the numbers in hex; for keys with an e-mail address, the project only.
std::string name_of(const ViewTable& table, std::string_view key) {
  const auto is_number = [](char c) { return c < ' ' || c > '~'; };
  const auto end = std::find_if(key.begin(), key.end(), is_number);
  std::string name(key.begin(), end);
  if (end != key.end() && table.handle != &ViewTables::customers_by_email)
    name += ' ' + to_hex(std::string(end, key.end()));
  return name;
}

}  // namespace

class GenerationComparison::Pass {
 public:
  Pass(const GenerationComparison& current, ViewDatabase& next, const BuildProgress& progress)
      : current_(current), next_(next), progress_(progress) {}

  GenerationDifferences run(const BuildTo& build_to, const std::filesystem::path& scratch) {
    try {
      come_near(build_to);
      eventstore::read_or_damaged([&] { compare_all(scratch); });
    } catch (const DataDamaged& damaged) {
      found_.fault = std::string("the read models in use cannot be compared: ") + damaged.what();
    }
    return std::move(found_);
  }

 private:
  struct SetAside {
    const ViewTable* table;
    std::string key;
  };

  void come_near(const BuildTo& build_to) {
    for (int round = 0; round < kRoundsMax; ++round) {
      const auto goal = eventstore::read_or_damaged(
          [&] { return read_cursor(LmdbRead(current_.environment_).get(), current_.tables_).position; });
      const auto here = next_.cursor().position;
      if (goal <= here || goal.value() - here.value() <= kNearEvents) return;
      build_to(goal);
    }
  }

  void compare_all(const std::filesystem::path& scratch) {
    total_ = rows_in(LmdbRead(current_.environment_), current_.tables_);
    for (const auto& table : kViewTables) compare(table);
    const LmdbRead rows(current_.environment_);
    look_again(rows);
    compare_lists(rows, scratch);
  }

  void compare(const ViewTable& table) {
    std::string from;
    for (bool more = true; more;) {
      more = compare_some(table, from);
      if (set_aside_.size() >= kSetAsideMax) look_again(LmdbRead(current_.environment_));
      if (progress_) progress_(found_.rows, total_);
    }
  }

  // Starts at `from`; returns false at the end of both.
  bool compare_some(const ViewTable& table, std::string& from) {
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kReadMax;
    const LmdbRead these(current_.environment_);
    const LmdbRead those(next_.environment());
    LmdbCursor one(these.get(), current_.tables_.*table.handle);
    LmdbCursor other(those.get(), next_.tables().*table.handle);
    bool has_one = one.seek(from);
    bool has_other = other.seek(from);
    while (has_one || has_other) {
      const int order = !has_one ? 1 : !has_other ? -1 : one.key().compare(other.key());
      const auto key = order <= 0 ? one.key() : other.key();
      if (std::chrono::steady_clock::now() >= deadline || set_aside_.size() >= kSetAsideMax) {
        from = key;
        return true;
      }
      ++found_.rows;
      if (order != 0 || one.value() != other.value()) set_aside_.push_back({&table, std::string(key)});
      if (order <= 0) has_one = one.move(MDB_NEXT);
      if (order >= 0) has_other = other.move(MDB_NEXT);
    }
    return false;
  }

  // `rows` is of the generation in use. Both are at one position then.
  void look_again(const LmdbRead& rows) {
    const auto cursor = read_cursor(rows.get(), current_.tables_);
    found_.as_of = cursor.position;
    catch_up(next_, current_.log_, {}, cursor.position);
    if (next_.cursor().position != cursor.position)
      throw DataDamaged("they are not at a position of this ledger");
    const LmdbRead those(next_.environment());
    for (const auto& [table, key] : set_aside_) {
      if (eventstore::lmdb_get(rows.get(), current_.tables_.*table->handle, key) ==
          eventstore::lmdb_get(those.get(), next_.tables().*table->handle, key))
        continue;
      auto& differ = found_.by_table[table->name];
      if (++differ.rows == 1) differ.first = name_of(*table, key);
      if (table->handle == &ViewTables::charges && found_.charges.size() < kChargesNamedMax)
        found_.charges.push_back(key);
    }
    set_aside_.clear();
  }

  void compare_lists(const LmdbRead& rows, const std::filesystem::path& scratch) {
    const auto lists =
        load_lists(current_.environment_.directory() / kListsFile, {current_.tables_, rows.get()},
                   read_cursor(rows.get(), current_.tables_), current_.log_);
    if (const auto difference = difference_between_lists(lists.versions(), next_.list_versions(), scratch))
      found_.lists = "the lists differ: " + *difference;
  }

  const GenerationComparison& current_;
  ViewDatabase& next_;
  const BuildProgress& progress_;
  GenerationDifferences found_;
  std::vector<SetAside> set_aside_;
  std::uint64_t total_ = 0;
};

namespace {

eventstore::LmdbOptions reading(eventstore::LmdbOptions options) {
  options.read_only = true;
  return options;
}

}  // namespace

std::string GenerationDifferences::text() const {
  std::string text;
  for (const auto& [table, differ] : by_table)
    text += (text.empty() ? "" : ", ") + std::to_string(differ.rows) + (differ.rows == 1 ? " row" : " rows") +
            " of " + table + (differ.rows == 1 ? " differs (" : " differ (the first is ") + differ.first +
            ")";
  for (const auto* more : {&lists, &fault})
    if (*more) text += (text.empty() ? "" : ", and ") + **more;
  return text;
}

GenerationComparison::GenerationComparison(const std::filesystem::path& current,
                                           eventstore::LmdbOptions options, const eventstore::Log& log) try
    : environment_(current, eventstore::LmdbOpening(current, reading(options)).options),
      tables_(environment_),
      log_(log) {
} catch (const eventstore::LmdbError& error) {
  if (!eventstore::is_damage(error)) throw;
  throw DataDamaged(error.what());
} catch (const eventstore::LogCorrupt& error) {
  throw DataDamaged(error.what());
} catch (const std::system_error& error) {
  if (error.code() != std::errc::no_such_file_or_directory) throw;
  throw DataDamaged(error.what());
} catch (const eventstore::LmdbFileDamaged& error) {
  throw DataDamaged(error.what());
}

GenerationDifferences GenerationComparison::compare(ViewDatabase& next, const BuildTo& build_to,
                                                    const std::filesystem::path& scratch,
                                                    const BuildProgress& progress) const {
  return Pass(*this, next, progress).run(build_to, scratch);
}

}  // namespace pixledger::projections
