
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>

#include "eventstore/reading/log_scan.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/tools/counted_charges.h"
#include "tools/accounting/report_rows.h"

using namespace pixledger;
using namespace pixledger::tests;
using counting::Facts;
using counting::Tell;
using tools::Period;
using tools::ReportBy;

namespace {

// "2026-09-21 live paid" → count, amount, paid, refunded, fees.
using Lines = std::map<std::string, std::vector<std::int64_t>>;

std::string date_in_zone(Timestamp moment) {
  const std::time_t seconds = moment.millis() / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[16];
  ::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

void add(Lines& lines, const std::string& line, const Facts& facts, std::int64_t refunded) {
  auto& sums = lines.try_emplace(line, 5, 0).first->second;
  sums[0] += 1;
  sums[1] += facts.amount;
  sums[2] += facts.paid;
  sums[3] += refunded;
  sums[4] += facts.fee;
}

struct Question {
  std::optional<domain::ProjectId> project;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::uint64_t as_of = 0;
  std::string zone;
  ReportBy by = ReportBy::kCreated;
};

// The sum of a charge's refunds on each day.
std::map<std::string, std::int64_t> days_of(const Facts& facts, ReportBy by) {
  if (by == ReportBy::kCreated) return {{date_in_zone(facts.created_at), facts.refunded}};
  std::map<std::string, std::int64_t> days;
  if (by == ReportBy::kPaid && facts.paid_at) days.emplace(date_in_zone(*facts.paid_at), facts.refunded);
  if (by == ReportBy::kRefunded) {
    for (const auto& [at, cents] : facts.refunds) days[date_in_zone(at)] += cents;
  }
  return days;
}

Lines expected_lines(const RandomLedger& ledger, const Question& asked) {
  std::map<std::string, Facts> charges;
  for (const auto& event : ledger.events()) {
    if (event.position.value() > asked.as_of) break;
    if (const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event))
      std::visit(Tell{charges, event}, *of_charge);
  }
  ::setenv("TZ", asked.zone.c_str(), 1);
  ::tzset();
  Lines lines;
  for (const auto& [stream, facts] : charges) {
    if (asked.project && facts.project != *asked.project) continue;
    const auto kind = std::string(domain::to_string(facts.environment)) + " " +
                      std::string(domain::to_string(facts.status));
    bool counts = false;
    std::int64_t refunded = 0;
    for (const auto& [day, cents] : days_of(facts, asked.by)) {
      if ((asked.from && day < *asked.from) || (asked.to && day > *asked.to)) continue;
      add(lines, day + " " + kind, facts, cents);
      counts = true;
      refunded += cents;
    }
    if (counts) add(lines, "total " + kind, facts, refunded);
  }
  ::unsetenv("TZ");
  ::tzset();
  return lines;
}

std::vector<std::int64_t> numbers(const tools::ReportSums& sums) {
  return {static_cast<std::int64_t>(sums.count), sums.amount.value(), sums.paid.value(),
          sums.refunded.value(), sums.fees.value()};
}

Lines reported_lines(const RandomLedger& ledger, const Question& asked) {
  const Period period(tools::parse_period(asked.from, asked.to, {}), parsed<TimeZone>(asked.zone));
  const auto report =
      tools::make_report(ledger.log(), asked.project, period, Position(asked.as_of), asked.by);
  const auto kind_text = [](const tools::Report::Kind& kind) {
    return std::string(domain::to_string(kind.first)) + " " + std::string(domain::to_string(kind.second));
  };
  Lines lines;
  const auto add_line = [&](const std::string& name, const tools::ReportSums& sums) {
    auto& line = lines.try_emplace(name, 5, 0).first->second;
    const auto more = numbers(sums);
    for (std::size_t i = 0; i < more.size(); ++i) line[i] += more[i];
  };
  for (const auto& [key, sums] : report.rows)
    add_line(date_text(key.first) + " " + kind_text(key.second.kind), sums);
  for (const auto& [part, sums] : report.totals) add_line("total " + kind_text(part.kind), sums);
  return lines;
}

}  // namespace

TEST_CASE("a report of any ledger, period, zone and moment equals counting its charges") {
  const auto seed = seed_from_environment(41);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 2'500);
  RandomNumbers random(seed + 1);
  const auto head = ledger.log().head().position.value();
  const auto projects = ledger.projects();
  const std::vector<std::string> zones = {"UTC", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia"};
  std::size_t seen = 0;
  for (int i = 0; i < 150; ++i) {
    Question asked;
    asked.by = random.one_of(std::vector{ReportBy::kCreated, ReportBy::kPaid, ReportBy::kRefunded});
    asked.as_of = random.one_in(4) ? head : random.below(head + 1);
    asked.zone = random.one_of(zones);
    if (random.one_in(2)) asked.project = random.one_of(projects);
    const auto some_day = [&] {
      return to_iso8601(ledger.events()[random.below(ledger.events().size())].recorded_at).substr(0, 10);
    };
    if (random.one_in(2)) asked.from = some_day();
    if (random.one_in(2)) asked.to = some_day();
    if (asked.from && asked.to && *asked.to < *asked.from) std::swap(asked.from, asked.to);
    INFO("as of " << asked.as_of << " in " << asked.zone << " from " << asked.from.value_or("-") << " to "
                  << asked.to.value_or("-"));
    const auto expected = expected_lines(ledger, asked);
    REQUIRE(reported_lines(ledger, asked) == expected);
    seen += expected.size();
  }
  CHECK(seen > 1'000);
}

// The rest of each charge's money at the end of a day, computed by counting events.
std::map<std::string, std::int64_t> expected_balances(const RandomLedger& ledger, const Question& asked,
                                                      const std::string& last_day) {
  std::map<std::string, std::int64_t> balances;  // by environment
  std::map<std::string, Facts> charges;
  std::map<std::string, std::int64_t> aside;
  ::setenv("TZ", asked.zone.c_str(), 1);
  ::tzset();
  for (const auto& event : ledger.events()) {
    if (event.position.value() > asked.as_of) break;
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    if (!of_charge) continue;
    std::visit(Tell{charges, event}, *of_charge);
    const auto& facts = charges.at(event.stream.text());
    if (asked.project && facts.project != *asked.project) continue;
    const auto move = [&](Timestamp at, std::int64_t cents) {
      if (date_in_zone(at) <= last_day) balances[std::string(domain::to_string(facts.environment))] += cents;
    };
    if (const auto* paid = std::get_if<domain::ChargePaid>(of_charge))
      move(paid->paid_at, paid->amount.value() - facts.fee);
    if (const auto* left = std::get_if<domain::PaymentLeftUnapplied>(of_charge)) {
      aside[left->end_to_end_id.text()] = left->amount.value();
      move(left->paid_at, left->amount.value());
    }
    if (std::holds_alternative<domain::UnappliedPaymentAccepted>(*of_charge))
      move(event.recorded_at, -facts.fee);
    if (std::holds_alternative<domain::UnappliedPaymentAdded>(*of_charge))
      move(event.recorded_at, -facts.added_fees.back());
    if (const auto* returned = std::get_if<domain::UnappliedPaymentReturned>(of_charge))
      move(event.recorded_at, -aside.at(returned->end_to_end_id.text()));
    if (const auto* refund = std::get_if<domain::ChargeRefunded>(of_charge))
      move(event.recorded_at, -refund->amount.value());
  }
  ::unsetenv("TZ");
  ::tzset();
  return balances;
}

TEST_CASE("a statement of any ledger sums to the cent, and begins where that of the month before has ended") {
  const auto seed = seed_from_environment(44);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 2'500);
  RandomNumbers random(seed + 1);
  const auto head = ledger.log().head().position.value();
  std::size_t moved_on = 0;
  for (const std::string zone_name : {"UTC", "America/Sao_Paulo", "Pacific/Apia"}) {
    for (int i = 0; i < 6; ++i) {
      Question asked;
      asked.zone = zone_name;
      asked.as_of = i == 0 ? head : random.below(head + 1);
      if (random.one_in(2)) asked.project = random.one_of(ledger.projects());
      const auto zone = parsed<TimeZone>(zone_name);
      std::map<tools::MoneyStatement::Account, std::int64_t> before;
      for (const std::string text : {"2026-08", "2026-09", "2026-10", "2026-11", "2026-12", "2027-01"}) {
        INFO(text << " in " << zone_name << " as of " << asked.as_of);
        const auto month = parsed<tools::Month>(text);
        const auto statement =
            tools::make_statement(ledger.log(), asked.project, month, zone, Position(asked.as_of));
        std::map<std::string, std::int64_t> balances;
        for (const auto& [account, movements] : statement.accounts) {
          REQUIRE(movements.opening.value() == before[account]);
          auto balance = movements.opening.value();
          for (const auto& [day, moved] : movements.days) {
            REQUIRE(day >= month.first_day());
            REQUIRE(day <= month.last_day());
            balance += moved.in.value() - moved.fees.value() - moved.refunds.value() - moved.returned.value();
            ++moved_on;
          }
          REQUIRE(movements.closing().value() == balance);
          before[account] = balance;
          balances[std::string(domain::to_string(account.environment))] += balance;
        }
        auto expected = expected_balances(ledger, asked, date_text(month.last_day()));
        for (const auto& [environment, cents] : balances) REQUIRE(cents == expected[environment]);
        for (const auto& [environment, cents] : expected) REQUIRE(cents == balances[environment]);
      }
    }
  }
  CHECK(moved_on > 20);
}

TEST_CASE("a moment stands for the last event that was recorded by then") {
  const auto seed = seed_from_environment(42);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 300);
  const auto& events = ledger.events();
  const auto position_by_counting = [&](Timestamp moment) {
    std::uint64_t position = 0;
    for (const auto& event : events) {
      if (event.recorded_at <= moment) position = event.position.value();
    }
    return Position(position);
  };
  for (const auto& event : events) {
    for (const std::int64_t shift : {-1, 0, 1}) {
      const auto moment = event.recorded_at.plus_millis(shift);
      REQUIRE(eventstore::position_at(ledger.log(), moment) == position_by_counting(moment));
      const auto as_of = tools::find_as_of(ledger.log(), to_iso8601(moment), TimeZone(),
                                           events.back().recorded_at.plus_millis(1));
      REQUIRE(as_of.value().position == position_by_counting(moment));
    }
  }
  CHECK(eventstore::position_at(ledger.log(), Timestamp(0)) == Position(0));
}

TEST_CASE("a date as of which to count means its end in the time zone") {
  const auto seed = seed_from_environment(43);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 1'000);
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  std::set<std::string> days;
  for (const auto& event : ledger.events()) days.insert(date_text(zone.day_of(event.recorded_at)));
  REQUIRE(days.size() > 2);
  for (const auto& day : days) {
    Position last;
    for (const auto& event : ledger.events()) {
      if (date_text(zone.day_of(event.recorded_at)) <= day) last = event.position;
    }
    CHECK(tools::find_as_of(ledger.log(), day, zone, ledger.events().back().recorded_at).value().position ==
          last);
  }
}

TEST_CASE("a statement of a month that has not begun says so") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto early = pixledger.run({"report", "--statement", "9990-01"});
  CHECK(early.code == 0);
  CHECK(early.err.find("9990-01 has not begun") != std::string::npos);
  CHECK(pixledger.run({"report", "--statement", "2020-01"}).err.empty());
}

TEST_CASE("the command prints the report as one JSON value") {
  const PixledgerCommand pixledger;
  const auto empty_project = json_at(pixledger.create_project("Outra"), "/projectId");
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  {
    LedgerWithCharges ledger(pixledger.data());
    ledger.pay(project, ledger.create_charge(project));
    ledger.create_charge(project);
  }
  const auto report = pixledger.done({"report", "--project", project.text()});
  CHECK(json_at(report, "/asOf/position") == "10");
  CHECK(json_at(report, "/asOf/time").size() == kIso8601Size);
  CHECK(json_at(report, "/rows/0/environment") == "sandbox");
  CHECK(json_at(report, "/rows/0/status") == "waiting_payment");
  CHECK(json_at(report, "/rows/0/day").size() == 10);
  CHECK(json_at(report, "/rows/1/status") == "paid");
  CHECK(json_at(report, "/rows/1/count") == "1");
  CHECK(json_at(report, "/rows/1/amountCents") == "10000");
  CHECK(json_at(report, "/rows/1/paidCents") == "10000");
  CHECK(json_at(report, "/rows/1/refundedCents") == "0");
  CHECK(json_at(report, "/totals/1/paidCents") == "10000");
  CHECK(json_at(report, "/totals/1/feeCents") == "0");
  const auto by_payment = pixledger.done({"report", "--by", "paid"});
  CHECK(json_at(by_payment, "/totals/0/status") == "paid");
  CHECK(json_at(by_payment, "/totals/0/count") == "1");
  CHECK(json_at(pixledger.done({"report", "--by", "refunded"}), "/totals") == "[]");
  // The second creation is at position 10.
  CHECK(json_at(pixledger.done({"report", "--as-of", "9"}), "/totals/0/status") == "paid");
  CHECK(json_at(pixledger.done({"report", "--as-of", "1"}), "/totals") == "[]");
  CHECK(json_at(pixledger.done({"report", "--as-of", "2020-01-01"}), "/asOf/time") == "null");
  CHECK(json_at(pixledger.done({"report", "--project", empty_project, "--json"}), "/rows") == "[]");
  CHECK(json_at(pixledger.done({"report", "--to", "2020-01-01"}), "/rows") == "[]");
  const auto beyond = pixledger.run({"report", "--as-of", "11"});
  CHECK(beyond.code == 1);
  CHECK(beyond.err.find("--as-of: the ledger has no position 11; its newest is 10") != std::string::npos);
  CHECK(pixledger.run({"report", "--project", "cabcdefghijkl"}).code == 1);
  for (const auto& wrong : {std::vector<std::string>{"--as-of", "0"},
                            {"--as-of", "soon"},
                            {"--from", "x"},
                            {"--by", "day"},
                            {"--timezone", "Mars"}}) {
    auto arguments = wrong;
    arguments.insert(arguments.begin(), "report");
    CHECK(pixledger.run(arguments).code == 2);
  }
}
