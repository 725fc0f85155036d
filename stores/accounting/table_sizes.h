#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_size.h"

namespace pixledger::stores {

// Compares the sizes that a file states with its entries. A file may be several exports or pages, one after
// the other, each with the heading. A count belongs to one table:
//
// - to the table whose heading or entries precede it, if entries of that table follow it;
// - before the first heading to the first table, after the last entry to the last table;
// - between two tables to the one before or after it, which the ends of the file decide: if the first table
//   has two counts before it and the last one has none after it, all tables have two counts before them.
//
// A repeated heading without a count may be a page of the same table. Counts may also be of all entries, if
// all counts in such places are.
class TableSizes {
 public:
  // `entries` must outlive this.
  explicit TableSizes(StatementEntries& entries) : entries_(entries) {}

  // Adds a line of the file. `text` must outlive this. A line that states nothing is ignored.
  void add(std::size_t line, std::string_view text, const StatedSize& size);
  // Adds a page that a line names. All pages of its document must be in the file; that they are says nothing
  // of their entries.
  void add(std::size_t line, const StatedPage& page);
  // Adds a line that states that another page follows, which then must.
  void add_continued(std::size_t line) { continued_ = line; }
  // Adds a heading: entries of another table follow.
  void begin_table();
  // Ends the file. Throws StatementRefused if a clear size surely does not match.
  void finish();

 private:
  enum class Place { kBeforeFirst, kBelowHeading, kWithin, kBetween, kBehindLast };
  enum class Owner { kUnknown, kTableBefore, kTableBehind, kOwnTable, kAll };
  struct Claim {
    std::size_t line;
    std::string_view text;
    StatedSize size;
    std::size_t table;     // the number of headings above it
    std::int64_t entries;  // the number of entries above it
    bool fits_above;       // the entries up to its place
    bool fits_before;      // the table before it
    bool fits_behind;
    bool fits_behind_nearly = false;  // may also count the heading and a line at the end
    Place place = Place::kBeforeFirst;
    Owner owner = Owner::kUnknown;
  };

  bool fits(const StatedSize& size, StatementEntries::Part part) const;
  bool is_of_all(const Claim& claim) const { return fits(claim.size, StatementEntries::Part::kAll); }
  void end_table(bool is_last);
  void compare_open();
  void find_owners();
  bool is_empty(const Claim& claim) const;
  bool are_of_all(Owner owner) const;
  bool fits_owner(const Claim& claim) const;
  bool may_fit(const Claim& claim) const;
  void refuse_or_warn(const Claim& claim);
  void end_pages();

  StatementEntries& entries_;
  std::vector<Claim> claims_;  // in the file's order
  std::size_t tables_ = 0;
  std::size_t table_begin_ = 0;  // the first of claims_ below the last heading
  std::int64_t entries_before_table_ = 0;
  // A section is a table and the following pages that state no size. The part of claims_ that may be of it:
  std::size_t open_begin_ = 0, open_end_ = 0;
  std::size_t section_table_ = 0;  // the first table of the section
  bool has_told_many_ = false;
  std::size_t continued_ = 0;     // the last such line, if no heading follows it
  std::vector<bool> is_empty_{};  // of each table that has ended
  // The last sum that matched, and where.
  struct Sum {
    std::int64_t cents, entries;
    std::size_t table;
  };
  std::optional<Sum> last_sum_{};
  // The pages of the document that the last one named is of.
  struct Pages {
    std::size_t line = 0;  // of the first one
    StatedPage last{};
    std::set<std::int64_t> numbers{};
  };
  Pages pages_{};
};

}  // namespace pixledger::stores
