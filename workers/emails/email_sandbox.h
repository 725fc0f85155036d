#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/email_address.h"
#include "stores/emails/email_repository.h"
#include "workers/emails/email_transport.h"

// Anybody with a test key has the sandbox mail an address of their choice, in words of theirs and in the
// operator's name. What goes out is therefore marked as a test, limited a day, and as little as the operator
// wants.
namespace pixledger::workers {

// Whose e-mails of the sandbox go to the mail server; the others are written to the outbox.
enum class SandboxMail { kAll, kListed, kOutbox };
std::optional<SandboxMail> parse_sandbox_mail(std::string_view text);  // all, listed, outbox

struct SandboxMailRule {
  SandboxMail which = SandboxMail::kAll;
  std::vector<EmailAddress> listed = {};
};

// An address without what may differ while the mailbox stays: case, and what follows a plus.
std::string mailbox_of(std::string_view address);

// Takes an e-mail off what its project and its recipient may still have today; see EmailRepository.
using SandboxBudget = std::function<stores::SandboxShare(const OutgoingEmail& email)>;

// Sends live e-mails, and those of the sandbox that the rule allows, to the mail server; the rest goes to the
// outbox. The budget limits e-mails of the sandbox in both, and is checked at the first attempt only. For one
// thread.
class SandboxTransport final : public EmailTransport {
 public:
  SandboxTransport(std::unique_ptr<EmailTransport> server, std::unique_ptr<EmailTransport> outbox,
                   SandboxMailRule rule, SandboxBudget budget)
      : server_(std::move(server)),
        outbox_(std::move(outbox)),
        rule_(std::move(rule)),
        budget_(std::move(budget)) {}

  EmailAttempt deliver(const OutgoingEmail& email) override;
  void withdraw(const std::string& name) override {
    server_->withdraw(name);
    outbox_->withdraw(name);
  }
  void rest() override { server_->rest(); }

 private:
  bool goes_out(std::string_view address) const;

  const std::unique_ptr<EmailTransport> server_;
  const std::unique_ptr<EmailTransport> outbox_;
  const SandboxMailRule rule_;
  const SandboxBudget budget_;
  std::string has_share_;  // the e-mail that was within the budget, while its delivery has not ended
};

}  // namespace pixledger::workers
