#include <cmath>
#include <fstream>
#include <iterator>

#include "base/platform/process_limits.h"
#include "base/platform/signals.h"
#include "base/process/service_options.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "stores/databases/worker_databases.h"
#include "workers/common/mains.h"
#include "workers/common/resume_from.h"
#include "workers/common/worker_process.h"
#include "workers/emails/email_smtp.h"
#include "workers/emails/email_transport.h"
#include "workers/emails/email_worker.h"

namespace {

using namespace pixledger;

// A query may take longer than its attempt, and the next attempt queries again.
constexpr std::size_t kResolversPerSender = 2;
// Sender of `.eml` files if no address is configured: a name that no mail server accepts (RFC 2606).
constexpr std::string_view kOutboxFrom = "nao-responda@pixledger.invalid";

struct Options {
  eventstore::LedgerOptions common;
  EmailsOptions emails;
};

// Returns the file's only line.
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

std::optional<workers::SmtpCredentials> credentials(const EmailsOptions& given) {
  if (given.smtp_user.empty()) return std::nullopt;
  return workers::SmtpCredentials{given.smtp_user, read_password(given.smtp_password_file)};
}

EmailAddress from_address(const EmailsOptions& given) {
  return parse_option<EmailAddress>("--smtp-from", given.smtp_from.empty() ? kOutboxFrom : given.smtp_from);
}

// Nullopt without a mail server.
std::optional<workers::SmtpOptions> smtp_options(const EmailsOptions& given) {
  pixledger::refuse(check(given));
  if (given.smtp.empty()) return std::nullopt;
  workers::SmtpOptions smtp{HostPort::parse(given.smtp).value(),
                            workers::parse_smtp_tls(given.smtp_tls).value(), credentials(given),
                            from_address(given), given.ca_file};
  smtp.attempt_timeout = std::chrono::milliseconds(std::lround(given.attempt_timeout_s * 1000));
  return smtp;
}

workers::SandboxMailRule sandbox_rule(const EmailsOptions& given) {
  workers::SandboxMailRule rule{workers::parse_sandbox_mail(given.sandbox_mail).value()};
  for (const auto& address : given.sandbox_mail_to)
    rule.listed.push_back(EmailAddress::parse(address).value());
  return rule;
}

// Removes old e-mails from the outbox once an hour. Without a mail server nothing else removes them.
class OutboxKeeper {
 public:
  OutboxKeeper(std::filesystem::path directory, std::uint32_t days, Logger& logger)
      : directory_(std::move(directory)), days_(days), logger_(logger) {}

  void look() {
    if (days_ == 0 || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + std::chrono::hours(1);
    try {
      const auto removed = workers::remove_old_from_outbox(
          directory_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24) * days_);
      if (removed > 0)
        logger_.info("old e-mails were removed from the outbox", {{"count", removed}, {"days", days_}});
    } catch (const std::exception& error) {
      logger_.warning("old e-mails could not be removed from the outbox", {{"fault", error.what()}});
    }
  }

 private:
  const std::filesystem::path directory_;
  const std::uint32_t days_;
  Logger& logger_;
  std::chrono::steady_clock::time_point next_{};
};

std::string sends_to(const Options& options) {
  return options.emails.smtp.empty() ? "outbox" : options.emails.smtp;
}

int run(Options& options) {
  // Answering API requests has priority over sending e-mails, which go out while the server waits for its
  // disk.
  lower_priority(Priority::kAfterServer);
  SystemClock clock;
  SystemEntropy entropy;
  Logger logger(options.common.log_format, clock);
  const auto ledger = eventstore::Ledger::open(options.common);

  const auto databases = stores::WorkerDatabases::of(options.common.data);
  if (databases.are_shared()) pixledger::refuse(check_shared(options.emails));
  const auto directory = options.common.data.worker("emails");
  const auto turn = workers::begin_worker(logger,
                                          {.program = "pixledger-emails",
                                           .data = options.common.data,
                                           .log = *ledger.log,
                                           .addresses = sends_to(options)},
                                          directory);
  if (!turn) return kExitDone;

  const auto opened = databases.emails(turn->right);
  auto& database = *opened;
  // Before the mail server's options are checked: the start is known now. Charges may be paid until the
  // options are corrected, and the start would be a guess then.
  database.begin_work(workers::choose_start(
      database.cursor(), *ledger.log, options.emails.resume_from, workers::kEmailsBegin,
      databases.are_shared() ? workers::ResumeTold::kEachMachine : workers::ResumeTold::kThisOne));
  options.emails.resume_from.clear();  // it applies to the first run only, not after a refusal
  const auto smtp = smtp_options(options.emails);
  const auto from = from_address(options.emails);
  workers::EmailWorkerOptions settings;
  if (!options.emails.retry_schedule.empty())
    settings.schedule =
        parse_option<workers::RetrySchedule>("--retry-schedule", options.emails.retry_schedule);
  DeadlineWatch watch;
  const SystemResolver system_resolver;
  BoundedResolver resolver(system_resolver, kResolversPerSender * settings.senders);
  const auto take_share = [&](const workers::OutgoingEmail& email) {
    const auto recipient = ledger.keyring.name_of_document("recipient", workers::mailbox_of(email.to));
    return database.take_sandbox_share(*email.sandbox_of, recipient, clock.now());
  };
  settings.make_transport = [&]() -> std::unique_ptr<workers::EmailTransport> {
    std::unique_ptr<workers::EmailTransport> outbox;
    if (databases.are_shared())
      outbox = std::make_unique<workers::NoOutbox>();
    else
      outbox = std::make_unique<workers::EmailOutbox>(options.common.data.outbox());
    std::unique_ptr<workers::EmailTransport> server;
    if (smtp)
      server = std::make_unique<workers::SmtpTransport>(*smtp, watch, resolver);
    else
      server = std::make_unique<workers::EmailOutbox>(options.common.data.outbox());
    return std::make_unique<workers::SandboxTransport>(std::move(server), std::move(outbox),
                                                       sandbox_rule(options.emails), take_share);
  };
  const workers::EmailComposer composer(*ledger.log, from);
  const auto spans = SpanExporter::open(options.emails.otlp, "pixledger-emails", clock, entropy, logger);
  const stores::EventTraces traces(options.common.data.traces(), clock, entropy, spans.get(), logger);
  workers::EmailWorker worker({*ledger.log, clock, entropy, logger, database, composer, &traces}, settings);
  logger.info("the e-mail worker is at work", {{"to", smtp ? smtp->server.text() : "outbox"}});
  OutboxKeeper outbox(options.common.data.outbox(), options.emails.outbox_keep_days, logger);
  workers::serve_until_stopped([&] {
    worker.check();
    outbox.look();
  });
  worker.stop();
  logger.info("the e-mail worker has stopped");
  turn->run.end_cleanly();
  return kExitDone;
}

}  // namespace

int pixledger::workers::emails_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("Confirms purchases to customers by e-mail");
  Options options;
  add_common_options(app, options.common);
  add_emails_options(app, options.emails);
  return eventstore::run_on_ledger(app, options.common, argc, argv, ProgramKind::kService, [&] {
    return workers::run_worker(options.common, options.common.data.worker("emails"),
                               [&] { return run(options); });
  });
}
