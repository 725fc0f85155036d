#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/keyring.h"

// What a passkey signs, so that a signature is good once (Web Authentication, Level 2, §13.4.3). Challenges
// are made by whoever wants to sign in, so none is kept: the id says when it was made, and 128 random bits;
// the challenge is a code of that, what it is for and for whom, which only the keyring's holder can make. A
// database has only those that were spent, until their time is over.
namespace pixledger::http {

inline constexpr std::int64_t kChallengeMs = 5 * 60 * 1'000;

enum class ChallengePurpose { kSignIn, kRegister, kConfirm };

struct Challenge {
  std::string id;  // base64url
  Digest bytes;
  Timestamp expires_at;
};

// `whose`: what it is bound to, a sign-in's id; empty where nobody has signed in yet.
Challenge make_challenge(ChallengePurpose purpose, std::string_view whose, const eventstore::Keyring& keyring,
                         Entropy& entropy, Timestamp now);

// The challenge of that id, for this purpose and whoever that is: another's does not fit what was signed.
// nullopt where it is no id, or its time is over.
std::optional<Challenge> find_challenge(std::string_view id, ChallengePurpose purpose, std::string_view whose,
                                        const eventstore::Keyring& keyring, Timestamp now);

}  // namespace pixledger::http
