#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/internet_address.h"
#include "stores/emails/email_repository.h"
#include "workers/emails/email_composer.h"

namespace pixledger::workers {

enum class EmailResult {
  kAccepted,  // stored durably by the next hop
  kRefused,   // permanently rejected
  kCapped,    // daily share of its project or recipient used up
  kFailed,    // try again later
};
// "accepted"
std::string_view to_string(EmailResult result);

struct EmailAttempt {
  EmailResult result;
  // One short line about the error, without the peer's text, which may name the recipient.
  std::string error;
};

// A destination of e-mails. Used by one thread.
class EmailTransport {
 public:
  virtual ~EmailTransport() = default;
  // Returns all delivery errors as a result, not as an exception.
  virtual EmailAttempt deliver(const OutgoingEmail& email) = 0;
  // The recipient of this e-mail was erased, perhaps during delivery: undoes what it can.
  virtual void withdraw(const std::string&) {}
  // There is nothing to deliver at the moment.
  virtual void rest() {}
};

using EmailTransportFactory = std::function<std::unique_ptr<EmailTransport>()>;

// Removes an e-mail and temporary files that a crash may have left. Returns whether it existed.
bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name);

// Removes e-mails whose files were last written before a time, and returns how many. A missing directory
// counts as empty. Throws std::system_error.
std::uint64_t remove_old_from_outbox(const std::filesystem::path& directory,
                                     std::filesystem::file_time_type before);

// Writes e-mails to a directory as NAME.eml, mode 0600, atomically and durably. An existing file is written
// again with the same bytes.
class EmailOutbox final : public EmailTransport {
 public:
  // Creates a missing directory, for its owner only. Throws std::system_error.
  explicit EmailOutbox(std::filesystem::path directory);

  EmailAttempt deliver(const OutgoingEmail& email) override;
  void withdraw(const std::string& name) override { remove_from_outbox(directory_, name); }

 private:
  const std::filesystem::path directory_;
};

// For e-mails that may be neither sent nor stored. When machines share the ledger, erasing a customer on one
// machine does not find files on another.
class NoOutbox final : public EmailTransport {
 public:
  EmailAttempt deliver(const OutgoingEmail&) override { return {EmailResult::kAccepted, ""}; }
};

// Any holder of a test key can make the sandbox mail arbitrary text to an arbitrary address in the operator's
// name. So sandbox e-mails are marked as tests, limited per day, and restricted by the operator.

// Which sandbox e-mails go to the mail server; the others go to the outbox.
enum class SandboxMail { kAll, kListed, kOutbox };
std::optional<SandboxMail> parse_sandbox_mail(std::string_view text);  // all, listed, outbox

struct SandboxMailRule {
  SandboxMail which = SandboxMail::kAll;
  std::vector<EmailAddress> listed = {};
};

// The address without what does not change the mailbox: case, and the part after a plus.
std::string mailbox_of(std::string_view address);

// Takes an e-mail from today's share of its project and recipient; see EmailRepository.
using SandboxBudget = std::function<stores::SandboxShare(const OutgoingEmail& email)>;

// Sends live e-mails, and sandbox e-mails that the rule allows, to the mail server; the rest goes to the
// outbox. The budget limits sandbox e-mails in both, and is checked at the first attempt only. For one
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
  std::string has_share_;  // the e-mail within the budget, until its delivery has ended
};

}  // namespace pixledger::workers
