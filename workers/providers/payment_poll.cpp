#include "workers/providers/payment_poll.h"

#include <algorithm>
#include <charconv>

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecond{1'000};
constexpr milliseconds kMinute = 60 * kSecond;
constexpr milliseconds kHour = 60 * kMinute;
constexpr milliseconds kDay = 24 * kHour;
// An account that was never looked at, or whose place was lost.
constexpr milliseconds kFirstLook = 7 * kDay;
constexpr milliseconds kLongest = 400 * kDay;
constexpr std::size_t kTiersMax = 8;
// Banks refuse, or cut off, what is longer.
constexpr std::int64_t kItemsOfWindowMax = 10'000;
constexpr milliseconds kTurn{10'000};

std::optional<milliseconds> parse_span(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::optional<milliseconds> of_unit;
  if (unit == "s") of_unit = kSecond;
  if (unit == "m" || unit == "min") of_unit = kMinute;
  if (unit == "h") of_unit = kHour;
  if (unit == "d") of_unit = kDay;
  if (!of_unit || number > kLongest / *of_unit) return std::nullopt;
  return *of_unit * number;
}

}  // namespace

PollPlan PollPlan::usual() {
  return PollPlan({{10 * kSecond, 15 * kMinute}, {10 * kMinute, kDay}, {kDay, 100 * kDay}});
}

std::optional<PollPlan> PollPlan::parse(std::string_view text) {
  std::vector<PollTier> tiers;
  while (!text.empty()) {
    const auto tier = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), tier.size() + 1));
    const auto colon = tier.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto every = parse_span(tier.substr(0, colon));
    const auto back = parse_span(tier.substr(colon + 1));
    if (!every || !back || tiers.size() == kTiersMax) return std::nullopt;
    tiers.push_back({*every, *back});
  }
  if (tiers.empty()) return std::nullopt;
  return PollPlan(std::move(tiers));
}

bool PaymentPoll::look(const projections::NotedBank& noted, milliseconds back, BankPriority priority) const {
  const auto bank = banks_.find(noted.project, noted.connection);
  if (!bank) return false;
  const auto end = clock_.now();
  const auto last = database_.looked_up_to(noted.connection).value_or(end.plus_millis(-kFirstLook.count()));
  const auto begin = std::min(last, end).plus_millis(-back.count());
  if (!look_at(*bank, noted.project, {.begin = begin, .end = end}, priority)) return false;
  database_.note_looked(noted.connection, end);
  return true;
}

bool PaymentPoll::look_at(const BankAtHand& bank, const domain::ProjectId& project, const PixWindow& window,
                          BankPriority priority) const {
  for (std::int64_t page = 0, pages = 1; page < pages; ++page) {
    const auto answer = bank.client->list_pix(window, page, {priority, boot_time(clock_) + kTurn});
    const auto* shown = std::get_if<BankPixPage>(&answer);
    if (!shown) {
      // A longer window may take the bank longer than it has.
      if (page == 0 && std::holds_alternative<Unavailable>(answer) && !bank.client->is_open() &&
          window.end.millis() - window.begin.millis() > kDay.count())
        return look_at_halves(bank, project, window, priority);
      logger_.warning("a bank did not show its payments",
                      {{"connection", bank.connection.id.text()}, {"outcome", outcome_name(answer)}});
      return false;
    }
    if (page == 0 && shown->items >= kItemsOfWindowMax && look_at_halves(bank, project, window, priority))
      return true;
    if (!report(bank, project, shown->found)) return false;
    pages = shown->pages;
  }
  return true;
}

bool PaymentPoll::look_at_halves(const BankAtHand& bank, const domain::ProjectId& project,
                                 const PixWindow& window, BankPriority priority) const {
  const auto half = (window.end.millis() - window.begin.millis()) / 2;
  if (half < kMinute.count()) return false;
  const auto middle = window.begin.plus_millis(half);
  return look_at(bank, project, {.begin = window.begin, .end = middle}, priority) &&
         look_at(bank, project, {.begin = middle, .end = window.end}, priority);
}

bool PaymentPoll::report(const BankAtHand& bank, const domain::ProjectId& project,
                         const BankPayments& found) const {
  for (const auto& unusable : found.unusable)
    logger_.error("a payment at the bank cannot be read",
                  {{"connection", bank.connection.id.text()}, {"fault", unusable.reason}});
  // One that has to be told again holds up none of the others.
  bool all_told = true;
  for (const auto& payment : found.payments) all_told = report_.report(bank, project, payment) && all_told;
  return all_told;
}

}  // namespace pixledger::workers
