#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "stores/accounts/account_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/database_engines.h"

// Fixtures for the tests of the accounts' database.
namespace pixledger::tests {

using namespace stores;
using Accounts = AccountRepository;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

inline Timestamp after(std::int64_t ms) { return kStart.plus_millis(ms); }
inline UserId user_id(const std::string& name) { return parsed<UserId>("cuser000" + name); }
inline SignInId sign_in_id(const std::string& name) { return parsed<SignInId>("csign000" + name); }
inline EmailAddress address(const std::string& text) { return parsed<EmailAddress>(text); }
inline Digest digest(const std::string& text) { return sha256(text); }

inline const AttemptFrom kHere{"203.0.113.7"};

inline NewSignIn sign_in(const std::string& name) {
  return {sign_in_id(name), digest("token " + name), "203.0.113.7", "a browser"};
}

inline Passkey passkey(const std::string& credential, std::uint32_t count = 0) {
  return {.credential = credential,
          .name = "laptop",
          .public_key = std::string("\x30\x59\0\xff", 4),
          .algorithm = -7,
          .sign_count = count};
}

inline PasskeyShown shown(const std::string& credential, const std::string& challenge,
                          std::uint32_t before = 0, std::uint32_t count = 0) {
  return {credential, before, count, digest(challenge), after(5 * kMinute)};
}

inline std::array<Digest, kRecoveryCodes> codes(const std::string& name) {
  std::array<Digest, kRecoveryCodes> made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = digest(name + std::to_string(i));
  return made;
}

// One user, ana, who has signed in by her invitation.
template <class Engine>
struct AccountFixture {
  Engine engine;
  std::unique_ptr<Accounts> accounts = engine.accounts();
  UserId ana = accounts->make_user(address("ana@example.com"), user_id("ana"), kStart).id;

  AccountFixture() {
    accounts->issue_invitation(ana, digest("invitation"), Accounts::Invites::kNewcomer, kStart);
    accounts->use_invitation(digest("invitation"), sign_in("0"), kStart);
  }
  ChangedBy by_ana() const { return {ana, sign_in_id("0")}; }
  Accounts::Change add_passkey(const std::string& credential, std::uint32_t count = 0) {
    return add_passkey(by_ana(), credential, count);
  }
  Accounts::Change add_passkey(const ChangedBy& by, const std::string& credential, std::uint32_t count = 0) {
    return accounts->add_passkey(by, passkey(credential, count), digest("for " + credential),
                                 after(5 * kMinute), kStart);
  }
  void set_password_and_totp() {
    REQUIRE(accounts->set_password(by_ana(), "hash", kStart) == Accounts::Change::kDone);
    REQUIRE(accounts->begin_totp(by_ana(), "sealed", kStart) == Accounts::Change::kDone);
    REQUIRE(accounts->enable_totp(by_ana(), "sealed", 7, codes("code"), kStart) == Accounts::Change::kDone);
  }
  bool signs_in(const UserId& user, const CredentialShown& given, const NewSignIn& made, Timestamp at) {
    return accounts->add_sign_in(user, given, kHere, made, at) == Accounts::SigningIn::kDone;
  }
  // Another user, who has signed in by an invitation.
  ChangedBy invited(const std::string& name) {
    const auto user = accounts->make_user(address(name + "@example.com"), user_id(name), kStart).id;
    accounts->issue_invitation(user, digest("for " + name), Accounts::Invites::kNewcomer, kStart);
    REQUIRE(accounts->use_invitation(digest("for " + name), sign_in(name), kStart) == user);
    return {user, sign_in_id(name)};
  }
  std::optional<SignIn> find(const std::string& name, std::int64_t at_ms) {
    return accounts->find_sign_in(digest("token " + name), after(at_ms));
  }
};

}  // namespace pixledger::tests
