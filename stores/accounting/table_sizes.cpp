#include "stores/accounting/table_sizes.h"

#include <algorithm>
#include <string>

#include "domain/values/cents.h"

namespace pixledger::stores {

using Part = StatementEntries::Part;

bool TableSizes::fits(const StatedSize& size, Part part) const {
  // A table without debits has a sum of 0.
  const bool has_sum = size.cents && !(size.count && *size.cents == 0);
  return (size.count && entries_.are_as_many_as(*size.count, part)) ||
         (has_sum && (size.debits ? entries_.can_come_to(*size.cents, *size.debits)
                                  : entries_.can_come_to(*size.cents)));
}

void TableSizes::add(std::size_t line, std::string_view text, const StatedSize& size) {
  constexpr std::size_t kClaimsMax = 100'000;
  if (!size.count && !size.cents) return;
  const bool has_sum = size.cents && !(size.count && *size.cents == 0);
  const auto entries = entries_.count();
  const bool is_sum =
      has_sum && (size.debits ? entries_.come_to(*size.cents, *size.debits) : entries_.come_to(*size.cents));
  if (is_sum && !size.count) {
    // A table without entries has the sum of the one before it.
    const bool is_repeated = last_sum_ && last_sum_->cents == *size.cents && last_sum_->entries == entries &&
                             last_sum_->table != tables_;
    last_sum_ = Sum{*size.cents, entries, tables_};
    if (is_repeated) entries_.warn(line, "states the total of the table above, and has no lines of its own");
    return entries_.note_size(!is_repeated);
  }
  if (claims_.size() == kClaimsMax) {
    if (!has_told_many_) entries_.warn(line, "states a size, as too many lines do: it is not compared");
    has_told_many_ = true;
    return entries_.note_size(false);
  }
  // The heading above was a page's, and this is the page's own count.
  if (tables_ > section_table_ && entries == entries_before_table_) {
    compare_open();
    open_begin_ = open_end_ = claims_.size();
    section_table_ = tables_;
    entries_.begin_section();
  }
  const bool fits_above = fits(size, Part::kAll) || fits(size, Part::kSinceTotal) ||
                          fits(size, Part::kTable) || fits(size, Part::kSection);
  claims_.push_back({.line = line,
                     .text = text,
                     .size = size,
                     .table = tables_,
                     .entries = entries,
                     .fits_above = is_sum || fits_above,
                     .fits_before = is_sum || fits(size, Part::kSinceTotal),
                     .fits_behind = is_sum});
}

void TableSizes::begin_table() {
  continued_ = 0;
  end_table(false);
  ++tables_;
  table_begin_ = claims_.size();
  entries_before_table_ = entries_.count();
  entries_.begin_table();
  if (section_table_ == tables_) entries_.begin_section();
}

void TableSizes::end_table(bool is_last) {
  const auto entries = entries_.count();
  auto at = table_begin_;
  for (; tables_ > 0 && at < claims_.size() && claims_[at].entries < entries; ++at) {
    auto& claim = claims_[at];
    if (claim.entries == entries_before_table_) {
      claim.place = Place::kBelowHeading;
      open_end_ = at + 1;
    } else {
      claim.place = Place::kWithin;
      claim.fits_before = claim.fits_before || fits(claim.size, Part::kTable);
    }
  }
  const bool is_stated = at < claims_.size();
  is_empty_.push_back(entries == entries_before_table_);
  if (tables_ == section_table_ || is_stated || is_last) compare_open();
  if (tables_ > 0)
    for (auto i = at; i < claims_.size(); ++i) {
      auto& claim = claims_[i];
      claim.place = is_last ? Place::kBehindLast : Place::kBetween;
      claim.fits_before =
          claim.fits_before || fits(claim.size, Part::kTable) || fits(claim.size, Part::kSection);
    }
  if (tables_ > 0 && !is_stated) return;
  open_begin_ = at;
  open_end_ = claims_.size();
  section_table_ = tables_ + 1;
}

// Compares with the first table of their section, and with the whole section.
void TableSizes::compare_open() {
  for (auto i = open_begin_; i < open_end_; ++i) {
    auto& claim = claims_[i];
    claim.fits_behind = claim.fits_behind || fits(claim.size, Part::kSection);
    const auto has_more = [&](std::int64_t more) {
      return claim.size.count && entries_.are_as_many_as(*claim.size.count - more, Part::kSection);
    };
    claim.fits_behind_nearly = claim.fits_behind_nearly || has_more(1) || has_more(2);
  }
}

// A count between two tables may be of either. All tables of a file have as many counts before and after them
// as the first and the last one; a count of all entries may be among them.
void TableSizes::find_owners() {
  std::vector<std::size_t> between;  // how many there are, for each place that has any
  std::vector<Claim*> before_first, behind_last;
  std::size_t table = SIZE_MAX;
  for (auto& claim : claims_) {
    if (!claim.size.count) continue;
    if (claim.place == Place::kBetween) {
      if (claim.table != table) between.push_back(0);
      ++between.back();
      table = claim.table;
    } else if (claim.place == Place::kBeforeFirst) {
      before_first.push_back(&claim);
      claim.owner = Owner::kTableBehind;
    } else if (claim.place == Place::kBehindLast) {
      behind_last.push_back(&claim);
      claim.owner = Owner::kTableBefore;
    } else {
      claim.owner = claim.place == Place::kWithin ? Owner::kOwnTable : Owner::kTableBehind;
    }
  }
  if (between.empty()) return;
  const auto each = between.front();
  if (std::any_of(between.begin(), between.end(), [&](std::size_t other) { return other != each; })) return;
  auto* const first =
      before_first.empty() || before_first.front()->fits_behind ? nullptr : before_first.front();
  auto* const last = behind_last.empty() || behind_last.back()->fits_before ? nullptr : behind_last.back();
  std::vector<Claim*> of_all;
  for (auto* const claim : {first, last})
    if (claim != nullptr && is_of_all(*claim)) of_all.push_back(claim);
  const auto ends = before_first.size() + behind_last.size();
  if (ends != each && ends != each + of_all.size()) return;
  if (ends == each) of_all.clear();
  for (auto* const claim : of_all) claim->owner = Owner::kAll;
  const auto behind_each = behind_last.size() - (last != nullptr && last->owner == Owner::kAll ? 1 : 0);
  table = SIZE_MAX;
  std::size_t number = 0;
  for (auto& claim : claims_) {
    if (!claim.size.count || claim.place != Place::kBetween) continue;
    number = claim.table == table ? number + 1 : 0;
    table = claim.table;
    claim.owner = number < behind_each ? Owner::kTableBefore : Owner::kTableBehind;
  }
}

// Returns whether the table that owns it has no entries.
bool TableSizes::is_empty(const Claim& claim) const {
  const bool is_behind = claim.owner == Owner::kTableBehind && claim.place != Place::kBelowHeading;
  const auto table = claim.table + (is_behind ? 1 : 0);
  return table < is_empty_.size() && is_empty_[table];
}

// A count of all that stands at several tables, one of which is empty, is of those that lack their entries.
bool TableSizes::are_of_all(Owner owner) const {
  const auto is_its = [owner](const Claim& claim) { return claim.owner == owner && claim.size.count; };
  const bool has_several = std::count_if(claims_.begin(), claims_.end(), is_its) > 1;
  const auto is_of_empty = [&](const Claim& claim) {
    return is_its(claim) && *claim.size.count > 0 && is_empty(claim);
  };
  if (has_several && std::any_of(claims_.begin(), claims_.end(), is_of_empty)) return false;
  return std::all_of(claims_.begin(), claims_.end(), [&](const Claim& claim) {
    return claim.owner != owner || !claim.size.count || is_of_all(claim);
  });
}

bool TableSizes::fits_owner(const Claim& claim) const {
  if (!claim.size.count) return claim.fits_before || claim.fits_behind || is_of_all(claim);
  switch (claim.owner) {
    case Owner::kUnknown:
      return claim.fits_before && claim.fits_behind;
    case Owner::kTableBefore:
      return claim.fits_before;
    case Owner::kTableBehind:
      return claim.fits_behind;
    case Owner::kOwnTable:
      return claim.fits_above || claim.fits_before || is_of_all(claim);
    case Owner::kAll:
      return true;
  }
  return false;
}

// Returns whether it matches something else than its owner.
bool TableSizes::may_fit(const Claim& claim) const {
  if (!claim.size.count) return false;
  if (claim.owner == Owner::kUnknown && (claim.fits_before || claim.fits_behind || claim.fits_behind_nearly))
    return true;
  return is_of_all(claim) || (claim.owner != Owner::kTableBehind && claim.fits_above);
}

void TableSizes::add(std::size_t line, const StatedPage& page) {
  const auto& [number, pages] = page;
  auto& numbers = pages_.numbers;
  const bool is_known = numbers.count(number) != 0;
  const bool is_whole = static_cast<std::int64_t>(numbers.size()) == pages_.last.pages;
  // A page may name itself at its begin and at its end.
  const bool is_again = is_known && number == pages_.last.number;
  if (pages_.line != 0 && (pages != pages_.last.pages || (!is_again && (is_known || is_whole)))) end_pages();
  if (pages_.line == 0) pages_.line = line;
  pages_.last = page;
  numbers.insert(number);
}

void TableSizes::end_pages() {
  if (pages_.line == 0) return;
  const auto there = static_cast<std::int64_t>(pages_.numbers.size()), pages = pages_.last.pages;
  if (there < pages) {
    entries_.warn(pages_.line, "is of a page, and " + std::to_string(there) + " of " + std::to_string(pages) +
                                   " pages are in the file: export all of them");
    entries_.note_size(false);
  }
  pages_ = {};
}

void TableSizes::finish() {
  end_table(true);
  end_pages();
  if (continued_ != 0) {
    entries_.warn(continued_, "says that another page follows, and none does: export all of them");
    entries_.note_size(false);
  }
  find_owners();
  const bool are_before_of_all = are_of_all(Owner::kTableBehind),
             are_behind_of_all = are_of_all(Owner::kTableBefore);
  for (const auto& claim : claims_) {
    const bool is_held = fits_owner(claim) || (claim.owner == Owner::kTableBehind && are_before_of_all) ||
                         (claim.owner == Owner::kTableBefore && are_behind_of_all);
    entries_.note_size(is_held);
    if (is_held) continue;
    if (may_fit(claim))
      entries_.warn(claim.line,
                    "states how many lines there are, and not of which table: it is not compared");
    else
      refuse_or_warn(claim);
  }
}

void TableSizes::refuse_or_warn(const Claim& claim) {
  constexpr std::string_view kMissing = ": a part of the statement is missing, or is in it twice";
  const auto problem =
      (claim.size.cents ? "states a total, and the payments come to " +
                              domain::to_decimal(domain::Cents(entries_.payments_cents()))
                        : std::string("states how many lines there are, and there are others")) +
      std::string(kMissing);
  const bool counts_more =
      claim.fits_behind_nearly && claim.owner == Owner::kTableBehind && claim.place != Place::kBelowHeading;
  const bool is_sure = claim.size.cents ? entries_.has_clear_sums() : !counts_more;
  if (claim.size.is_clear && is_sure) refuse_line(claim.line, problem, claim.text);
  entries_.warn(claim.line, problem);
}

}  // namespace pixledger::stores
