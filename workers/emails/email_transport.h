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
  kAccepted,  // the next station has it, durably
  kRefused,   // it will never take this e-mail
  kCapped,    // its project or recipient has had its share of the day
  kFailed,    // try again later
};

struct EmailAttempt {
  EmailResult result;
  // One short line about what went wrong: never what the other side wrote, which may name the recipient.
  std::string error;
};

// Where e-mails go. Used by one thread.
class EmailTransport {
 public:
  virtual ~EmailTransport() = default;
  // Whatever goes wrong on the way is a result, not an exception.
  virtual EmailAttempt deliver(const OutgoingEmail& email) = 0;
  // The recipient of the e-mail of this name was erased, perhaps while it was being delivered: what can still
  // be undone is.
  virtual void withdraw(const std::string&) {}
  // Nothing is to be delivered for the moment.
  virtual void rest() {}
};

using EmailTransportFactory = std::function<std::unique_ptr<EmailTransport>()>;

// Removes an e-mail, and what a crash may have left of its making. Returns whether it was there.
bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name);

// Removes e-mails whose files were last written before a moment, and returns how many. A missing directory
// counts as empty. Throws std::system_error.
std::uint64_t remove_old_from_outbox(const std::filesystem::path& directory,
                                     std::filesystem::file_time_type before);

// Writes e-mails to a directory as NAME.eml, mode 0600, whole and durable or not at all. One that is there
// already is written again with the same bytes.
class EmailOutbox final : public EmailTransport {
 public:
  // Makes the directory, for its owner alone, where there is none. Throws std::system_error.
  explicit EmailOutbox(std::filesystem::path directory);

  EmailAttempt deliver(const OutgoingEmail& email) override;
  void withdraw(const std::string& name) override { remove_from_outbox(directory_, name); }

 private:
  const std::filesystem::path directory_;
};

// For e-mails that are not to be sent where nobody may keep them either: machines share the ledger, and what
// lies in one's directory is not found by who erases a customer on another.
class NoOutbox final : public EmailTransport {
 public:
  EmailAttempt deliver(const OutgoingEmail&) override { return {EmailResult::kAccepted, ""}; }
};

// Anybody with a test key has the sandbox mail an address of their choice, in words of theirs and in the
// operator's name. What goes out is therefore marked as a test, limited a day, and as little as the operator
// wants.

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
