#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_size.h"

namespace pixledger::stores {

// Compares the sizes that lines of a file state with the file's entries. A file may be several exports or
// pages, one after the other, each of which has the heading. A count belongs to one table:
//
// - to the table whose heading or entries are above it, where entries of that table follow it;
// - before the first heading to the first table, behind the last entry to the last table;
// - between two tables to the one before or behind it, which the ends of the file tell: where the first table
//   has two counts before it and the last one has none behind it, all tables have two counts before them.
//
// Where a heading comes again without a count, a page of the same table may follow. Instead of those of its
// table a count may be of all entries, where all counts in such places are.
class TableSizes {
 public:
  // `entries` has to live longer than this.
  explicit TableSizes(StatementEntries& entries) : entries_(entries) {}

  // A line of the file: `text`, which has to live longer than this. A line that states nothing is ignored.
  void add(std::size_t line, std::string_view text, const StatedSize& size);
  // A heading: entries of another table follow.
  void begin_table();
  // The end of the file. Throws StatementRefused where a clear size surely does not fit.
  void finish();

 private:
  enum class Place { kBeforeFirst, kBelowHeading, kWithin, kBetween, kBehindLast };
  enum class Owner { kUnknown, kTableBefore, kTableBehind, kOwnTable, kAll };
  struct Claim {
    std::size_t line;
    std::string_view text;
    StatedSize size;
    std::size_t table;     // how many headings are above it
    std::int64_t entries;  // how many entries are above it
    bool fits_above;       // what came up to the place where it stands
    bool fits_before;      // the table before it
    bool fits_behind;
    bool fits_behind_nearly = false;  // it may count the heading, and a line at the end
    Place place = Place::kBeforeFirst;
    Owner owner = Owner::kUnknown;
  };

  bool fits(const StatedSize& size, StatementEntries::Part part) const;
  bool is_of_all(const Claim& claim) const { return fits(claim.size, StatementEntries::Part::kAll); }
  void end_table(bool is_last);
  void compare_open();
  void find_owners();
  bool are_of_all(Owner owner) const;
  bool fits_owner(const Claim& claim) const;
  bool may_fit(const Claim& claim) const;
  void refuse_or_warn(const Claim& claim);

  StatementEntries& entries_;
  std::vector<Claim> claims_;  // in their order
  std::size_t tables_ = 0;
  std::size_t table_begin_ = 0;  // the first of claims_ below the last heading
  std::int64_t entries_before_table_ = 0;
  // A section is a table and the pages behind it that state no size. Those of claims_ that may be of it:
  std::size_t open_begin_ = 0, open_end_ = 0;
  std::size_t section_table_ = 0;  // the first table of the section
  bool has_told_many_ = false;
};

}  // namespace pixledger::stores
