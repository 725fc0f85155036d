#include "eventstore/keys/user_tokens.h"

#include "eventstore/keys/base62.h"

namespace pixledger::eventstore {
namespace {

NewUserToken make_token(std::string_view start, Entropy& entropy) {
  auto text = std::string(start) + random_base62(entropy);
  const auto hash = sha256(text);
  return {std::move(text), hash};
}

}  // namespace

NewUserToken make_sign_in_token(Entropy& entropy) { return make_token(kSignInTokenStart, entropy); }

NewUserToken make_invitation_token(Entropy& entropy) { return make_token(kInvitationTokenStart, entropy); }

bool is_sign_in_token(std::string_view text) {
  return text.size() == kSignInTokenStart.size() + kRandomBase62Characters &&
         text.starts_with(kSignInTokenStart) &&
         text.find_first_not_of(kBase62, kSignInTokenStart.size()) == std::string_view::npos;
}

std::string invitation_url(const std::string& dashboard_url, const std::string& token) {
  return dashboard_url + "/#/convite/" + token;
}

}  // namespace pixledger::eventstore
