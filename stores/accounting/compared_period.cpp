#include "stores/accounting/compared_period.h"

#include <algorithm>

namespace pixledger::stores {
namespace {

// Windows that follow each other end and begin with the last and first second or minute of a day.
constexpr std::int64_t kHoleMs = 60'000;

// In their order, those that touch as one.
std::vector<StatementWindow> merged(std::vector<StatementWindow> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const StatementWindow& one, const StatementWindow& other) { return one.from < other.from; });
  std::vector<StatementWindow> all;
  for (const auto& window : windows) {
    if (all.empty() || window.from > all.back().until.plus_millis(kHoleMs))
      all.push_back(window);
    else
      all.back().until = std::max(all.back().until, window.until);
  }
  return all;
}

// What is not given is as the windows say.
void complete(ReconcilePeriod& period, const std::vector<StatementWindow>& windows) {
  if (windows.empty()) return;
  const auto &first = windows.front().from, &last = windows.back().until;
  if (!period.from) period.from = period.until ? std::min(first, *period.until) : first;
  if (!period.until) period.until = std::max(last, *period.from);
}

// Whether the statement has a line of the period, or says that it has all of a part of it. One without any
// line may be of it.
bool has_any_of(const ReconcilePeriod& period, const Statement& statement,
                const std::vector<StatementWindow>& windows) {
  const auto overlaps = [&](const StatementWindow& window) {
    return (!period.from || window.until > *period.from) && (!period.until || window.from < *period.until);
  };
  if (std::any_of(windows.begin(), windows.end(), overlaps)) return true;
  const bool has_returns = statement.has_returns == Statement::Returns::kOfDays;
  if (statement.lines.empty() && (!has_returns || statement.returns.empty())) return windows.empty();
  const auto is_in = [&](const auto& entries, auto moment_of) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& entry) { return period.contains(moment_of(entry)); });
  };
  return is_in(statement.lines, [](const StatementLine& line) { return line.paid_at; }) ||
         (has_returns && is_in(statement.returns, [](const StatementReturn& back) { return back.at; }));
}

std::vector<StatementWindow> gaps_of(const ReconcilePeriod& period,
                                     const std::vector<StatementWindow>& windows) {
  std::vector<StatementWindow> gaps;
  for (std::size_t i = 1; i < windows.size(); ++i) {
    const StatementWindow gap{std::max(windows[i - 1].until, *period.from),
                              std::min(windows[i].from, *period.until)};
    if (gap.from < gap.until) gaps.push_back(gap);
  }
  return gaps;
}

}  // namespace

ComparedPeriod compared_period(const ReconcileQuestion& question, const Statement& statement,
                               std::optional<std::int64_t> first_day, std::optional<std::int64_t> last_day) {
  const auto windows = merged(statement.windows);
  ComparedPeriod compared{.period = question.period};
  auto& period = compared.period;
  const bool is_given = period.from || period.until;
  complete(period, windows);
  if (is_given) {
    compared.by = PeriodBy::kGiven;
    compared.has_any_line = has_any_of(period, statement, windows);
  } else if (!windows.empty() || (period.is_the_statements && first_day)) {
    compared.by = windows.empty() ? PeriodBy::kLines : PeriodBy::kStatement;
    // Its lines are of it, whatever it says.
    if (first_day) {
      const auto first = question.zone.begin_of(*first_day), last = question.zone.begin_of(*last_day + 1);
      period.from = std::min(first, period.from.value_or(first));
      period.until = std::max(last, period.until.value_or(last));
    }
  }
  compared.gaps = gaps_of(period, windows);
  return compared;
}

}  // namespace pixledger::stores
