#include <optional>
#include <vector>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/decisions/command.h"
#include "domain/pix/br_code.h"
#include "eventstore/reading/state_reader.h"
#include "tools/cli/aggregates.h"
#include "tools/operations/banks/bank_checks.h"
#include "workers/banks/api_pix/bank_answers.h"

namespace pixledger::tools {
namespace {

using domain::Cents;
using domain::UnmatchedState;
using std::chrono::milliseconds;
using std::chrono::seconds;
using workers::BankPayment;
using workers::problem_of;

constexpr milliseconds kPaidLookEvery{2'000};
constexpr seconds kReturnWait{60};
constexpr seconds kAfterTheWait{60};  // the bank's charge expires after the wait
constexpr std::int64_t kReadBackMs = 10 * 60'000;
constexpr std::int64_t kPagesMax = 100;
constexpr std::size_t kStaticTxidSize = 25;
constexpr const char* kReason = "pixledger connection check --pay";

bool is_txid(const BankPayment& payment, const domain::Txid& txid) {
  return payment.txid && equal_without_case(payment.txid->text(), txid.text());
}

class PaidCheck {
 public:
  PaidCheck(BankSession& bank, eventstore::Ledger& ledger, const PaidCheckTerms& terms, CheckSteps& steps)
      : bank_(bank), client_(bank.client()), ledger_(ledger), terms_(terms), steps_(steps) {}

  void run() {
    if (!show_codes()) {
      steps_.not_tried("static");
      steps_.not_tried("refunds");
      return;
    }
    begin_ = bank_.now_there().plus_millis(-kReadBackMs);
    const auto end = workers::boot_time(clock()) + terms_.wait;
    while (!is_all_there() && workers::boot_time(clock()) < end) {
      look();
      if (is_all_there()) break;
      if (!terms_.rest(kPaidLookEvery)) {
        ended_ = true;
        break;
      }
    }
    if (!dynamic_.payment) take_back();
    tell_payments();
    send_back();
  }

 private:
  struct Code {
    domain::Txid txid;
    std::optional<BankPayment> payment{};
  };

  bool is_test() const { return bank_.known().connection.environment == domain::Environment::kSandbox; }
  // A test environment in which the bank pays its own codes, and other codes cannot be paid.
  bool pays_by_itself() const { return is_test() && client_.access().profile->test_pays_up_to > Cents(0); }
  // Efí's test environment never returns exactly 0.01.
  Cents amount_of_codes() const { return is_test() ? Cents(2) : Cents(1); }
  bool is_all_there() const { return dynamic_.payment && (static_.payment || pays_by_itself()); }

  const Clock& clock() const { return bank_.context().clock; }

  bool show_codes() {
    const auto store = find_project(*ledger_.log, bank_.known().project).value().settings;
    const auto name = store.merchant_name.text();
    const auto city = store.merchant_city.text();
    const auto amount = amount_of_codes();
    const workers::CobOrder order{.txid = dynamic_.txid,
                                  .amount = amount,
                                  .key = client_.access().pix_key,
                                  .expires_in_s = (terms_.wait + kAfterTheWait).count(),
                                  .text_for_payer = "Teste"};
    const auto made = client_.make_cob(order, workers::SentBefore::kNo, bank_.turn());
    const auto* cob = std::get_if<workers::BankCob>(&made);
    if (!cob) return steps_.failed("dynamic", "no code was made: " + problem_of(made), "see the step cob");
    const auto chosen = workers::choose_pix_code(*cob, {name, city});
    if (const auto* bad = std::get_if<workers::BadAnswer>(&chosen))
      return steps_.failed("dynamic", bad->reason, "ask the bank");
    terms_.show({"dynamic", amount, std::get<workers::CheckedPixCode>(chosen).code});
    if (!pays_by_itself())
      terms_.show({"static", amount,
                   domain::write_br_code({.key = order.key,
                                          .merchant_name = name,
                                          .merchant_city = city,
                                          .amount = amount,
                                          .txid = static_.txid.text()})});
    return true;
  }

  // Reads the bank's account; data that is missing now is read again later.
  void look() {
    workers::PixPages list(client_, {.begin = begin_, .end = bank_.now_there()});
    for (std::int64_t page = 0, pages = 1; page < pages && page < kPagesMax; ++page) {
      const auto answer = list.ask(page, bank_.turn());
      const auto* shown = std::get_if<workers::BankPixPage>(&answer);
      if (!shown) return;
      for (const auto& payment : shown->found.payments)
        for (auto* code : {&dynamic_, &static_})
          if (is_txid(payment, code->txid)) code->payment = payment;
      pages = std::max(shown->pages, is_full(*shown) ? page + 2 : 0);
    }
  }

  // A charge whose removal fails may have just been paid.
  void take_back() {
    const auto removed = client_.remove_cob(dynamic_.txid, bank_.turn());
    if (std::holds_alternative<workers::BankCob>(removed)) return;
    const auto found = client_.get_cob(dynamic_.txid, bank_.turn());
    const auto* cob = std::get_if<workers::BankCob>(&found);
    if (cob && !cob->received.payments.empty())
      dynamic_.payment = cob->received.payments.front();
    else
      look();
  }

  void tell_payments() {
    const std::string why = ended_ ? "not paid before it was ended"
                                   : "not reported within " + std::to_string(terms_.wait.count()) + " s";
    if (dynamic_.payment)
      steps_.ok("dynamic", "paid and reported");
    else
      steps_.failed("dynamic", why + "; its code was taken back",
                    "run this again, and pay with another bank's app");
    if (pays_by_itself() && !static_.payment)
      steps_.ok("static", "nobody can pay one in this test environment: prove it with the live connection");
    else if (static_.payment)
      steps_.ok("static", "paid and reported: --fallback static is safe");
    else
      steps_.failed(
          "static", why + "; where it is paid yet, it shows in pixledger payment list",
          ended_ ? "run this again" : "where it was paid, keep --fallback none: nobody would learn of it");
  }

  void send_back() {
    if (!dynamic_.payment && !static_.payment) return steps_.not_tried("refunds");
    std::vector<std::string> left;
    int sent_back = 0;
    for (const auto* code : {&dynamic_, &static_}) {
      if (!code->payment) continue;
      const auto problem = problem_of_return(*code->payment);
      if (problem.empty())
        ++sent_back;
      else
        left.push_back(code->payment->end_to_end_id.text() + " " + problem);
    }
    if (left.empty()) {
      steps_.ok("refunds", std::to_string(sent_back) + " sent back, and closed");
      return;
    }
    steps_.failed("refunds", joined(left, ", "),
                  "see pixledger payment list --state all: what goes back is the worker's to finish, what is "
                  "open is yours: pixledger payment close --send-back");
  }

  // Recorded in the ledger first, so that its id never changes, and the worker finishes it after an
  // interruption.
  std::string problem_of_return(const BankPayment& payment) {
    const auto& known = bank_.known();
    if (!execute(bank_.context(), ledger_,
                 domain::RecordUnmatchedPayment{.project = known.project,
                                                .connection = known.connection.id,
                                                .end_to_end_id = payment.end_to_end_id,
                                                .amount = payment.amount,
                                                .paid_at = payment.paid_at,
                                                .txid = payment.txid,
                                                .reason = domain::UnmatchedReason::kUnknownCharge}))
      return "is not recorded";
    auto noted = find(payment);
    if (noted && domain::is_open(*noted)) {
      if (!execute(bank_.context(), ledger_,
                   domain::ClosePayment{.project = known.project,
                                        .end_to_end_id = payment.end_to_end_id,
                                        .send_back = true,
                                        .reason = domain::Label::parse(kReason)}))
        return "is open";
      noted = find(payment);
    }
    if (!noted || !noted->return_id) return "was settled by somebody else";
    return problem_of_refund(*noted);
  }

  std::optional<domain::UnmatchedPayment> find(const BankPayment& payment) const {
    return eventstore::fold_as<domain::UnmatchedPayment>(*ledger_.log,
                                                         domain::payment_stream(payment.end_to_end_id));
  }

  // A running worker sends the same request with the same id: the second one finds it.
  std::string problem_of_refund(const domain::UnmatchedPayment& noted) {
    const workers::RefundOrder order{
        .payment = noted.end_to_end_id, .id = noted.return_id->text(), .amount = noted.amount};
    std::string problem = "goes back";
    const auto end = workers::boot_time(clock()) + kReturnWait;
    do {
      const auto now = find_state(noted);
      if (now == UnmatchedState::kReturned) return "";
      const auto made = client_.make_refund(order, workers::SentBefore::kMaybe, bank_.turn());
      const auto* refund = std::get_if<workers::BankRefund>(&made);
      if (!refund) problem = problem_of(made);
      if (refund && refund->status == workers::BankRefundStatus::kReturned)
        return settle(noted, refund->settled_at.value_or(clock().now()));
      if (refund && refund->status == workers::BankRefundStatus::kNotDone)
        return "is not sent back: " + std::string(refund->why_not);
      if (std::holds_alternative<workers::Refused>(made)) return problem;
    } while (workers::boot_time(clock()) < end && terms_.rest(kPaidLookEvery));
    return problem;
  }

  UnmatchedState find_state(const domain::UnmatchedPayment& noted) const {
    const auto now = eventstore::fold_as<domain::UnmatchedPayment>(
        *ledger_.log, domain::payment_stream(noted.end_to_end_id));
    return now ? now->state : noted.state;
  }

  std::string settle(const domain::UnmatchedPayment& noted, Timestamp at) {
    const bool settled =
        execute(bank_.context(), ledger_,
                domain::SettlePaymentReturn{
                    .end_to_end_id = noted.end_to_end_id, .id = *noted.return_id, .returned_at = at})
            .has_value();
    return settled ? "" : "went back, which is not recorded";
  }

  BankSession& bank_;
  workers::BankClient& client_;
  eventstore::Ledger& ledger_;
  const PaidCheckTerms& terms_;
  CheckSteps& steps_;
  Timestamp begin_{};  // start of the queried period, by the bank's clock
  Code dynamic_{*domain::Txid::parse(bank_.fresh_id(domain::Txid::kCobSizeMin))};
  Code static_{*domain::Txid::parse(bank_.fresh_id(kStaticTxidSize))};
  bool ended_ = false;
};

}  // namespace

void check_paid(BankSession& bank, eventstore::Ledger& ledger, const PaidCheckTerms& terms,
                CheckSteps& steps) {
  PaidCheck(bank, ledger, terms, steps).run();
}

}  // namespace pixledger::tools
