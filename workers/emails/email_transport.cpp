#include "workers/emails/email_transport.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <system_error>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "base/text/ascii.h"
#include "base/text/enum_names.h"

namespace pixledger::workers {

std::string_view to_string(EmailResult result) {
  return EnumNames<EmailResult::kAccepted, EmailResult::kFailed>("accepted", "refused", "capped", "failed")
      .of(result);
}

bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name) {
  std::filesystem::remove(directory / (name + ".eml.new"));
  return std::filesystem::remove(directory / (name + ".eml"));
}

std::uint64_t remove_old_from_outbox(const std::filesystem::path& directory,
                                     std::filesystem::file_time_type before) {
  if (!std::filesystem::is_directory(directory)) return 0;
  std::uint64_t removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with(".eml") && !name.ends_with(".eml.new")) continue;
    // Another process, such as an erasure, may have removed it.
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(entry.path(), gone);
    if (gone || written >= before) continue;
    if (std::filesystem::remove(entry.path())) ++removed;
  }
  return removed;
}

EmailOutbox::EmailOutbox(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::system_error(errno, std::generic_category(), "cannot make " + directory_.string());
  // Another sender may have made it and not synced it yet.
  sync_directory(std::filesystem::absolute(directory_).parent_path());
}

EmailAttempt EmailOutbox::deliver(const OutgoingEmail& email) {
  try {
    write_durably(directory_ / (email.name + ".eml"), email.bytes);
  } catch (const std::system_error& error) {
    // The e-mail waits until there is disk space: no attempt was made.
    if (describe_refusal(error.code().default_error_condition().value())) throw;
    return {EmailResult::kFailed, error.what()};
  }
  return {EmailResult::kAccepted, ""};
}

using stores::SandboxShare;

std::optional<SandboxMail> parse_sandbox_mail(std::string_view text) {
  return EnumNames<SandboxMail::kAll, SandboxMail::kOutbox>("all", "listed", "outbox").parse(text);
}

std::string mailbox_of(std::string_view address) {
  const auto at = address.find('@');
  return to_lower_case(address.substr(0, std::min(at, address.find('+')))) +
         to_lower_case(address.substr(at));
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
  // A delivery that the system refuses throws, and is retried as the same attempt.
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
