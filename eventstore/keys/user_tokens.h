#pragma once

#include <string>
#include <string_view>

#include "base/platform/entropy.h"
#include "base/platform/sha256.h"

// The texts that let somebody in: who holds one is that user. Each is a prefix and 43 base62 characters of
// 256 random bits. Only the SHA-256 of the whole text is ever stored; 256 random bits need no slow hash.
namespace pixledger::eventstore {

inline constexpr std::string_view kSignInTokenStart = "us_";
inline constexpr std::string_view kInvitationTokenStart = "ui_";

struct NewUserToken {
  std::string text;
  Digest hash;
};

NewUserToken make_sign_in_token(Entropy& entropy);
NewUserToken make_invitation_token(Entropy& entropy);

// By its form alone.
bool is_sign_in_token(std::string_view text);

// Where an invitation is opened: in the fragment, so that no server's log holds it.
std::string invitation_url(const std::string& dashboard_url, const std::string& token);

}  // namespace pixledger::eventstore
