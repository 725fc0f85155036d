#include "stores/accounts/account_repository.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/platform/durable_files.h"
#include "tests/stores/accounts/account_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

TEMPLATE_TEST_CASE("a user is known by the address in any case, and made once", "", OnFiles, OnTables) {
  const TestType engine;
  const auto accounts = engine.accounts();
  const auto made = accounts->make_user(address("Ana@Example.com"), user_id("a"), kStart);
  CHECK(made.id == user_id("a"));
  const auto again = accounts->make_user(address("ana@example.COM"), user_id("b"), after(5));
  CHECK(again.id == user_id("a"));
  CHECK(again.email.text() == "Ana@Example.com");
  CHECK(again.created_at == kStart);
  CHECK(engine.accounts()->find_user(address("ANA@example.com"))->id == user_id("a"));
  CHECK_FALSE(accounts->find_user(address("ana@example.org")));
  accounts->make_user(address("bea@example.com"), user_id("c"), kStart);
  CHECK(accounts->users("", 10).size() == 2);
  CHECK(accounts->users(user_id("a").text(), 10).at(0).id == user_id("c"));
  CHECK(accounts->users("", 1).size() == 1);
}

TEMPLATE_TEST_CASE("an invitation signs in once, within a day, and a newer one voids it", "", OnFiles,
                   OnTables) {
  const TestType engine;
  const auto accounts = engine.accounts();
  const auto ana = accounts->make_user(address("ana@example.com"), user_id("ana"), kStart).id;
  const auto issue = [&](const std::string& token) {
    return accounts->issue_invitation(ana, digest(token), Accounts::Invites::kNewcomer, kStart);
  };
  REQUIRE(issue("first"));
  REQUIRE(issue("second"));
  CHECK(accounts->user_state(ana, kStart)->invitation_pending);
  CHECK_FALSE(accounts->use_invitation(digest("first"), sign_in("1"), kStart));
  CHECK_FALSE(accounts->use_invitation(digest("second"), sign_in("1"), after(24 * kHour)));
  CHECK(accounts->use_invitation(digest("second"), sign_in("1"), after(24 * kHour - 1)) == ana);
  CHECK_FALSE(engine.accounts()->use_invitation(digest("second"), sign_in("2"), kStart));
  const auto state = accounts->user_state(ana, after(24 * kHour));
  CHECK_FALSE(state->invitation_pending);
  CHECK(state->last_sign_in_at == after(24 * kHour - 1));
  const auto found = accounts->find_sign_in(digest("token 1"), after(24 * kHour));
  REQUIRE(found);
  CHECK(found->method == SignInMethod::kInvitation);
  CHECK_FALSE(found->has_credentials);
  CHECK_FALSE(found->is_confirmed(after(24 * kHour)));
  CHECK_FALSE(accounts->issue_invitation(user_id("nobody"), digest("x"), Accounts::Invites::kReset, kStart));
}

TEMPLATE_TEST_CASE("once a user has credentials only an invitation that resets them signs in", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  REQUIRE(f.add_passkey("key") == Accounts::Change::kDone);
  f.set_password_and_totp();
  f.accounts->issue_invitation(f.ana, digest("plain"), Accounts::Invites::kNewcomer, kStart);
  CHECK_FALSE(f.accounts->use_invitation(digest("plain"), sign_in("1"), kStart));
  CHECK(f.accounts->credentials(f.ana).passkeys == 1);
  f.accounts->issue_invitation(f.ana, digest("reset"), Accounts::Invites::kReset, kStart);
  CHECK(f.find("0", 0)->has_credentials);
  REQUIRE(f.accounts->use_invitation(digest("reset"), sign_in("2"), kStart) == f.ana);
  const auto left = f.accounts->credentials(f.ana);
  CHECK(left.passkeys == 0);
  CHECK_FALSE(left.has_password);
  CHECK_FALSE(left.has_totp);
  CHECK(left.recovery_codes == 0);
  CHECK_FALSE(f.find("0", 0));
  CHECK_FALSE(f.find("2", 0)->has_credentials);
}

TEMPLATE_TEST_CASE("a new invitation ends the earlier one's sign-ins and unfinished credentials", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  f.accounts->set_password(f.by_ana(), "hash", kStart);
  f.accounts->issue_invitation(f.ana, digest("next"), Accounts::Invites::kNewcomer, kStart);
  REQUIRE(f.accounts->use_invitation(digest("next"), sign_in("1"), kStart) == f.ana);
  CHECK_FALSE(f.find("0", 0));
  CHECK(f.find("1", 0));
  CHECK_FALSE(f.accounts->credentials(f.ana).has_password);
}

TEMPLATE_TEST_CASE("a sign-in by an earlier invitation can set nothing, once there is a newer one", "",
                   OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.accounts->set_password(f.by_ana(), "hash", kStart);
  f.accounts->issue_invitation(f.ana, digest("next"), Accounts::Invites::kNewcomer, kStart);
  CHECK_FALSE(f.find("0", 0));
  CHECK_FALSE(f.accounts->credentials(f.ana).has_password);
  CHECK(f.add_passkey("key") == Accounts::Change::kSignInEnded);
  CHECK_FALSE(f.accounts->credentials(f.ana).suffice());
}

TEMPLATE_TEST_CASE("credentials are changed only by a user who is signed in then, and confirm that sign-in",
                   "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  auto& accounts = *f.accounts;
  using Change = Accounts::Change;
  f.set_password_and_totp();
  f.add_passkey("key");
  const auto all_are = [&](Change expected, const ChangedBy& by, Timestamp at) {
    CHECK(accounts.refuses_change(by, at) == expected);
    CHECK(accounts.add_passkey(by, passkey("x"), digest("x"), at.plus_millis(1), at) == expected);
    CHECK(accounts.remove_passkey(by, "key", at) == expected);
    CHECK(accounts.set_password(by, "x", at) == expected);
    CHECK(accounts.begin_totp(by, "x", at) == expected);
    CHECK(accounts.enable_totp(by, "sealed", 9, codes("x"), at) == expected);
    CHECK(accounts.remove_totp(by, at) == expected);
    CHECK(accounts.replace_recovery_codes(by, codes("x"), at) == expected);
  };
  CHECK_FALSE(accounts.refuses_change(f.by_ana(), after(10 * kMinute - 1)));
  all_are(Change::kUnconfirmed, f.by_ana(), after(10 * kMinute));
  all_are(Change::kSignInEnded, f.by_ana(), after(30 * kMinute));
  all_are(Change::kSignInEnded, {f.ana, f.invited("bea").sign_in}, kStart);
  accounts.end_sign_in(f.ana, sign_in_id("0"), kStart);
  all_are(Change::kSignInEnded, f.by_ana(), kStart);
  CHECK(accounts.password_account(f.ana)->password_hash == "hash");
  CHECK(accounts.has_recovery_code(f.ana, digest("code0")));
  CHECK_FALSE(accounts.begun_totp(f.ana));
}

TEMPLATE_TEST_CASE("a voided invitation signs no one in", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  f.accounts->issue_invitation(f.ana, digest("sent"), Accounts::Invites::kReset, kStart);
  f.accounts->void_invitations(f.ana);
  CHECK_FALSE(f.accounts->use_invitation(digest("sent"), sign_in("1"), kStart));
  CHECK(f.find("0", 0));
  f.accounts->issue_invitation(f.ana, digest("again"), Accounts::Invites::kReset, kStart);
  f.accounts->void_credentials(f.ana, kStart);
  CHECK_FALSE(f.accounts->use_invitation(digest("again"), sign_in("1"), kStart));
  CHECK_FALSE(f.find("0", 0));
  CHECK_FALSE(f.accounts->credentials(f.ana).suffice());
  CHECK(f.accounts->find_user(address("ana@example.com")));
}

TEMPLATE_TEST_CASE("a passkey is stored unchanged, belongs to one user, and confirms the first sign-in", "",
                   OnFiles, OnTables) {
  AccountFixture<TestType> f;
  CHECK(f.add_passkey("key", 3) == Accounts::Change::kDone);
  CHECK(f.find("0", 0)->is_confirmed(after(10 * kMinute - 1)));
  CHECK_FALSE(f.find("0", 0)->is_confirmed(after(10 * kMinute)));
  const auto bea = f.invited("bea");
  CHECK(f.add_passkey(bea, "key") == Accounts::Change::kKnown);
  const auto found = f.accounts->find_passkey("key");
  REQUIRE(found);
  CHECK(found->user == f.ana);
  CHECK(found->passkey.public_key == passkey("key").public_key);
  CHECK(found->passkey.algorithm == -7);
  CHECK(found->passkey.sign_count == 3);
  CHECK_FALSE(found->passkey.last_used_at);
  CHECK(f.accounts->passkeys(f.ana).at(0).name == "laptop");
  CHECK(f.accounts->passkeys(bea.user).empty());
  for (std::size_t i = 1; i < kPasskeysOfUserMax; ++i)
    REQUIRE(f.add_passkey("key" + std::to_string(i)) == Accounts::Change::kDone);
  CHECK(f.add_passkey("one more") == Accounts::Change::kTooMany);
}

TEMPLATE_TEST_CASE("a passkey's challenge is valid once, and not after its expiry", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  const auto add = [&](const std::string& credential, std::int64_t expires_ms) {
    return f.accounts->add_passkey(f.by_ana(), passkey(credential), digest("c"), after(expires_ms),
                                   after(10));
  };
  CHECK(add("a", 10) == Accounts::Change::kKnown);
  CHECK(add("a", 11) == Accounts::Change::kDone);
  CHECK(add("b", 11) == Accounts::Change::kKnown);
}

TEMPLATE_TEST_CASE("a passkey's signature signs in once, and its counter must be the one checked", "",
                   OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key", 3);
  auto& accounts = *f.accounts;
  CHECK(f.signs_in(f.ana, shown("key", "one", 3, 4), sign_in("1"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, shown("key", "one", 4, 5), sign_in("2"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, shown("key", "two", 3, 4), sign_in("2"), kStart));
  CHECK(f.signs_in(f.ana, shown("key", "two", 4, 5), sign_in("2"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, shown("key", "old", 5, 6), sign_in("3"), after(5 * kMinute)));
  CHECK_FALSE(f.signs_in(user_id("other"), shown("key", "three", 5, 6), sign_in("3"), kStart));
  CHECK(accounts.find_passkey("key")->passkey.sign_count == 5);
  CHECK(accounts.find_passkey("key")->passkey.last_used_at == kStart);
  CHECK(f.find("2", 0)->method == SignInMethod::kPasskey);
  CHECK_FALSE(f.find("3", 0));
}

TEMPLATE_TEST_CASE("a one-time code's step is valid once, and no earlier one after it", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  auto& accounts = *f.accounts;
  const auto account = accounts.password_account(address("ANA@example.com"));
  REQUIRE(account);
  CHECK(account->user == f.ana);
  CHECK(account->password_hash == "hash");
  CHECK(account->totp->sealed == "sealed");
  CHECK(account->totp->last_step == 7);
  CHECK_FALSE(f.signs_in(f.ana, TotpShown{"hash", 7}, sign_in("1"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, TotpShown{"another", 8}, sign_in("1"), kStart));
  CHECK(f.signs_in(f.ana, TotpShown{"hash", 9}, sign_in("1"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, TotpShown{"hash", 8}, sign_in("2"), kStart));
  CHECK_FALSE(accounts.password_account(address("bea@example.com")));
  CHECK(accounts.password_account(f.ana)->totp->last_step == 9);
}

TEMPLATE_TEST_CASE(
    "a secret for one-time codes takes effect with a code, and the one before stays until then", "", OnFiles,
    OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  auto& accounts = *f.accounts;
  accounts.begin_totp(f.by_ana(), "other", kStart);
  CHECK(accounts.begun_totp(f.ana) == "other");
  CHECK(accounts.password_account(f.ana)->totp->sealed == "sealed");
  CHECK(accounts.enable_totp(f.by_ana(), "sealed", 9, codes("new"), kStart) == Accounts::Change::kUnknown);
  CHECK(accounts.has_recovery_code(f.ana, digest("code0")));
  CHECK(accounts.enable_totp(f.by_ana(), "other", 9, codes("new"), kStart) == Accounts::Change::kDone);
  CHECK(accounts.password_account(f.ana)->totp->sealed == "other");
  CHECK_FALSE(accounts.begun_totp(f.ana));
  CHECK_FALSE(accounts.has_recovery_code(f.ana, digest("code0")));
  CHECK(accounts.credentials(f.ana).recovery_codes == kRecoveryCodes);
}

TEMPLATE_TEST_CASE("a recovery code is valid once, and so are those that replace it", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  f.set_password_and_totp();
  auto& accounts = *f.accounts;
  CHECK(f.signs_in(f.ana, RecoveryCodeShown{"hash", digest("code3")}, sign_in("1"), kStart));
  CHECK_FALSE(f.signs_in(f.ana, RecoveryCodeShown{"hash", digest("code3")}, sign_in("2"), kStart));
  CHECK(accounts.credentials(f.ana).recovery_codes == kRecoveryCodes - 1);
  CHECK(accounts.replace_recovery_codes(f.by_ana(), codes("new"), kStart) == Accounts::Change::kDone);
  CHECK(accounts.credentials(f.ana).recovery_codes == kRecoveryCodes);
  CHECK_FALSE(f.signs_in(f.ana, RecoveryCodeShown{"hash", digest("code4")}, sign_in("2"), kStart));
  CHECK(f.find("1", 0)->method == SignInMethod::kRecoveryCode);
}

TEMPLATE_TEST_CASE("the last means to sign in cannot be removed", "", OnFiles, OnTables) {
  AccountFixture<TestType> f;
  auto& accounts = *f.accounts;
  f.add_passkey("key");
  CHECK(accounts.remove_passkey(f.by_ana(), "another", kStart) == Accounts::Change::kUnknown);
  CHECK(accounts.remove_passkey(f.invited("other"), "key", kStart) == Accounts::Change::kUnknown);
  CHECK(accounts.remove_passkey(f.by_ana(), "key", kStart) == Accounts::Change::kLastMeans);
  CHECK(accounts.passkeys(f.ana).size() == 1);
  CHECK(accounts.remove_totp(f.by_ana(), kStart) == Accounts::Change::kUnknown);
  f.set_password_and_totp();
  CHECK(accounts.remove_passkey(f.by_ana(), "key", kStart) == Accounts::Change::kDone);
  CHECK(accounts.remove_totp(f.by_ana(), kStart) == Accounts::Change::kLastMeans);
  CHECK(accounts.credentials(f.ana).recovery_codes == kRecoveryCodes);
  f.add_passkey("second");
  CHECK(accounts.remove_totp(f.by_ana(), kStart) == Accounts::Change::kDone);
  CHECK(accounts.credentials(f.ana).recovery_codes == 0);
}

TEMPLATE_TEST_CASE("no data of a removed user is left, and their address can be used again", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  f.add_passkey("key");
  f.set_password_and_totp();
  f.accounts->remove_user_without_use(f.ana);
  CHECK(f.accounts->find_user(address("ana@example.com")));
  f.accounts->issue_invitation(f.ana, digest("added again"), Accounts::Invites::kReset, after(2));
  f.accounts->remove_user(f.ana, after(1));
  CHECK(f.accounts->find_user(address("ana@example.com")));
  f.accounts->remove_user(f.ana, after(2));
  CHECK_FALSE(f.accounts->find_user(address("ana@example.com")));
  CHECK_FALSE(f.find("0", 0));
  CHECK_FALSE(f.accounts->find_passkey("key"));
  CHECK_FALSE(f.accounts->user_state(f.ana, kStart));
  const auto again = f.accounts->make_user(address("ana@example.com"), user_id("new"), kStart);
  CHECK(again.id == user_id("new"));
  CHECK_FALSE(f.accounts->credentials(again.id).suffice());
}

TEMPLATE_TEST_CASE("a user without a membership is removed, unless they were invited meanwhile", "", OnFiles,
                   OnTables) {
  AccountFixture<TestType> f;
  const auto bea = f.accounts->make_user(address("bea@example.com"), user_id("bea"), kStart).id;
  const auto rui = f.accounts->make_user(address("rui@example.com"), user_id("rui"), kStart).id;
  REQUIRE(f.accounts->issue_invitation(rui, digest("for rui"), Accounts::Invites::kNewcomer, kStart));
  f.accounts->remove_user_without_use(bea);
  f.accounts->remove_user_without_use(rui);
  CHECK_FALSE(f.accounts->find_user(address("bea@example.com")));
  CHECK(f.accounts->find_user(address("rui@example.com")));
}

TEST_CASE("a removed user's address is in no byte of the file while others have it open") {
  AccountFixture<OnFiles> f;
  const auto others = f.engine.accounts();
  const auto address_is_there = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(f.engine.data().accounts()))
      if (read_if_there(entry.path()).value_or("").find("ana@example.com") != std::string::npos) return true;
    return false;
  };
  CHECK(address_is_there());
  f.accounts->remove_user(f.ana, kStart);
  CHECK_FALSE(address_is_there());
}
