#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "eventstore/ledger.h"
#include "eventstore/platform/lower_priority.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/option_rules.h"
#include "eventstore/process/options.h"
#include "projections/emails/email_store.h"
#include "workers/common/initial_cursor.h"
#include "workers/common/resume_from.h"
#include "workers/common/worker_process.h"
#include "workers/emails/email_outbox.h"
#include "workers/emails/email_smtp.h"
#include "workers/emails/email_worker.h"

namespace {

using namespace pixledger;
using eventstore::UsageError;

constexpr double kAttemptTimeoutMaxSeconds = 300;
// A question may take longer than the attempt that asked it, and the next attempt asks again.
constexpr std::size_t kResolversPerSender = 2;
// Of `.eml` files when no address is given: a name that no mail server takes (RFC 2606).
constexpr std::string_view kOutboxFrom = "nao-responda@pixledger.invalid";

struct Options {
  eventstore::CommonOptions common;
  std::string smtp;
  std::string smtp_tls = "starttls";
  std::string smtp_user;
  std::filesystem::path smtp_password_file;
  std::string smtp_from;
  std::string ca_file;
  std::string retry_schedule;
  double attempt_timeout_seconds = 30;
  std::string resume_from;
};

void add_options(CLI::App& app, Options& options) {
  eventstore::add_common_options(app, options.common);
  app.add_option(
      "--smtp", options.smtp,
      "HOST:PORT of the mail server; without it e-mails are written to the data directory's outbox");
  app.add_option("--smtp-tls", options.smtp_tls, "off, starttls or tls")->capture_default_str();
  app.add_option("--smtp-user", options.smtp_user, "User to log in as; none unless given");
  app.add_option("--smtp-password-file", options.smtp_password_file, "File with the user's password")
      ->check(eventstore::must_not_be_a_directory);
  app.add_option("--smtp-from", options.smtp_from, "Address that e-mails come from");
  app.add_option("--ca-file", options.ca_file, "Certificates to trust beyond the system's, PEM")
      ->check(eventstore::must_not_be_a_directory);
  app.add_option("--retry-schedule", options.retry_schedule, "Delays before the attempts, such as 0,5s,2min");
  app.add_option("--attempt-timeout", options.attempt_timeout_seconds, "Seconds for a whole attempt")
      ->capture_default_str()
      ->check(CLI::Range(0.001, kAttemptTimeoutMaxSeconds));
  app.add_option(
      "--resume-from", options.resume_from,
      "Where to begin without state: beginning, head, or the first position to handle. After a restore "
      "also restored: where the state ends");
}

// The file's only line.
std::string read_password(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string password{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  if (!password.empty() && password.back() == '\n') password.pop_back();
  if (!password.empty() && password.back() == '\r') password.pop_back();
  if (password.empty() || password.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    throw UsageError("--smtp-password-file must hold the password in one line");
  return password;
}

std::optional<workers::SmtpCredentials> credentials(const Options& options, workers::SmtpTls tls) {
  if (options.smtp_user.empty() != options.smtp_password_file.empty())
    throw UsageError("--smtp-user and --smtp-password-file belong together");
  if (options.smtp_user.empty()) return std::nullopt;
  if (tls == workers::SmtpTls::kOff)
    throw UsageError("--smtp-user needs --smtp-tls starttls or tls: a password is never sent in plain text");
  return workers::SmtpCredentials{options.smtp_user, read_password(options.smtp_password_file)};
}

domain::EmailAddress from_address(const Options& options) {
  if (!options.smtp.empty() && options.smtp_from.empty()) throw UsageError("--smtp needs --smtp-from");
  return eventstore::parse_option<domain::EmailAddress>(
      "--smtp-from", options.smtp_from.empty() ? kOutboxFrom : options.smtp_from);
}

// nullopt without a mail server.
std::optional<workers::SmtpOptions> smtp_options(const Options& options) {
  if (options.smtp.empty()) return std::nullopt;
  const auto tls = workers::parse_smtp_tls(options.smtp_tls);
  if (!tls) throw UsageError("--smtp-tls must be off, starttls or tls");
  workers::SmtpOptions smtp{eventstore::parse_option<eventstore::HostPort>("--smtp", options.smtp), *tls,
                            credentials(options, *tls), from_address(options), options.ca_file};
  smtp.attempt_timeout = std::chrono::milliseconds(std::lround(options.attempt_timeout_seconds * 1000));
  return smtp;
}

int run(const Options& options) {
  // To answer goes before to tell about it: what there is to send goes out while the server waits for its
  // disk.
  eventstore::lower_priority(eventstore::Priority::kAfterServer);
  eventstore::SystemClock clock;
  eventstore::SystemEntropy entropy;
  eventstore::Logger logger(options.common.log_format, clock);
  const auto ledger = eventstore::Ledger::open(options.common.data, options.common.lmdb());

  const auto directory = options.common.data.worker("emails");
  const auto lock = workers::stand_by(directory / "lock", logger);
  if (!lock) return eventstore::kExitDone;

  projections::EmailStore store(directory / "emails.sqlite");
  // Before the mail server's options are looked at: where to begin is known now, and would be a guess once
  // they have been put right, since charges may be paid until then.
  if (const auto start = workers::choose_start(store.cursor(), *ledger.log, options.resume_from,
                                               &workers::start_without_charges))
    store.add({}, *start);
  const auto smtp = smtp_options(options);
  const auto from = from_address(options);
  workers::EmailWorkerOptions settings;
  if (!options.retry_schedule.empty())
    settings.schedule =
        eventstore::parse_option<workers::RetrySchedule>("--retry-schedule", options.retry_schedule);
  workers::DeadlineWatch watch;
  const eventstore::SystemResolver system_resolver;
  eventstore::BoundedResolver resolver(system_resolver, kResolversPerSender * settings.senders);
  settings.make_transport = [&]() -> std::unique_ptr<workers::EmailTransport> {
    if (smtp) return std::make_unique<workers::SmtpTransport>(*smtp, watch, resolver);
    return std::make_unique<workers::EmailOutbox>(options.common.data.root / "outbox");
  };
  const workers::EmailComposer composer(*ledger.log, from);
  workers::EmailWorker worker({*ledger.log, clock, entropy, logger, store, composer}, settings);
  logger.info("the e-mail worker is at work", {{"to", smtp ? smtp->server.text() : "outbox"}});
  workers::serve_until_stopped([&worker] { worker.check(); });
  worker.stop();
  logger.info("the e-mail worker has stopped");
  return eventstore::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  eventstore::block_stop_signals();
  CLI::App app("Confirms purchases to customers by e-mail");
  Options options;
  add_options(app, options);
  return eventstore::run_main(app, options.common, argc, argv, eventstore::ProgramKind::kService,
                              [&] { return workers::with_poco_texts([&] { return run(options); }); });
}
