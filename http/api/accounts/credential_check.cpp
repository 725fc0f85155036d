#include "http/api/accounts/credential_check.h"

#include "base/platform/clock.h"
#include "http/accounts/password_hash.h"
#include "http/accounts/recovery_codes.h"
#include "http/accounts/totp.h"
#include "http/accounts/webauthn.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

// In the place of who is not there.
domain::UserId nobody() { return *domain::UserId::parse("cnobodysaccount"); }
std::string no_secret() { return std::string(20, '\0'); }

}  // namespace

std::optional<Judged> judge_passkey(const Services& services, const PasskeyInput& input,
                                    ChallengePurpose purpose, std::string_view whose) {
  const auto challenge =
      find_challenge(input.challenge_id, purpose, whose, services.keyring, services.clock.now());
  const auto found = services.accounts.find_passkey(input.credential);
  if (!challenge || !found) return std::nullopt;
  // Absent where the browser was told which passkeys there are (Web Authentication, Level 2, §7.2 step 6).
  const bool names_user = purpose == ChallengePurpose::kConfirm && input.user_handle.empty();
  if (!names_user && input.user_handle != found->user.text()) return std::nullopt;
  const auto& passkey = found->passkey;
  const auto count = verify_assertion(
      {.client_data = input.client_data,
       .authenticator_data = input.authenticator_data,
       .signature = input.signature},
      {.public_key = passkey.public_key, .algorithm = passkey.algorithm, .sign_count = passkey.sign_count},
      challenge->bytes, services.relying_party);
  if (!count) return std::nullopt;
  return Judged{.user = found->user,
                .shown = stores::PasskeyShown{.credential = passkey.credential,
                                              .count_before = passkey.sign_count,
                                              .count = *count,
                                              .challenge = challenge->bytes,
                                              .challenge_expires_at = challenge->expires_at}};
}

std::optional<Judged> judge_password(const Services& services,
                                     const std::optional<stores::PasswordAccount>& account,
                                     const PasswordInput& input) {
  const auto user = account ? account->user : nobody();
  const auto hash = account ? account->password_hash : std::nullopt;
  // Before the password is hashed, which is what costs: nothing limits recovery codes, and none can be
  // guessed.
  const auto code = input.recovery_code ? recovery_code_hash(user, *input.recovery_code) : std::nullopt;
  if (!input.totp && (!code || !services.accounts.has_recovery_code(user, *code))) return std::nullopt;
  const bool is_right = is_password(hash, input.password);
  if (input.totp) {
    const bool has_totp = account && account->totp;
    const auto secret = has_totp ? unseal_totp(user, account->totp->sealed, services.keyring) : no_secret();
    const auto step =
        find_totp_step(secret, *input.totp, has_totp ? account->totp->last_step : 0, services.clock.now());
    if (!is_right || !has_totp || !step) return std::nullopt;
    return Judged{.user = user, .shown = stores::TotpShown{.password_hash = *hash, .step = *step}};
  }
  if (!is_right) return std::nullopt;
  return Judged{.user = user, .shown = stores::RecoveryCodeShown{.password_hash = *hash, .code = *code}};
}

}  // namespace pixledger::http
