#include "http/services/sign_in_watch.h"

#include "tests/stores/accounts/account_fixture.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using http::SignInWatch;
using Verdict = SignInWatch::Verdict;

namespace {

struct Watched {
  AccountFixture<OnFiles> people;
  const FixedClock clock{kStart};
  Logger logger{LogFormat::kJson, clock};

  bool becomes(SignInWatch& watch, const std::string& name, Verdict verdict) const {
    return eventually([&] { return watch.ask(sign_in_id(name)) == verdict; });
  }
};

constexpr SignInWatch::Times kQuick{std::chrono::milliseconds(5), std::chrono::milliseconds(50)};
constexpr SignInWatch::Times kPatient{std::chrono::milliseconds(5), std::chrono::hours(1)};

}  // namespace

TEST_CASE("a sign-in goes on until the accounts say that it has ended") {
  Watched f;
  f.people.add_passkey("key");
  for (int number = 1; number <= 40; ++number) {
    const auto name = std::to_string(number);
    const auto at = after(number * 5'000);  // not one of too many within a minute
    REQUIRE(f.people.signs_in(f.people.ana, shown("key", name), sign_in(name), at));
  }
  SignInWatch watch(*f.people.accounts, f.clock, f.logger, kPatient);
  for (int number = 1; number <= 40; ++number)
    CHECK(watch.ask(sign_in_id(std::to_string(number))) == Verdict::kGoesOn);
  REQUIRE(f.people.accounts->end_sign_in(f.people.ana, sign_in_id("7"), kStart));
  REQUIRE(f.people.accounts->end_sign_in(f.people.ana, sign_in_id("40"), kStart));
  CHECK(f.becomes(watch, "7", Verdict::kHasEnded));
  CHECK(f.becomes(watch, "40", Verdict::kHasEnded));
  CHECK(watch.ask(sign_in_id("8")) == Verdict::kGoesOn);
  CHECK(f.becomes(watch, "unknown", Verdict::kHasEnded));
}

TEST_CASE("a held sign-in is watched until it is released, however rarely it is asked about") {
  Watched f;
  SignInWatch watch(*f.people.accounts, f.clock, f.logger, kPatient);
  auto held = watch.hold(sign_in_id("0"));
  const auto again = watch.hold(sign_in_id("0"));
  held.reset();
  CHECK(watch.ask(sign_in_id("0")) == Verdict::kGoesOn);
  REQUIRE(f.people.accounts->end_sign_in(f.people.ana, sign_in_id("0"), kStart));
  CHECK(f.becomes(watch, "0", Verdict::kHasEnded));
}

TEST_CASE("while the accounts are unavailable sign-ins go on only briefly, and again afterwards") {
  Watched f;
  SignInWatch watch(*f.people.accounts, f.clock, f.logger, kQuick);
  CHECK(watch.ask(sign_in_id("0")) == Verdict::kGoesOn);
  f.people.engine.change_accounts("ALTER TABLE sign_ins RENAME TO put_away");
  CHECK(f.becomes(watch, "0", Verdict::kUnknown));
  f.people.engine.change_accounts("ALTER TABLE put_away RENAME TO sign_ins");
  CHECK(f.becomes(watch, "0", Verdict::kGoesOn));
}

TEST_CASE("a caller that needs a sign-in's state as of now makes the watch ask at once") {
  Watched f;
  constexpr SignInWatch::Times kSeldom{std::chrono::hours(1), std::chrono::hours(2)};
  SignInWatch watch(*f.people.accounts, f.clock, f.logger, kSeldom);
  const auto id = sign_in_id("0");
  const auto held = watch.hold(id);
  const auto now = [] { return SignInWatch::Clock::now(); };
  const auto before = now();
  CHECK(eventually([&] { return watch.is_told_since(id, before); }));
  CHECK(watch.ask(id) == Verdict::kGoesOn);
  CHECK(watch.wait_until_told(id, now(), std::chrono::seconds(20)));
  CHECK(watch.ask(id) == Verdict::kGoesOn);
  REQUIRE(f.people.accounts->end_sign_in(f.people.ana, id, kStart));
  watch.ask_now();
  CHECK(watch.ask(id) == Verdict::kHasEnded);
  CHECK(watch.is_told_since(id, now()));
}

TEST_CASE("while the accounts are unavailable no state is known as of now") {
  Watched f;
  SignInWatch watch(*f.people.accounts, f.clock, f.logger, kPatient);
  const auto id = sign_in_id("0");
  CHECK(watch.ask(id) == Verdict::kGoesOn);
  f.people.engine.change_accounts("ALTER TABLE sign_ins RENAME TO put_away");
  CHECK_FALSE(watch.wait_until_told(id, SignInWatch::Clock::now(), std::chrono::milliseconds(30)));
  CHECK(watch.ask(id) == Verdict::kGoesOn);
}
