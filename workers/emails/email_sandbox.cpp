#include "workers/emails/email_sandbox.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace pixledger::workers {

using stores::SandboxShare;

std::optional<SandboxMail> parse_sandbox_mail(std::string_view text) {
  if (text == "all") return SandboxMail::kAll;
  if (text == "listed") return SandboxMail::kListed;
  if (text == "outbox") return SandboxMail::kOutbox;
  return std::nullopt;
}

std::string mailbox_of(std::string_view address) {
  const auto at = address.find('@');
  std::string mailbox(address.substr(0, std::min(at, address.find('+'))));
  mailbox += address.substr(at);
  std::transform(mailbox.begin(), mailbox.end(), mailbox.begin(), to_ascii_lower);
  return mailbox;
}

bool SandboxTransport::goes_out(std::string_view address) const {
  if (rule_.which != SandboxMail::kListed) return rule_.which == SandboxMail::kAll;
  return std::any_of(rule_.listed.begin(), rule_.listed.end(),
                     [address](const auto& listed) { return equal_without_case(listed.text(), address); });
}

EmailAttempt SandboxTransport::deliver(const OutgoingEmail& email) {
  if (!email.sandbox_of) return server_->deliver(email);
  auto& way = goes_out(email.to) ? *server_ : *outbox_;
  if (email.attempts_before > 0) return way.deliver(email);
  // A delivery that the system refuses throws, and is repeated as the same attempt.
  const auto share = has_share_ == email.name ? SandboxShare::kLeft : budget_(email);
  if (share == SandboxShare::kLeft) {
    has_share_ = email.name;
    auto attempt = way.deliver(email);
    has_share_.clear();
    return attempt;
  }
  return {EmailResult::kCapped, share == SandboxShare::kUsedByProject
                                    ? "the project has had its sandbox e-mails of the day"
                                    : "the recipient has had its sandbox e-mails of the day"};
}

}  // namespace pixledger::workers
