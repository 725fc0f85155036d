// A month's statement against the bank's own book, with everything that can happen to payments: they pay or
// are unmatched, are accepted, assigned, refunded and returned, and returned by the bank itself.
#include <catch2/catch.hpp>

#include "eventstore/executor/executor.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"
#include "tools/accounting/report_rows.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Cents;

namespace {

constexpr std::int64_t kFee = 30;

// A movement at the bank or a fee, and the position from which the ledger knows it.
struct Entry {
  Timestamp at;
  std::int64_t cents;
  Position position;
};

class BankAndLedger {
 public:
  explicit BankAndLedger(std::uint64_t seed) : random_(seed), entropy_(seed) {
    auto settings = sample_settings();
    settings.fee_fixed = Cents(kFee);
    settings.fee_basis_points = 0;
    project_ = submit(domain::CreateProject{settings})->events().front().project;
    auto bank = sample_bank_connection();
    bank.project = project_;
    bank.api_pix.code = domain::CodeKind::kStatic;
    submit(bank);
  }

  void live_on() {
    clock_.advance_millis(static_cast<std::int64_t>(random_.below(20)) * 3'600'000);
    switch (random_.below(10)) {
      case 0:
      case 1:
        return create();
      case 2:
      case 3:
        return pay();
      case 4:
        return pay_nothing();
      case 5:
        return settle_aside();
      case 6:
        return refund();
      case 7:
        return take_back();
      case 8:
        return end_what_is_under_way();
      default:
        // The bank shows the account again.
        if (!payments_.empty()) tell(payments_.at(random_.below(payments_.size())));
    }
  }

  // The book's balance at the end of a day, as far as the ledger knew it then.
  std::int64_t balance(std::int64_t last_day, const TimeZone& zone, Position as_of) const {
    std::int64_t cents = 0;
    for (const auto& entry : book_)
      if (entry.position <= as_of && zone.day_of(entry.at) <= last_day) cents += entry.cents;
    return cents;
  }
  // The positions at which commands ended; states between their events are never visible.
  const std::vector<Position>& ends() const { return ends_; }
  const eventstore::Log& log() const { return log_; }
  // Counts the movements by kind.
  std::map<std::string, int> moved{};

 private:
  struct Back {
    domain::RefundId id;
    domain::ReturnId return_id;
    std::int64_t cents;
    Timestamp at;
  };
  struct Payment {
    domain::EndToEndId id;
    Timestamp at;
    std::int64_t left;          // at the bank
    std::int64_t asked = 0;     // of that, requested returns
    std::vector<Back> taken{};  // back by the bank itself
  };
  // The returns requested from the bank.
  struct UnderWay {
    std::size_t payment;
    domain::RefundId id;
    std::optional<domain::ChargeId> charge;
    enum class Kind { kRefund, kUnapplied, kUnmatched } kind;
    std::int64_t cents;
  };

  std::optional<eventstore::Completed> submit(domain::Command command) {
    auto result = executor_.execute({std::move(command), "", {}, "req_test", {}});
    auto* completed = std::get_if<eventstore::Completed>(&result);
    if (!completed || !completed->outcome.done()) return std::nullopt;
    ends_.push_back(completed->as_of);
    return std::move(*completed);
  }
  void note(const std::string& what, Timestamp at, std::int64_t cents,
            const eventstore::Completed& completed) {
    book_.push_back({at, cents, completed.as_of});
    ++moved[what];
  }
  // The fee of a payment that a command gave to a charge, owed from then on.
  void note_fee(const eventstore::Completed& completed) {
    for (const auto& event : completed.events()) {
      const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
      if (!of_charge) continue;
      if (const auto* paid = std::get_if<domain::ChargePaid>(of_charge))
        note("fee", paid->paid_at, -kFee, completed);
      if (std::holds_alternative<domain::UnappliedPaymentAccepted>(*of_charge))
        note("fee of what was accepted", event.recorded_at, -kFee, completed);
    }
  }
  std::optional<domain::Charge> charge_of(const Payment& payment) const {
    const auto holder = log_.claim_holder(domain::end_to_end_claim(payment.id));
    return holder ? eventstore::fold_as<domain::Charge>(log_, *holder) : std::nullopt;
  }
  static bool has_paid(const domain::Charge& charge, const Payment& payment) {
    return charge.payment && charge.payment->end_to_end_id == payment.id;
  }
  domain::EndToEndId fresh_id() { return sample_end_to_end_id(++numbers_); }

  void create() {
    auto creation = sample_creation(domain::Environment::kLive);
    creation.project = project_;
    creation.amount = Cents(1'000 + static_cast<std::int64_t>(random_.below(9'000)));
    creation.connection = sample_bank_id();
    creation.expiration_days = 10;
    if (const auto done = submit(creation))
      charges_.push_back(parsed<domain::ChargeId>(done->events().back().stream.key()));
  }
  void pay() {
    if (charges_.empty()) return;
    const auto newest = std::min<std::size_t>(charges_.size(), 5);
    const auto id = charges_.at(charges_.size() - 1 - random_.below(newest));
    const auto charge = eventstore::fold_as<domain::Charge>(log_, domain::charge_stream(id)).value();
    const auto amount = random_.one_in(4) ? charge.amount + Cents(100) : charge.amount;
    arrive(domain::ReportPayment{project_, id, fresh_id(), amount, clock_.now()}, amount);
  }
  void pay_nothing() {
    const Cents amount(1'000 + static_cast<std::int64_t>(random_.below(9'000)));
    arrive(domain::RecordUnmatchedPayment{.project = project_,
                                          .connection = sample_bank_id(),
                                          .end_to_end_id = fresh_id(),
                                          .amount = amount,
                                          .paid_at = clock_.now(),
                                          .txid = std::nullopt,
                                          .reason = domain::UnmatchedReason::kNoTxid},
           amount);
  }
  template <class Report>
  void arrive(const Report& report, Cents amount) {
    const auto done = submit(report);
    if (!done) return;
    payments_.push_back({.id = report.end_to_end_id, .at = clock_.now(), .left = amount.value()});
    note("in", clock_.now(), amount.value(), *done);
    note_fee(*done);
  }

  // Accepts, assigns or returns money that has paid no charge.
  void settle_aside() {
    if (payments_.empty()) return;
    const auto place = random_.below(payments_.size());
    auto& payment = payments_.at(place);
    const auto charge = charge_of(payment);
    const bool is_sent_back = random_.one_in(2);
    if (charge && has_paid(*charge, payment)) return;
    if (!charge && !is_sent_back) {
      if (charges_.empty()) return;
      const auto to = charges_.at(random_.below(charges_.size()));
      if (const auto done = submit(domain::AssignPayment{project_, payment.id, to})) {
        ++moved["assigned"];
        note_fee(*done);
      }
    } else if (!is_sent_back && random_.one_in(2)) {
      if (const auto done = submit(domain::AcceptUnappliedPayment{project_, charge->id, payment.id}))
        note_fee(*done);
    } else if (!is_sent_back) {
      if (payment.asked > 0) return;
      if (const auto done =
              submit(domain::ReturnUnappliedPayment{charge->id, payment.id, std::nullopt, false}))
        note("returned by hand", clock_.now(), -std::exchange(payment.left, 0), *done);
    } else if (payment.left > 0 && payment.asked == 0) {
      const auto done = charge ? submit(domain::ReturnUnappliedPayment{charge->id, payment.id, {}, true})
                               : submit(domain::ClosePayment{project_, payment.id, true, {}});
      if (done) begin(place, charge, *done);
    }
  }
  void begin(std::size_t place, const std::optional<domain::Charge>& charge,
             const eventstore::Completed& done) {
    auto& payment = payments_.at(place);
    for (const auto& event : done.events()) {
      if (const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event)) {
        if (const auto* asked = std::get_if<domain::RefundRequested>(of_charge))
          under_way_.push_back(
              {place, asked->id, charge->id, UnderWay::Kind::kRefund, asked->amount.value()});
        if (const auto* asked = std::get_if<domain::UnappliedReturnRequested>(of_charge))
          under_way_.push_back({place, asked->id, charge->id, UnderWay::Kind::kUnapplied, payment.left});
      }
      if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
        if (const auto* asked = std::get_if<domain::PaymentReturnRequested>(of_payment))
          under_way_.push_back({place, asked->id, {}, UnderWay::Kind::kUnmatched, payment.left});
    }
    payment.asked = 0;
    for (const auto& each : under_way_)
      if (each.payment == place) payment.asked += each.cents;
  }

  void refund() {
    if (payments_.empty()) return;
    const auto place = random_.below(payments_.size());
    const auto& payment = payments_.at(place);
    const auto charge = charge_of(payment);
    if (!charge || !has_paid(*charge, payment) || payment.left == payment.asked) return;
    std::optional<Cents> part;
    if (random_.one_in(2))
      part = Cents(1 + static_cast<std::int64_t>(random_.below(payment.left - payment.asked)));
    if (const auto done = submit(domain::RefundCharge{{}, charge->id, part, std::nullopt}))
      begin(place, charge, *done);
  }
  void end_what_is_under_way() {
    if (under_way_.empty()) return;
    const auto place = random_.below(under_way_.size());
    const auto ended = under_way_.at(place);
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
    auto& payment = payments_.at(ended.payment);
    payment.asked -= ended.cents;
    // The bank returns only the rest if it has returned a part meanwhile.
    const auto cents = std::min(ended.cents, payment.left);
    const auto at = std::max(
        payment.at, clock_.now().plus_millis(-static_cast<std::int64_t>(random_.below(2)) * 86'400'000));
    const bool goes_back = cents > 0 && !random_.one_in(4);
    std::optional<eventstore::Completed> done;
    switch (ended.kind) {
      case UnderWay::Kind::kRefund:
        done = goes_back ? submit(domain::SettleRefund{*ended.charge, ended.id, at})
                         : submit(domain::FailRefund{*ended.charge, ended.id});
        break;
      case UnderWay::Kind::kUnapplied:
        done = goes_back ? submit(domain::SettleUnappliedReturn{*ended.charge, payment.id, ended.id, at})
                         : submit(domain::FailUnappliedReturn{*ended.charge, payment.id, ended.id, {}});
        break;
      case UnderWay::Kind::kUnmatched:
        done = goes_back ? submit(domain::SettlePaymentReturn{payment.id, ended.id, at})
                         : submit(domain::FailPaymentReturn{payment.id, ended.id, {}});
        break;
    }
    REQUIRE(done);
    if (!goes_back) return;
    payment.left -= cents;
    note(ended.kind == UnderWay::Kind::kRefund ? "refunded by the bank" : "sent back by the bank", at, -cents,
         *done);
  }

  // The bank itself returns a part of a payment, or all of the rest, and shows it from then on.
  void take_back() {
    if (payments_.empty()) return;
    auto& payment = payments_.at(random_.below(payments_.size()));
    const auto charge = charge_of(payment);
    const bool is_paid = charge && has_paid(*charge, payment);
    const auto most = is_paid ? payment.left - payment.asked : payment.left;
    if (most <= 0) return;
    const auto cents = random_.one_in(3) ? most : 1 + static_cast<std::int64_t>(random_.below(most));
    const auto number = std::to_string(++numbers_);
    const Back back{parsed<domain::RefundId>("med" + number),
                    parsed<domain::ReturnId>("D" + std::string(31 - number.size(), '0') + number), cents,
                    std::max(payment.at, clock_.now().plus_millis(
                                             -static_cast<std::int64_t>(random_.below(3)) * 86'400'000))};
    const auto done = report(payment, back);
    REQUIRE(done);
    payment.left -= cents;
    payment.taken.push_back(back);
    note(is_paid  ? "taken back of what paid"
         : charge ? "taken back of what was kept aside"
                  : "taken back of what fits nothing",
         back.at, -cents, *done);
  }
  void tell(const Payment& payment) {
    for (const auto& back : payment.taken) REQUIRE(report(payment, back));
  }
  std::optional<eventstore::Completed> report(const Payment& payment, const Back& back) {
    const auto charge = charge_of(payment);
    if (!charge)
      return submit(
          domain::ReportUnmatchedReversal{payment.id, back.id, back.return_id, Cents(back.cents), back.at});
    if (has_paid(*charge, payment))
      return submit(
          domain::ReportReversal{project_, charge->id, back.id, back.return_id, Cents(back.cents), back.at});
    return submit(domain::ReportUnappliedReversal{charge->id, payment.id, back.id, back.return_id,
                                                  Cents(back.cents), back.at});
  }

  RandomNumbers random_;
  SeededEntropy entropy_;
  FixedClock clock_{parsed_time("2026-03-20T12:00:00Z")};
  eventstore::MemoryLog log_{{"0123456789abcdef0123456789abcdef", 1}};
  eventstore::Executor executor_{log_, clock_, entropy_};
  domain::ProjectId project_ = sample_project_id();
  unsigned numbers_ = 0;
  std::vector<domain::ChargeId> charges_;
  std::vector<Payment> payments_;
  std::vector<UnderWay> under_way_;
  std::vector<Entry> book_;
  std::vector<Position> ends_;

  static Timestamp parsed_time(const char* text) { return parse_iso8601(text).value(); }
};

}  // namespace

TEST_CASE("a statement is the bank's book to the cent, whatever becomes of payments there") {
  const auto seed = seed_from_environment(71);
  INFO("PIXLEDGER_SEED=" << seed);
  std::map<std::string, int> moved;
  for (std::uint64_t world = 0; world < 12; ++world) {
    BankAndLedger life(seed * 100 + world);
    for (int i = 0; i < 250; ++i) life.live_on();
    for (const auto& [what, times] : life.moved) moved[what] += times;
    RandomNumbers random(seed + world);
    for (const std::string zone_name : {"UTC", "America/Sao_Paulo"}) {
      const auto zone = parsed<TimeZone>(zone_name);
      for (int i = 0; i < 3; ++i) {
        const auto as_of = i == 0 ? life.ends().back() : random.one_of(life.ends());
        std::int64_t before = 0;
        for (const std::string text : {"2026-03", "2026-04", "2026-05", "2026-06", "2026-07"}) {
          INFO("world " << world << " " << text << " in " << zone_name << " as of " << as_of.value());
          const auto month = parsed<tools::Month>(text);
          const auto statement = tools::make_statement(life.log(), std::nullopt, month, zone, as_of);
          std::int64_t opening = 0, closing = 0;
          for (const auto& [account, movements] : statement.accounts) {
            opening += movements.opening.value();
            closing += movements.closing().value();
          }
          REQUIRE(opening == before);
          REQUIRE(closing == life.balance(month.last_day(), zone, as_of));
          before = closing;
        }
      }
    }
  }
  for (const auto* what : {"in", "fee", "fee of what was accepted", "assigned", "returned by hand",
                           "refunded by the bank", "sent back by the bank", "taken back of what paid",
                           "taken back of what was kept aside", "taken back of what fits nothing"}) {
    INFO(what);
    CHECK(moved[what] > 5);
  }
}
