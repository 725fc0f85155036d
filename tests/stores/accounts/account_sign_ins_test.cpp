#include <catch2/catch.hpp>

#include "tests/stores/accounts/account_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

TEMPLATE_TEST_CASE(
    "five failures within fifteen minutes lock a network out of an address, whether or not it is used", "",
    OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  auto& accounts = *f.accounts;
  const auto who = GENERATE(as<std::string>(), "ana@example.com", "nobody@example.com");
  for (int i = 0; i < 4; ++i) CHECK_FALSE(accounts.begin_attempt(address(who), kHere, kStart));
  CHECK_FALSE(accounts.begin_attempt(address(who), kHere, after(kMinute)));
  CHECK(accounts.begin_attempt(address(who), kHere, after(kMinute)) == 14 * kMinute);
  CHECK_FALSE(accounts.begin_attempt(address("bea@example.com"), kHere, after(kMinute)));
  CHECK(f.engine.accounts()->begin_attempt(address(who), kHere, after(15 * kMinute - 1)) == 1);
  CHECK_FALSE(accounts.begin_attempt(address(who), kHere, after(15 * kMinute)));
  if (who == "nobody@example.com") return;
  CHECK(f.signs_in(f.ana, TotpShown{"hash", 8}, sign_in("1"), after(15 * kMinute)));
  for (int i = 0; i < 5; ++i) CHECK_FALSE(accounts.begin_attempt(address(who), kHere, after(15 * kMinute)));
  CHECK(accounts.begin_attempt(address(who), kHere, after(15 * kMinute)));
}

TEMPLATE_TEST_CASE("a stranger's failures lock out neither another network nor a known device", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  auto& accounts = *f.accounts;
  const auto ana = address("ana@example.com");
  const AttemptFrom stranger{"198.51.100.1"};
  const AttemptFrom device{stranger.network, "her laptop"};
  while (!accounts.begin_attempt(ana, stranger, kStart)) {
  }
  CHECK_FALSE(accounts.begin_attempt(ana, kHere, kStart));
  for (std::size_t i = 0; i < kFailuresMax; ++i) CHECK_FALSE(accounts.begin_attempt(ana, device, kStart));
  CHECK(accounts.begin_attempt(ana, device, kStart));
  // Resetting one count does not reset the other.
  f.set_password_and_totp();
  CHECK(f.signs_in(f.ana, TotpShown{"hash", 8}, sign_in("1"), kStart));
  CHECK(accounts.begin_attempt(ana, stranger, kStart));
}

TEMPLATE_TEST_CASE("guesses from many networks are limited together, and known devices go on", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  auto& accounts = *f.accounts;
  const auto ana = address("ana@example.com");
  std::size_t let_in = 0;
  for (std::size_t i = 0; i < kFailuresOfStrangersMax + 10; ++i)
    let_in += accounts.begin_attempt(ana, {"network " + std::to_string(i)}, kStart) ? 0U : 1U;
  CHECK(let_in == kFailuresOfStrangersMax);
  CHECK_FALSE(accounts.begin_attempt(ana, {"network 1", "her laptop"}, kStart));
  CHECK_FALSE(accounts.begin_attempt(ana, {"network 1"}, after(15 * kMinute)));
}

TEMPLATE_TEST_CASE("a sign-in ends half an hour after its last use, and after twelve hours", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  CHECK(f.find("0", 0)->expires_at() == after(12 * kHour));
  CHECK(f.find("0", 0)->address == "203.0.113.7");
  CHECK(f.find("0", 0)->user_agent == "a browser");
  SECTION("unused") {
    CHECK(f.find("0", 30 * kMinute - 1));
    CHECK(f.find("0", 60 * kMinute - 2));
    CHECK_FALSE(f.find("0", 90 * kMinute - 2));
  }
  SECTION("checking it is no use of it") {
    const std::vector asked{sign_in_id("0")};
    CHECK(f.accounts->going_on(asked, after(30 * kMinute - 1)) == asked);
    CHECK(f.accounts->going_on(asked, after(30 * kMinute)).empty());
    CHECK_FALSE(f.find("0", 30 * kMinute));
  }
  SECTION("used all the time") {
    std::int64_t at = 0;
    for (; at < 12 * kHour; at += 20 * kMinute) REQUIRE(f.find("0", at));
    CHECK_FALSE(f.find("0", at));
  }
  SECTION("its use is written once a minute") {
    CHECK(f.find("0", kMinute - 1)->last_seen_at == kStart);
    CHECK(f.find("0", kMinute)->last_seen_at == after(kMinute));
    CHECK(f.find("0", 2 * kMinute - 1)->last_seen_at == after(kMinute));
    CHECK_FALSE(f.find("0", 31 * kMinute));
  }
  CHECK_FALSE(f.accounts->find_sign_in(digest("a guess"), kStart));
}

TEMPLATE_TEST_CASE("sign-ins are listed and ended by their user", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key");
  auto& accounts = *f.accounts;
  for (const auto* name : {"1", "2", "3"})
    REQUIRE(f.signs_in(f.ana, shown("key", name), sign_in(name), after(kMinute)));
  CHECK(accounts.sign_ins(f.ana, after(kMinute)).size() == 4);
  CHECK(accounts.sign_ins(f.ana, after(kMinute)).back().id == sign_in_id("0"));
  CHECK(accounts.sign_ins(user_id("other"), kStart).empty());
  CHECK_FALSE(accounts.end_sign_in(user_id("other"), sign_in_id("1"), kStart));
  CHECK(accounts.end_sign_in(f.ana, sign_in_id("1"), kStart));
  CHECK_FALSE(accounts.end_sign_in(f.ana, sign_in_id("1"), kStart));
  CHECK_FALSE(f.find("1", kMinute));
  CHECK(accounts.going_on({sign_in_id("1"), sign_in_id("2"), sign_in_id("9")}, after(kMinute)) ==
        std::vector{sign_in_id("2")});
  CHECK(accounts.going_on({}, after(kMinute)).empty());
  CHECK(accounts.end_sign_in(f.ana, sign_in_id("0"), kStart));
  CHECK(accounts.end_sign_in(f.ana, sign_in_id("3"), kStart));
  CHECK(accounts.sign_ins(f.ana, after(kMinute)).size() == 1);
  CHECK(f.find("2", kMinute));
  accounts.issue_invitation(f.ana, digest("later"), Accounts::Invites::kReset, kStart);
  accounts.end_everything(kStart);
  CHECK_FALSE(f.find("2", kMinute));
  CHECK_FALSE(accounts.use_invitation(digest("later"), sign_in("9"), kStart));
  CHECK(accounts.credentials(f.ana).suffice());
}

TEMPLATE_TEST_CASE("a user has no more than fifty sign-ins: the oldest end", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key");
  // Slowly enough to stay below the limit.
  const auto moment = [](std::size_t i) { return static_cast<std::int64_t>(i) * 2'500; };
  for (std::size_t i = 1; i <= 2 * kSignInsOfUserMax; ++i) {
    const auto name = std::to_string(i);
    REQUIRE(f.signs_in(f.ana, shown("key", name), sign_in(name), after(moment(i))));
    if (i == kSignInsOfUserMax) CHECK_FALSE(f.find("0", moment(i)));
    if (i == kSignInsOfUserMax) CHECK(f.find("1", moment(i)));
  }
  CHECK(f.accounts->sign_ins(f.ana, after(moment(101))).size() == kSignInsOfUserMax);
}

TEMPLATE_TEST_CASE("repeated sign-ins are throttled, and leave few rows", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key");
  std::size_t done = 0;
  std::int64_t at = 0;
  const auto sign_in_again = [&] {
    const auto name = std::to_string(++at);
    return f.accounts->add_sign_in(f.ana, shown("key", name), kHere, sign_in(name), after(at));
  };
  // Once by the invitation.
  while (sign_in_again() == Accounts::SigningIn::kDone) ++done;
  CHECK(done == kNewSignInsMax - 1);
  CHECK(sign_in_again() == Accounts::SigningIn::kTooMany);
  at += kNewSignInsMs;
  CHECK(sign_in_again() == Accounts::SigningIn::kDone);
  // A refusal uses up no credential.
  CHECK(f.signs_in(f.ana, shown("key", std::to_string(kNewSignInsMax)), sign_in("late"), after(at)));
}

TEMPLATE_TEST_CASE("a sign-in is confirmed by a one-time credential", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  const auto found = f.find("0", 0);
  const auto later = after(20 * kMinute);
  CHECK_FALSE(found->is_confirmed(later));
  CHECK_FALSE(f.accounts->confirm_sign_in(f.ana, found->id, TotpShown{"hash", 7}, later));
  CHECK_FALSE(f.find("0", 20 * kMinute)->is_confirmed(later));
  CHECK(f.accounts->confirm_sign_in(f.ana, found->id, TotpShown{"hash", 8}, later));
  CHECK(f.find("0", 20 * kMinute)->is_confirmed(later));
}

TEMPLATE_TEST_CASE("expired rows are removed a few at a time", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key");
  for (const auto* who : {"a@example.com", "b@example.com", "c@example.com"})
    f.accounts->begin_attempt(address(who), {"", "device"}, kStart);
  f.accounts->issue_invitation(f.ana, digest("later"), Accounts::Invites::kReset, kStart);
  CHECK(f.accounts->prune(kStart, 10) == 0);
  // Three failures and a challenge.
  CHECK(f.accounts->prune(after(15 * kMinute), 2) == 3);
  CHECK(f.accounts->prune(after(15 * kMinute), 2) == 1);
  CHECK(f.accounts->prune(after(24 * kHour), 10) == 1);
  CHECK(f.accounts->prune(after(kEndedSignInKeptMs), 10) == 1);
  CHECK(f.accounts->prune(after(kEndedSignInKeptMs), 10) == 0);
  CHECK(f.accounts->credentials(f.ana).passkeys == 1);
}
