#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process/command_line.h"

// What each service can be told: declared here alone. It is below all of them and not each in its own room,
// because any program reads the file that all share and must tell another's key from a mistake, because
// `pixledger up` takes the options of all, and because `pixledger doctor` looks at all of them, while http
// and workers know nothing of each other and tools nothing of http. Expiry has only the common options.
namespace pixledger {

constexpr std::uint32_t kRatePerSecondMax = 1'000'000;

// Longer than the 60 s for which load balancers usually keep their connections.
inline constexpr std::uint32_t kIdleTimeoutSeconds = 75;

struct ServerOptions {
  std::string listen = "127.0.0.1:8080";
  std::string port_file;
  std::string tls_cert;
  std::string tls_key;
  std::vector<std::string> allowed_targets;
  bool allow_http = false;
  std::uint32_t rate_live_per_s = 0;
  std::uint32_t rate_test_per_s = 0;
  std::string metrics_listen;
  std::vector<std::string> trusted_proxies;
  std::string log_requests = "errors";
  std::uint32_t loops = 0;  // threads that serve connections; 0: as many as there are processors
  std::uint32_t max_connections = 20'000;
  std::uint32_t max_connections_per_address = 1'000;  // 0: as many as there may be in all
  std::uint32_t min_send_rate = 1024;                 // bytes a second
  std::uint32_t idle_timeout_s = kIdleTimeoutSeconds;
  std::string pay_url;  // empty: there are no pages for payers
  std::string web_key_file;
  std::string dashboard_url;  // empty: kDashboardUrl
  double drain_delay_s = 0;   // between a signal to stop and the end of listening
};

struct WebhooksOptions {
  std::vector<std::string> allowed_targets;
  bool allow_http = false;
  std::string ca_file;
  std::string retry_schedule;
  double attempt_timeout_s = 15;
  std::string resume_from;
};

struct ProvidersOptions {
  std::string ca_file;
  bool allow_http = false;
  std::string polls;
  std::string callback_listen;  // empty: banks call nobody back
  std::string callback_port_file;
  std::string callback_cert;
  std::string callback_key;
  std::vector<std::string> callback_client_cas;
  std::vector<std::string> callback_proxies;
};

struct EmailsOptions {
  std::string smtp;
  std::string smtp_tls = "starttls";
  std::string smtp_user;
  std::string smtp_password_file;
  std::string smtp_from;
  std::string sandbox_mail = "all";
  std::vector<std::string> sandbox_mail_to;
  std::uint32_t outbox_keep_days = 30;  // 0: for ever
  std::string ca_file;
  std::string retry_schedule;
  double attempt_timeout_s = 30;
  std::string resume_from;
};

struct WebOptions {
  std::string pay_listen;        // see pay_listen_of
  std::string pay_url;           // empty: where it listens
  std::string dashboard_listen;  // empty: there is no dashboard
  std::string dashboard_url;     // empty: http://localhost with the port that it listens on
  std::string dashboard_port_file;
  std::string api = "http://127.0.0.1:8080";
  std::string api_port_file;
  std::string web_key_file;
  std::vector<std::string> trusted_proxies;
  std::string port_file;
  std::string tls_cert;
  std::string tls_key;
  std::string ca_file;
  std::string metrics_listen;
  std::uint32_t loops = 0;  // threads that serve connections; 0: as many as there are processors
  std::uint32_t idle_timeout_s = kIdleTimeoutSeconds;
  double drain_delay_s = 0;  // between a signal to stop and the end of listening
};

// Where payers' pages are served: where it is said, or by itself when there is no dashboard. "": they are
// not.
std::string pay_listen_of(const WebOptions& options);

// The options outlive the parsing.
void add_server_options(CommandLine& line, ServerOptions& options);
void add_webhooks_options(CommandLine& line, WebhooksOptions& options);
void add_emails_options(CommandLine& line, EmailsOptions& options);
void add_providers_options(CommandLine& line, ProvidersOptions& options);
void add_web_options(CommandLine& line, WebOptions& options);

// Options that each parse but not with each other, or whose text is no value of their type.
struct OptionProblem {
  std::string usage;    // as the service says it, which does not start: "--listen must be …"
  std::string finding;  // as the doctor says it, who names the value too
  std::string advice;
};
using OptionProblems = std::vector<OptionProblem>;
inline constexpr const char* kCorrectIt = "correct it: what needs it does not start";

// Where payers' pages are reached, for who links to them.
void add_pay_url_option(CommandLine& line, std::string& url);
void check_pay_url(const std::string& url, OptionProblems& problems);

// Where the dashboard is reached unless it is said.
inline constexpr const char* kDashboardUrl = "http://localhost:8090";
// For who serves it, who judges passkeys, and who links to it. Stays empty where it is not given.
void add_dashboard_url_option(CommandLine& line, std::string& url);
// Browsers have passkeys for names alone, and them and secure cookies with TLS alone, or on localhost.
void check_dashboard_url(const std::string& url, OptionProblems& problems);

OptionProblems check(const ServerOptions& options);
OptionProblems check(const WebhooksOptions& options);
OptionProblems check(const EmailsOptions& options);
// What there is besides where machines share the ledger.
OptionProblems check_shared(const EmailsOptions& options);
OptionProblems check(const ProvidersOptions& options);
OptionProblems check(const WebOptions& options);

// Throws UsageError with the first, if any.
void refuse(const OptionProblems& problems);

}  // namespace pixledger
