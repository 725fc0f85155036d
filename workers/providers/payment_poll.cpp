#include "workers/providers/payment_poll.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "domain/text/ascii.h"

namespace pixledger::workers {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

// An account that was never looked at, or whose place was lost.
constexpr milliseconds kFirstLook = hours(7 * 24);
// Banks refuse, or cut off, what is longer.
constexpr std::int64_t kItemsOfWindowMax = 10'000;
// Of the shortest window, too, and with few items on each.
constexpr std::int64_t kPagesMax = 10'000;
constexpr milliseconds kShortestHalf = minutes(1);
// A window of which a bank may be asked too much at once.
constexpr milliseconds kLongWindow = hours(1);
constexpr milliseconds kTurn{5'000};
// A long sweep does not begin again for one answer.
constexpr int kTriesOfPage = 3;

milliseconds length_of(const PixWindow& window) {
  return milliseconds(window.end.millis() - window.begin.millis());
}

// "pix[3].horario is missing" is of one kind with "pix[4].horario is missing".
std::string kind_of(std::string_view reason) {
  std::string kind;
  for (const char c : reason)
    if (!domain::is_ascii_digit(c)) kind += c;
  return kind;
}

}  // namespace

bool PaymentPoll::look(const projections::NotedBank& noted, milliseconds back, BankPriority priority) const {
  const auto bank = parts_.banks.find(noted.project, noted.connection);
  if (!bank) return false;
  // By the bank's own clock: it refuses what lies ahead of that, and what it has just received does not.
  const auto end = bank->client->now_there();
  const auto last =
      parts_.database.looked_up_to(noted.connection).value_or(end.plus_millis(-kFirstLook.count()));
  const auto begin = std::min(last, end).plus_millis(-back.count());
  const Look look{*bank, noted.project, priority};
  if (!look_at(look, {.begin = begin, .end = end})) return false;
  parts_.database.note_looked(noted.connection, end);
  return true;
}

bool PaymentPoll::look_at(const Look& look, const PixWindow& window) const {
  for (std::int64_t page = 0, pages = 1; page < pages; ++page) {
    const auto answer = ask(look, window, page);
    const auto* shown = std::get_if<BankPixPage>(&answer);
    if (!shown) {
      if (parts_.is_stopping()) return false;
      // A longer window may take the bank longer than it has.
      if (page == 0 && std::holds_alternative<Unavailable>(answer) && !look.bank.client->is_open() &&
          length_of(window) > kLongWindow)
        return look_at_halves(look, window);
      parts_.logger.warning(
          "a bank did not show its payments",
          {{"connection", look.bank.connection.id.text()}, {"outcome", outcome_name(answer)}});
      return false;
    }
    if (page == 0 && shown->items >= kItemsOfWindowMax && length_of(window) >= 2 * kShortestHalf)
      return look_at_halves(look, window);
    if (!take(look, shown->found)) return false;
    if (shown->pages > kPagesMax) {
      parts_.logger.error("a bank shows its payments on more pages than there can be",
                          {{"connection", look.bank.connection.id.text()}, {"pages", shown->pages}});
      return false;
    }
    pages = shown->pages;
  }
  return true;
}

BankResult<BankPixPage> PaymentPoll::ask(const Look& look, const PixWindow& window, std::int64_t page) const {
  for (int tries = 1;; ++tries) {
    if (parts_.is_stopping()) return Unavailable{BootTime(0), "the worker is to stop"};
    auto answer = look.bank.client->list_pix(window, page, {look.priority, boot_time(parts_.clock) + kTurn});
    const bool may_come = std::holds_alternative<Unavailable>(answer) && !look.bank.client->is_open();
    if (!may_come || page == 0 || tries == kTriesOfPage) return answer;
  }
}

bool PaymentPoll::look_at_halves(const Look& look, const PixWindow& window) const {
  const auto middle = window.begin.plus_millis(length_of(window).count() / 2);
  return look_at(look, {.begin = window.begin, .end = middle}) &&
         look_at(look, {.begin = middle, .end = window.end});
}

bool PaymentPoll::take(const Look& look, const BankPayments& found) const {
  std::map<std::string, std::vector<std::string_view>> faults;
  for (const auto& unusable : found.unusable) faults[kind_of(unusable.reason)].push_back(unusable.reason);
  for (const auto& [kind, reasons] : faults)
    parts_.logger.error("a payment at the bank cannot be read",
                        {{"connection", look.bank.connection.id.text()},
                         {"payments", reasons.size()},
                         {"fault", reasons.front()}});
  // One that has to be told again holds up none of the others.
  bool all_taken = true;
  for (const auto& payment : found.payments)
    if (parts_.intake.take(look.bank, look.project, payment) == Taken::kNotNow) all_taken = false;
  return all_taken;
}

}  // namespace pixledger::workers
