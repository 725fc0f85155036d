#include "workers/banks/payment_poll.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using stores::AccountLook;

// Banks refuse or cut off longer answers.
constexpr std::int64_t kItemsOfWindowMax = 10'000;
// Holds for the shortest window with few items per page, too.
constexpr std::int64_t kPagesMax = 10'000;
// Without a count the bank may show the same pages, or others, for ever.
constexpr std::int64_t kUncountedPagesMax = 200;
constexpr milliseconds kUncountedWindow = minutes(10);
constexpr milliseconds kShortestHalf = minutes(1);
constexpr milliseconds kTurn{5'000};
// One failed answer must not restart a long sweep.
constexpr int kTriesOfPage = 3;
// Some banks leave out what is at either end of a window.
constexpr std::int64_t kOverlapMs = 1'000;
// How often twice the length is tried.
constexpr std::int64_t kTryLongerMs = 24 * 3'600'000LL;
constexpr std::int64_t kEarlyMsMax = 24 * 3'600'000LL;
constexpr const char* kPagesInDoubt =
    "it counts its pages from 1, and shows more or fewer payments than it counts";

// Adds a page's payments, also unreadable ones, to `shown`. Returns false if all were there already, as when
// a bank repeats a page.
bool add_new(const BankPixPage& page, std::set<std::string>& shown) {
  const auto before = shown.size();
  for (const auto& payment : page.found.payments) shown.insert(payment.end_to_end_id.text());
  for (const auto& unusable : page.found.unusable) shown.insert(unusable.mark);
  return shown.size() > before;
}

// Returns whether a further page may have payments, regardless of this page's counts.
bool may_go_on(const BankPixPage& page) { return is_full(page) || (!page.is_counted && items_of(page) > 0); }

std::string too_many_pages(const std::string& pages) {
  return "it shows its payments on " + pages + " pages, more than there can be";
}

}  // namespace

// `window` is the part still to be read; it shrinks from its end.
struct PaymentPoll::Account {
  const Look look;
  PixWindow window;
  milliseconds length;  // of the requested windows
  const milliseconds first_length = length;
  Timestamp asked_up_to = window.end;
  milliseconds taken{0};  // the longest that the bank has shown
  bool is_narrowed = false;
  bool is_too_much = false;     // narrowed because the bank failed to answer
  bool has_asked_less = false;  // has tried an end a little before the bank's now
  std::int64_t less_by_ms = 0;  // the margin before that
  bool is_end_the_matter = false;

  bool has_read() const { return taken > milliseconds(0); }
};

bool PaymentPoll::look(const stores::NotedBank& noted, const PollTier& tier, BankPriority priority) const {
  const AccountLook kept{.every_ms = tier.every.count(), .back_ms = tier.back.count()};
  parts_.database.begin_look(noted.connection, kept, parts_.clock.now());
  const auto bank = parts_.banks.find(noted.project, noted.connection);
  if (!bank) {
    parts_.database.end_look(noted.connection, kept, "the bank cannot be spoken to", parts_.clock.now());
    return false;
  }
  // By the bank's own clock: the bank refuses windows that end in its future, and its newest payments are
  // not.
  const auto end = bank->client->now_there();
  const auto last =
      parts_.database.looked_up_to(noted.connection).value_or(end.plus_millis(-kFirstLook.count()));
  const auto unseen = std::min(last, end);
  const auto early_ms = std::min(parts_.database.early_ms(noted.connection), kEarlyMsMax);
  const PixWindow whole{.begin = unseen.plus_millis(-tier.back.count() - early_ms), .end = end};
  const auto known = parts_.database.window(noted.connection);
  const bool tries_longer = known && parts_.clock.now() > known->since.plus_millis(kTryLongerMs) &&
                            length_of(whole).count() > known->length_ms;
  const milliseconds longest(known ? known->length_ms * (tries_longer ? 2 : 1) : length_of(whole).count());
  Account account{.look = {*bank, noted.project, priority},
                  .window = whole,
                  .length = std::min(longest, length_of(whole))};

  const auto seen = look_at_account(account);
  // Does not ask a slow bank for the full length each time: that would open its breaker.
  const auto length = account.has_read() ? account.taken : account.length;
  const bool is_length_known = account.has_read() || account.is_too_much;
  if (is_length_known && (account.is_narrowed || tries_longer))
    parts_.database.note_window(noted.connection, {length.count(), parts_.clock.now()});
  const bool all = seen.kind == Seen::Kind::kAll;
  const bool is_rest_known = account.has_read() && account.window.end <= unseen;
  if (all || is_rest_known) parts_.database.note_looked(noted.connection, account.asked_up_to);
  if (seen.kind == Seen::Kind::kStopped) return false;
  parts_.database.end_look(noted.connection, kept, all ? "" : seen.problem, parts_.clock.now());
  if (all) return true;
  parts_.logger.warning("a bank did not show its payments", {{"connection", noted.connection.text()},
                                                             {"from", to_iso8601(account.window.begin)},
                                                             {"to", to_iso8601(account.window.end)},
                                                             {"fault", seen.problem}});
  return seen.kind == Seen::Kind::kRefused && is_rest_known;
}

PaymentPoll::Seen PaymentPoll::look_at_account(Account& account) const {
  auto& window = account.window;
  while (true) {
    const auto length_ms = account.length.count() + (account.has_read() ? kOverlapMs : 0);
    const PixWindow part{.begin = std::max(window.begin, window.end.plus_millis(-length_ms)),
                         .end = window.end};
    const auto asked_length = std::min(account.length, length_of(part));
    auto seen = look_at(account.look, part);
    if (seen.kind == Seen::Kind::kAll) {
      account.taken = std::max(account.taken, asked_length);
      const bool was_asked_less = std::exchange(account.has_asked_less, false);
      if (std::exchange(account.is_end_the_matter, false)) {
        account.length = account.first_length;
        account.is_narrowed = false;
      } else if (was_asked_less && account.is_narrowed) {
        // The length was the cause.
        account.look.bank.client->ask_less_by(account.less_by_ms);
      }
      if (part.begin == window.begin) return seen;
      window.end = part.begin.plus_millis(kOverlapMs);
      continue;
    }
    const bool is_refused = seen.kind == Seen::Kind::kRefused;
    const bool is_shortest = asked_length <= kShortestWindow;
    if (is_refused && !account.has_read() && ask_about_less(account, is_shortest)) continue;
    const bool may_be_its_length =
        is_refused || seen.kind == Seen::Kind::kTooMuch || seen.kind == Seen::Kind::kTooMany;
    if (!may_be_its_length || is_shortest) return seen;
    account.length = half_of(asked_length);
    account.is_narrowed = true;
    account.is_too_much = account.is_too_much || !is_refused;
  }
}

// Returns whether to request the same window again with a slightly earlier end, as some banks refuse windows
// that end now. True once at first, and again when nothing else is left.
bool PaymentPoll::ask_about_less(Account& account, bool is_shortest) const {
  auto& client = *account.look.bank.client;
  const bool has_asked_less = std::exchange(account.has_asked_less, true);
  if (has_asked_less && !is_shortest) return false;
  if (!has_asked_less) account.less_by_ms = client.less_by_ms();
  const bool is_less = client.ask_about_less() && client.now_there() > account.window.begin;
  if (is_less)
    account.window.end = account.asked_up_to = client.now_there();
  else
    client.ask_less_by(0);
  account.is_end_the_matter = is_less && is_shortest;
  return is_less;
}

PaymentPoll::Seen PaymentPoll::look_at(const Look& look, const PixWindow& window) const {
  PixPages list(*look.bank.client, window);
  std::int64_t shown_items = 0, items = 0;
  for (std::int64_t page = 0, pages = 1; page < pages; ++page) {
    const auto answer = ask(look, list, page);
    const auto* shown = std::get_if<BankPixPage>(&answer);
    if (!shown) return not_shown(look, window, answer);
    const bool is_long = items_of(*shown) > kItemsPerPage;
    const bool is_counted = shown->is_counted;
    // Some banks cut off deep pages: a shorter window may work.
    if (page > 0 && items_of(*shown) == 0 && shown->pages == 0)
      return {is_counted ? Seen::Kind::kFailed : Seen::Kind::kTooMuch,
              "it shows nothing of a page that it says to have"};
    if (page > 0 && !is_counted && shown->page && *shown->page != page)
      return {Seen::Kind::kFailed, "it shows another page than it was asked for"};
    if (page == 0 && is_counted && shown->items >= kItemsOfWindowMax &&
        length_of(window) >= 2 * kShortestHalf)
      return look_at_halves(look, window);
    if (!take(look, *shown)) return {Seen::Kind::kStopped};
    if (is_counted && shown->pages > kPagesMax)
      return {Seen::Kind::kFailed, too_many_pages(std::to_string(shown->pages))};
    shown_items += items_of(*shown);
    // A page without counts does not override an earlier page's.
    if (page == 0 || is_counted) {
      pages = is_counted ? shown->pages : 1;
      items = shown->items;
    }
    const auto missing = items - shown_items;
    // A bank that exceeds the page size may show all payments at once, and nothing on the further pages that
    // it counts.
    const bool is_last = page + 1 >= pages || (is_long && missing <= 0);
    if (is_last && missing != 0 && list.are_from_one()) return {Seen::Kind::kFailed, kPagesInDoubt};
    if (is_last && (missing > 0 || may_go_on(*shown)))
      return look_beyond(look, window, list, {.next_page = page + 1, .missing = missing, .last = *shown});
  }
  return {Seen::Kind::kAll};
}

// A bank may have more pages than it counts: if its pages show fewer payments than counted, if the last page
// is full, or if it does not count. Reads on until a page is short, the counted payments are there, or a page
// has nothing new.
PaymentPoll::Seen PaymentPoll::look_beyond(const Look& look, const PixWindow& window, PixPages& list,
                                           Shown shown) const {
  std::set<std::string> known;
  // A limit per window: with one for the whole poll the oldest windows would never be read.
  const auto uncounted_until = boot_time(parts_.clock) + kUncountedWindow;
  for (; shown.missing > 0 || may_go_on(shown.last); ++shown.next_page) {
    if (shown.next_page >= kPagesMax)
      return {Seen::Kind::kFailed, too_many_pages("over " + std::to_string(kPagesMax))};
    const bool is_counted = shown.last.is_counted;
    if (!is_counted && shown.next_page >= kUncountedPagesMax)
      return halved_if_short(
          look, window, {Seen::Kind::kTooMany, too_many_pages("over " + std::to_string(kUncountedPagesMax))});
    if (!is_counted && boot_time(parts_.clock) > uncounted_until)
      return {Seen::Kind::kTooMany, "it does not count its payments, and shows them too slowly"};
    auto answer = ask(look, list, shown.next_page);
    if (parts_.is_stopping()) return {Seen::Kind::kStopped};
    const auto* unusable = std::get_if<Unusable>(&answer);
    const auto* refused = std::get_if<Refused>(&answer);
    const bool may_have_more =
        std::holds_alternative<Unavailable>(answer) || judge_window(answer) == WindowFault::kTooMany ||
        (unusable && (unusable->may_hold_payments || !is_counted)) ||
        (refused && !is_counted && (denies_access(*refused) || refused->error.status < kBadRequest));
    if (may_have_more) return not_shown(look, window, answer);
    // With counted pages, compares with the last page only: there may be thousands.
    if (is_counted) known.clear();
    add_new(shown.last, known);
    // This page may be the first one with a count.
    const auto unseen = [&](const BankPixPage& page) {
      return std::max(shown.missing, page.items - static_cast<std::int64_t>(known.size()));
    };
    // Any other answer means that there is no such page.
    auto* const page = std::get_if<BankPixPage>(&answer);
    if (!page || items_of(*page) == 0) {
      if (page && !is_counted) shown.missing = unseen(*page);
      break;
    }
    if (!add_new(*page, known)) {
      // Some count their pages from 1, and show the first one for 0, too.
      if (!page->is_counted && shown.next_page == 1) continue;
      break;
    }
    if (!take(look, *page)) return {Seen::Kind::kStopped};
    shown.missing -= items_of(*page);
    if (page->is_counted && !is_counted) shown.missing = unseen(*page);
    shown.last = std::move(*page);
  }
  if (shown.missing != 0 && list.are_from_one()) return {Seen::Kind::kFailed, kPagesInDoubt};
  if (shown.missing > 0) parts_.intake.report_missing(look.bank, window, shown.missing);
  return {Seen::Kind::kAll};
}

// A window that is too short to narrow fails only because it has very many payments.
PaymentPoll::Seen PaymentPoll::not_shown(const Look& look, const PixWindow& window,
                                         const BankResult<BankPixPage>& answer) const {
  return halved_if_short(look, window, failure(look, answer));
}

PaymentPoll::Seen PaymentPoll::halved_if_short(const Look& look, const PixWindow& window, Seen seen) const {
  const auto length = length_of(window);
  const bool is_short = length <= kShortestWindow + milliseconds(kOverlapMs) && length >= 2 * kShortestHalf;
  return seen.kind == Seen::Kind::kTooMany && is_short ? look_at_halves(look, window) : std::move(seen);
}

PaymentPoll::Seen PaymentPoll::failure(const Look& look, const BankResult<BankPixPage>& answer) const {
  if (parts_.is_stopping()) return {Seen::Kind::kStopped};
  auto problem = problem_of(answer);
  switch (judge_window(answer)) {
    case WindowFault::kRefused:
      return {Seen::Kind::kRefused, std::move(problem)};
    case WindowFault::kTooMuch:
      if (!look.bank.client->is_open()) return {Seen::Kind::kTooMuch, std::move(problem)};
      break;
    case WindowFault::kTooMany:
      return {Seen::Kind::kTooMany, std::move(problem)};
    case WindowFault::kNone:
      break;
  }
  return {Seen::Kind::kFailed, std::move(problem)};
}

BankResult<BankPixPage> PaymentPoll::ask(const Look& look, PixPages& list, std::int64_t page) const {
  for (int tries = 1;; ++tries) {
    if (parts_.is_stopping()) return Unavailable{BootTime(0), "the worker is to stop"};
    auto answer = list.ask(page, {look.priority, boot_time(parts_.clock) + kTurn});
    const bool may_come = std::holds_alternative<Unavailable>(answer) && !look.bank.client->is_open();
    if (!may_come || page == 0 || tries == kTriesOfPage) return answer;
  }
}

PaymentPoll::Seen PaymentPoll::look_at_halves(const Look& look, const PixWindow& window) const {
  const auto middle = window.begin.plus_millis(length_of(window).count() / 2);
  auto seen = look_at(look, {.begin = middle, .end = window.end});
  if (seen.kind != Seen::Kind::kAll) return seen;
  return look_at(look, {.begin = window.begin, .end = middle.plus_millis(kOverlapMs)});
}

bool PaymentPoll::take(const Look& look, const BankPixPage& page) const {
  parts_.intake.report_page(look.bank, page);
  parts_.intake.report_unusable(look.bank, page.found.unusable);
  // A payment that must be reported again does not hold up the others.
  bool all_taken = true;
  for (const auto& payment : page.found.payments)
    if (parts_.intake.take(look.bank, look.project, payment) == Taken::kNotNow) all_taken = false;
  return all_taken;
}

}  // namespace pixledger::workers
