#include "base/process/configuration.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/platform/time_zone.h"
#include "base/process/open_to_others.h"
#include "base/process/service_options.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/database_facts.h"
#include "tools/operations/doctor/diagnosis.h"
#include "workers/banks/poll_plan.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::tools {
namespace {

// The configuration's findings, each once: services share options.
class Findings {
 public:
  explicit Findings(Diagnoses& found) : found_(found), before_(found.size()) {}

  // From here on, findings about options include their place in the file.
  void use(OptionPlaces places) { places_ = std::move(places); }

  void add(Severity severity, const std::string& what, const std::string& advice) {
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(before_);
    if (std::any_of(begin, found_.end(), [&](const Diagnosis& one) { return one.found == what; })) return;
    found_.push_back({"configuration", severity, what, advice});
  }
  void add(const OptionProblems& problems) {
    for (const auto& problem : problems) add_about(problem.usage, problem.finding, problem.advice);
  }
  // `options` is a text that names the affected options, such as "--listen".
  void add_about(const std::string& options, const std::string& what, const std::string& advice) {
    const auto place = place_of(options, places_);
    add(Severity::kProblem, place.empty() ? what : place + ": " + what, advice);
  }
  bool empty() const { return found_.size() == before_; }

 private:
  Diagnoses& found_;
  const std::size_t before_;
  OptionPlaces places_;
};

// Reads a service's environment and file; skips and reports invalid values.
template <class AddOptions>
void read_service(const std::filesystem::path& file, const AddOptions& add_options, Findings& findings) {
  CommandLine line("");
  CommonOptions common;
  add_common_options(line, common);
  add_options(line);
  auto read = read_options(line, file);
  for (const auto& problem : read.problems) findings.add(Severity::kProblem, problem, kCorrectIt);
  findings.use(std::move(read.places));
}

void examine_file(const std::string& option, const std::string& file, Findings& findings) {
  if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
    findings.add_about("--" + option, option + ": " + file + " cannot be read",
                       "correct the path, or let the service's user read it");
}

void examine_schedule(const std::string& schedule, Findings& findings) {
  if (!schedule.empty() && !workers::RetrySchedule::parse(schedule))
    findings.add_about("--retry-schedule",
                       "retry-schedule " + std::string(workers::RetrySchedule::kRule) + "; it is " + schedule,
                       kCorrectIt);
}

void examine_server(const std::filesystem::path& file, Findings& findings) {
  pixledger::ServerOptions options;
  bool dev = false;  // of `pixledger up`, which passes it on as the two options that allow targets
  read_service(
      file,
      [&](auto& line) {
        add_server_options(line, options);
        line.add_flag("--dev", dev, "");
      },
      findings);
  findings.add(check(options));
  examine_file("tls-cert", options.tls_cert, findings);
  examine_file("tls-key", options.tls_key, findings);
  examine_file("otlp-headers-file", options.otlp.headers_file, findings);
  if (dev)
    findings.add(Severity::kWarning, "dev is on: webhooks may go to this machine and without TLS",
                 "turn it off where there is live money");
  else if (options.allow_http)
    findings.add(Severity::kWarning, "allow-http is on: webhooks may go without TLS",
                 "turn it off where there is live money");
}

void examine_webhooks(const std::filesystem::path& file, Findings& findings) {
  WebhooksOptions options;
  read_service(
      file, [&](auto& line) { add_webhooks_options(line, options); }, findings);
  findings.add(check(options));
  examine_schedule(options.retry_schedule, findings);
  examine_file("ca-file", options.ca_file, findings);
}

void examine_emails(const std::filesystem::path& file, Findings& findings) {
  EmailsOptions options;
  const auto default_tls = std::exchange(options.smtp_tls, "");
  read_service(
      file, [&](auto& line) { add_emails_options(line, options); }, findings);
  if (options.smtp.empty() && (!options.smtp_tls.empty() || !options.smtp_from.empty()))
    findings.add(Severity::kWarning, "SMTP is configured without smtp: e-mails are written to outbox/",
                 "set smtp to the mail server's HOST:PORT");
  if (options.smtp_tls.empty()) options.smtp_tls = default_tls;
  findings.add(check(options));
  examine_schedule(options.retry_schedule, findings);
  examine_file("ca-file", options.ca_file, findings);
  examine_file("smtp-password-file", options.smtp_password_file, findings);
}

void examine_providers(const std::filesystem::path& file, Findings& findings) {
  ProvidersOptions options;
  read_service(
      file, [&](auto& line) { add_providers_options(line, options); }, findings);
  findings.add(check(options));
  if (!options.polls.empty() && !workers::PollPlan::parse(options.polls))
    findings.add_about(
        "--polls", "polls " + std::string(workers::PollPlan::kRule) + "; it is " + options.polls, kCorrectIt);
  examine_file("ca-file", options.ca_file, findings);
  examine_file("callback-cert", options.callback_cert, findings);
  examine_file("callback-key", options.callback_key, findings);
  for (const auto& file_of_ca : options.callback_client_cas)
    examine_file("callback-client-ca", file_of_ca, findings);
}

// The server creates a missing key file.
void examine_web_key(const std::string& file, Findings& findings) {
  struct stat info {};
  if (file.empty() || ::stat(file.c_str(), &info) != 0) return;
  examine_file("web-key-file", file, findings);
  if ((info.st_mode & S_IRWXO) != 0)
    findings.add_about("--web-key-file", "web-key-file: " + file + " lets everybody in", "chmod o= " + file);
}

void examine_web(const std::filesystem::path& file, Findings& findings) {
  pixledger::WebOptions options;
  read_service(
      file, [&](auto& line) { add_web_options(line, options); }, findings);
  findings.add(check(options));
  examine_file("tls-cert", options.tls_cert, findings);
  examine_file("tls-key", options.tls_key, findings);
  examine_file("ca-file", options.ca_file, findings);
  examine_web_key(options.web_key_file, findings);
}

// Options of commands that work with days.
void examine_commands(const std::filesystem::path& file, Findings& findings) {
  std::string zone = "UTC";
  read_service(
      file, [&](auto& line) { line.add_option("--timezone", zone, ""); }, findings);
  if (!TimeZone::parse(zone))
    findings.add_about("--timezone", "timezone " + std::string(TimeZone::kRule) + "; it is " + zone,
                       "correct it: commands that show times refuse it");
}

bool examine_mode(const std::filesystem::path& path, mode_t expected, uid_t owner, Diagnoses& found) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const bool is_missing = errno == ENOENT;
    found.push_back({"keys", Severity::kProblem,
                     path.string() + (is_missing ? " is missing" : " cannot be seen"),
                     is_missing ? "restore keys/ from its backup" : "run this as the directory's owner"});
    return false;
  }
  const auto mode = info.st_mode & kModeBits;
  if ((mode & ~expected) != 0)
    found.push_back({"keys", Severity::kProblem, path.string() + " has mode " + octal_text(mode),
                     "chmod " + octal_text(expected) + " " + path.string()});
  if (info.st_uid != owner)
    found.push_back({"keys", Severity::kProblem,
                     path.string() + " belongs to user " + std::to_string(info.st_uid) +
                         ", the data directory to " + std::to_string(owner),
                     "chown it to the data directory's owner"});
  return (mode & ~expected) == 0 && info.st_uid == owner;
}

// An unreadable ledger is reported elsewhere.
bool are_of_another_ledger(const eventstore::Keyring& keyring, const eventstore::LedgerOptions& options) {
  try {
    const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
    return facts.keyring && *facts.keyring != keyring.code_of_ledger(facts.identity.ledger_id);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void examine_configuration(const eventstore::LedgerOptions& options, Diagnoses& found) {
  Findings findings(found);
  for (const auto& problem : options.configuration_problems)
    findings.add(Severity::kProblem, problem, "correct it: no program starts with this file");
  examine_server(options.config, findings);
  examine_webhooks(options.config, findings);
  examine_emails(options.config, findings);
  examine_providers(options.config, findings);
  examine_web(options.config, findings);
  examine_commands(options.config, findings);
  if (findings.empty())
    findings.add(Severity::kOk, options.config.empty() ? "no file" : options.config.string(), "");
}

void examine_keys(const eventstore::LedgerOptions& options, Diagnoses& found) {
  const auto& data = options.data;
  struct stat root {};
  if (::stat(data.root.c_str(), &root) != 0) return;
  bool is_good = examine_mode(data.keys(), 0700, root.st_uid, found);
  for (const auto* name : {"master.key", "keyring"})
    is_good = is_good && examine_mode(data.keys() / name, 0600, root.st_uid, found);
  if (!is_good) return;
  try {
    const auto keyring = eventstore::Keyring::open(data.keys());
    if (are_of_another_ledger(keyring, options))
      found.push_back({"keys", Severity::kProblem, "they open, but are those of another ledger",
                       "restore keys/ from the backup of this ledger's keys, or, on a node, copy another "
                       "node's: nothing starts with others"});
    else
      found.push_back({"keys", Severity::kOk, "open; nobody else may read them", ""});
  } catch (const std::exception& error) {
    found.push_back({"keys", Severity::kProblem, error.what(), "restore keys/ from its backup"});
  }
}

}  // namespace pixledger::tools
