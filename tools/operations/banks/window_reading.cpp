#include "tools/operations/banks/window_reading.h"

#include <algorithm>
#include <utility>

#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/poll_plan.h"

namespace pixledger::tools {
namespace {

using std::chrono::milliseconds;
using workers::BankPixPage;
using workers::PixWindow;
using workers::WindowFault;

stores::BankStates states_at(const BankSession& bank) {
  return stores::bank_states(bank.context().common.data.workers());
}

}  // namespace

stores::BankState state_of(const BankSession& bank) {
  const auto& id = bank.known().connection.id.text();
  for (auto& state : states_at(bank).banks)
    if (state.connection == id) return state;
  stores::BankState unknown;
  unknown.connection = id;
  return unknown;
}

std::vector<stores::AccountMisfit> misfits_at(const BankSession& bank) {
  auto misfits = states_at(bank).misfits;
  const auto now = bank.context().clock.now();
  std::erase_if(misfits, [&](const stores::AccountMisfit& misfit) {
    return misfit.connection != bank.known().connection.id.text() || !misfit.is_told(now);
  });
  return misfits;
}

std::vector<milliseconds> looks_back(const BankSession& bank) {
  std::vector<milliseconds> looks{workers::kFirstLook};
  for (const auto& look : states_at(bank).looks)
    if (look.connection == bank.known().connection.id.text()) looks.emplace_back(look.look.back_ms);
  const auto usual = workers::PollPlan::usual();
  if (looks.size() == 1)
    for (const auto& tier : usual.tiers()) looks.push_back(tier.back);
  std::sort(looks.begin(), looks.end());
  return looks;
}

std::string days_of(milliseconds length) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {86'400'000, "day"}, {3'600'000, "hour"}, {60'000, "minute"}, {1'000, "second"}};
  for (const auto& [unit_ms, name] : kUnits) {
    const auto count = length.count() / unit_ms;
    if (count > 0) return std::to_string(count) + " " + name + (count == 1 ? "" : "s");
  }
  return "0 seconds";
}

WindowReading::WindowReading(BankSession& bank, std::optional<std::int64_t> window_ms) : bank_(bank) {
  if (window_ms) longest_ = milliseconds(*window_ms);
}

WindowReading::Seen WindowReading::read(milliseconds back) {
  auto& client = bank_.client();
  const auto ask = [&](const PixWindow& window) { return client.list_pix(window, 0, bank_.turn()); };
  auto length = std::min(back, longest_.value_or(back));
  auto end = client.now_there();
  auto newest = ask({.begin = end.plus_millis(-length.count()), .end = end});
  while (!std::holds_alternative<BankPixPage>(newest)) {
    const auto fault = workers::judge_window(newest);
    const bool is_shortest = length <= workers::kShortestWindow;
    // Some banks refuse what ends now.
    const bool asks_less = fault == WindowFault::kRefused && is_shortest && client.ask_about_less();
    if (fault == WindowFault::kNone || client.is_open() || (is_shortest && !asks_less))
      return {.problem = workers::problem_of(newest)};
    if (!asks_less) longest_ = length = workers::half_of(length);
    end = client.now_there();
    newest = ask({.begin = end.plus_millis(-length.count()), .end = end});
  }
  const Seen seen{.items = std::get<BankPixPage>(newest).items};
  if (length == back) return seen;
  const auto begin = end.plus_millis(-back.count());
  const auto oldest = ask({.begin = begin, .end = begin.plus_millis(length.count())});
  if (std::holds_alternative<BankPixPage>(oldest)) return seen;
  return {.items = seen.items, .problem = workers::problem_of(oldest)};
}

}  // namespace pixledger::tools
