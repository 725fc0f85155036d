// Every operation on a charge in every status: one table, so that a gap is visible.
#include <catch2/catch.hpp>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

constexpr auto kTooEarlyMs = -6 * kMinuteMs;
constexpr auto kInTimeMs = 5 * kMinuteMs;
constexpr auto kOpenMs = 10 * kMinuteMs;
constexpr auto kPastExpiryMs = 40 * kMinuteMs;
constexpr auto kTooFarAheadMs = kPastExpiryMs + 6 * kMinuteMs;
constexpr Cents kPart(2'500);

// A charge in some status with an unapplied payment 8, of 50.00.
struct Case {
  ChargeStatus status;
  std::vector<ChargeEvent> events;
  std::int64_t now_ms;
};

std::vector<Case> cases() {
  const ChargePaid paid{sample_end_to_end_id(9), Cents(10'000), kStart, std::nullopt};
  return {{ChargeStatus::kWaitingPayment, {}, kOpenMs},
          {ChargeStatus::kWaitingPayment, {}, kPastExpiryMs},
          {ChargeStatus::kProcessing, {ChargeProcessingStarted{}}, kPastExpiryMs},
          {ChargeStatus::kPaid, {paid}, kPastExpiryMs},
          {ChargeStatus::kPaid, {paid, ChargeRefunded{Cents(4'000), std::nullopt}}, kPastExpiryMs},
          {ChargeStatus::kExpired, {ChargeExpired{}}, kPastExpiryMs},
          {ChargeStatus::kCancelled, {ChargeCancelled{}}, kPastExpiryMs},
          {ChargeStatus::kRefunded, {paid, ChargeRefunded{Cents(10'000), std::nullopt}}, kPastExpiryMs},
          {ChargeStatus::kFailed, {ChargeFailed{std::nullopt}}, kPastExpiryMs}};
}

Given charge_of(const Case& which) {
  const PaymentLeftUnapplied unapplied{sample_end_to_end_id(8), Cents(5'000), kStart,
                                       PaymentFlag::kAmountMismatch};
  auto world = given({on_project(sample_project()), on_charge(sample_charge()), on_charge(unapplied)});
  if (which.status == ChargeStatus::kExpired) world = world.after(30 * kMinuteMs);
  for (const auto& event : which.events) world = world.and_given({on_charge(event)});
  return world.at(kStart.plus_millis(which.now_ms));
}

struct Word {
  std::string operator()(const ChargeCreated&) const { return "Created"; }
  std::string operator()(const ChargePaid&) const { return "Paid"; }
  std::string operator()(const ChargeProcessingStarted&) const { return "Started"; }
  std::string operator()(const ChargeExpired&) const { return "Expired"; }
  std::string operator()(const ChargeCancelled&) const { return "Cancel"; }
  std::string operator()(const ChargeFailed&) const { return "Failed"; }
  std::string operator()(const ChargeRefunded& event) const {
    return event.amount == kPart ? "Part" : "Refund";
  }
  std::string operator()(const PaymentLeftUnapplied& event) const { return of(event.flag); }
  std::string operator()(const UnappliedPaymentAccepted&) const { return "Accept"; }
  std::string operator()(const UnappliedPaymentAdded&) const { return "Add"; }
  std::string operator()(const UnappliedPaymentReturned&) const { return "Return"; }
  std::string operator()(const ChargeCodeSet&) const { return "Bank"; }
  std::string operator()(const ChargeCancelRequested&) const { return "Bank"; }
  std::string operator()(const ChargeCancelDropped&) const { return "Bank"; }
  std::string operator()(const RefundRequested&) const { return "Bank"; }
  std::string operator()(const RefundDone&) const { return "Bank"; }
  std::string operator()(const RefundFailed&) const { return "Bank"; }
  std::string operator()(const PaymentReversed&) const { return "Bank"; }
  std::string operator()(const UnappliedReturnRequested&) const { return "Bank"; }
  std::string operator()(const UnappliedReturnFailed&) const { return "Bank"; }
  std::string operator()(const UnappliedPaymentReversed&) const { return "Bank"; }

  static std::string of(PaymentFlag flag) {
    switch (flag) {
      case PaymentFlag::kPaidAfterExpiry:
        return "Late";
      case PaymentFlag::kPaidAfterClose:
        return "Closed";
      case PaymentFlag::kDuplicatePayment:
        return "Twice";
      case PaymentFlag::kAmountMismatch:
        return "Differs";
    }
    return "?";
  }
  static std::string of(Rejection rejection) {
    switch (rejection) {
      case Rejection::kTransactionStatus:
        return "no";
      case Rejection::kEndToEndIdTaken:
        return "taken";
      case Rejection::kPaymentNotFound:
        return "none";
      case Rejection::kRefundNotAllowed:
      case Rejection::kRefundWindowOver:
        return "over";
      case Rejection::kPaymentInFuture:
        return "ahead";
      case Rejection::kPaymentBeforeCharge:
        return "early";
      default:
        return "?";
    }
  }
};

// "Paid"; for a refusal "no" if the status is the reason, else a word for the reason; "Exp+no" if it records
// the expiry; "-" for no effect; "same" for the report of a known payment; for an unapplied payment a word
// for its flag.
std::string cell_of(const Decision& decision) {
  std::string cell;
  for (const auto& event : decision.events) {
    const auto word = std::visit(Word{}, std::get<ChargeEvent>(event.event));
    cell += cell.empty() ? word : "+" + word;
  }
  if (cell == "Expired" && (decision.outcome.rejection || decision.outcome.flag)) cell = "Exp";
  if (cell.rfind("Expired+", 0) == 0) cell = "Exp" + cell.substr(7);
  if (decision.outcome.rejection) cell += (cell.empty() ? "" : "+") + Word::of(*decision.outcome.rejection);
  if (decision.outcome.flag && (cell.empty() || cell == "Exp")) cell += cell.empty() ? "same" : "+same";
  return cell.empty() ? "-" : cell;
}

ChargeStatus status_after(const std::string& cell, ChargeStatus before) {
  if (cell == "Paid" || cell == "Accept") return ChargeStatus::kPaid;
  if (cell == "Started") return ChargeStatus::kProcessing;
  if (cell == "Cancel") return ChargeStatus::kCancelled;
  if (cell == "Failed") return ChargeStatus::kFailed;
  if (cell == "Refund") return ChargeStatus::kRefunded;
  if (cell == "Part") return ChargeStatus::kPaid;
  if (cell.rfind("Exp", 0) == 0) return ChargeStatus::kExpired;
  return before;
}

struct Operation {
  const char* name;
  Command command;
  const char* expected;  // a cell for each case
};

ReportPayment report(unsigned payment, std::int64_t cents, std::optional<std::int64_t> paid_ms) {
  auto command = sample_report(payment, cents);
  if (paid_ms) command.paid_at = kStart.plus_millis(*paid_ms);
  return command;
}

std::vector<Operation> operations() {
  const auto id = sample_charge_id();
  const auto project = sample_project_id();
  const auto known = sample_end_to_end_id(8);
  const auto strange = sample_end_to_end_id(7);
  const std::optional<Label> why;
  const auto pay = PaySandboxCharge{merchant(), id};
  const auto expire = ExpireSandboxCharge{merchant(), id};
  const auto break_off = FailSandboxCharge{merchant(), id};
  const auto overdue = ExpireOverdueCharge{id};
  const auto cancel = CancelCharge{merchant(), id};
  const auto refund = RefundCharge{merchant(), id, std::nullopt, why};
  const auto part = RefundCharge{merchant(), id, kPart, why};
  const auto whole = RefundCharge{merchant(), id, Cents(10'000), why};
  const auto over = RefundCharge{merchant(), id, Cents(10'001), why};
  const auto process = StartProcessing{id};
  const auto fail = FailCharge{id, why};
  const auto in_time = report(1, 10'000, kInTimeMs);
  const auto now = report(1, 10'000, std::nullopt);
  const auto less = report(1, 9'999, kInTimeMs);
  const auto more = report(1, 10'001, std::nullopt);
  const auto ahead = report(1, 10'000, kTooFarAheadMs);
  const auto early = report(1, 10'000, kTooEarlyMs);
  const auto again = report(8, 5'000, std::nullopt);
  const auto changed = report(8, 10'000, kInTimeMs);
  const auto accept = AcceptUnappliedPayment{project, id, known};
  const auto add = AcceptUnappliedPayment{project, id, known, true};
  const auto add_none = AcceptUnappliedPayment{project, id, strange, true};
  const auto accept_none = AcceptUnappliedPayment{project, id, strange};
  const auto give_back = ReturnUnappliedPayment{id, known, why};
  const auto give_none = ReturnUnappliedPayment{id, strange, why};
  // clang-format off
  return {
      //                            waiting overdue     process paid   partly expired cancel refund failed
      {"sandbox pay", pay,         "Paid    Exp+no      no      no     no     no      no     no     no"},
      {"sandbox expire", expire,   "Expired Expired     no      no     no     no      no     no     no"},
      {"sandbox fail", break_off,  "Failed  Exp+no      Failed  no     no     no      no     no     no"},
      {"expire overdue", overdue,  "-       Expired     -       -      -      -       -      -      -"},
      {"cancel", cancel,           "Cancel  Exp+no      no      no     no     no      no     no     no"},
      {"refund", refund,           "no      Exp+no      no      Refund Refund no      no     no     no"},
      {"refund a part", part,      "no      Exp+no      no      Part   Part   no      no     no     no"},
      {"refund 100.00", whole,     "no      Exp+no      no      Refund over   no      no     no     no"},
      {"refund more", over,        "no      Exp+no      no      over   over   no      no     no     no"},
      {"process", process,         "Started Exp+no      no      no     no     no      no     no     no"},
      {"fail", fail,               "Failed  Exp+no      Failed  no     no     no      no     no     no"},
      {"paid in time", in_time,    "Paid    Paid        Paid    Twice  Twice  Paid    Closed Twice  Closed"},
      {"paid now", now,            "Paid    Exp+Late    Paid    Twice  Twice  Late    Closed Twice  Closed"},
      {"less in time", less,       "Differs Exp+Differs Differs Twice  Twice  Differs Closed Twice  Closed"},
      {"more now", more,           "Differs Exp+Late    Differs Twice  Twice  Late    Closed Twice  Closed"},
      {"paid in future", ahead,    "ahead   Exp+ahead   ahead   ahead  ahead  ahead   ahead  ahead  ahead"},
      {"paid too early", early,    "early   Exp+early   early   early  early  early   early  early  early"},
      {"reported again", again,    "same    Exp+same    same    same   same   same    same   same   same"},
      {"again, changed", changed,  "taken   Exp+taken   taken   taken  taken  taken   taken  taken  taken"},
      {"accept", accept,           "Accept  Accept      Accept  no     no     Accept  Accept no     Accept"},
      {"accept none", accept_none, "none    Exp+none    none    none   none   none    none   none   none"},
      {"add", add,                 "no      Exp+no      no      Add    Add    no      no     no     no"},
      {"add none", add_none,       "none    Exp+none    none    none   none   none    none   none   none"},
      {"return", give_back,        "Return  Exp+Return  Return  Return Return Return  Return Return Return"},
      {"return none", give_none,   "none    Exp+none    none    none   none   none    none   none   none"},
  };
  // clang-format on
}

std::vector<std::string> words_of(const char* cells) {
  std::istringstream stream(cells);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

}  // namespace

TEST_CASE("each operation does to a charge of each status what the table says") {
  const auto all = cases();
  for (const auto& operation : operations()) {
    const auto row = words_of(operation.expected);
    REQUIRE(row.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(operation.name << ", case " << i << ": " << to_string(all[i].status));
      const auto& expected = row[i];
      const auto then = charge_of(all[i]).when(operation.command);
      CHECK(cell_of(then.decision()) == expected);
      const auto* charge = then.world().find<Charge>(charge_stream(sample_charge_id()));
      REQUIRE(charge);
      CHECK(to_string(charge->status) == to_string(status_after(expected, all[i].status)));
    }
  }
}

TEST_CASE("a charge that does not exist is not found, whatever is done to it") {
  for (const auto& operation : operations()) {
    INFO(operation.name);
    given({on_project(sample_project())})
        .when(operation.command)
        .refused(Rejection::kTransactionNotFound)
        .records_nothing();
  }
}

}  // namespace pixledger::tests
