#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process/command_line.h"

// The options of all services, declared only here. They are not in each service's own folder for three
// reasons. Any program must tell another program's key in the shared file from a mistake. `pixledger up`
// accepts the options of all services, and `pixledger doctor` checks them. But http and workers must not
// depend on each other, nor tools on http. Expiry has only the common options.
namespace pixledger {

constexpr std::uint32_t kRatePerSecondMax = 1'000'000;

// Longer than the 60 s for which load balancers usually keep their connections.
inline constexpr std::uint32_t kIdleTimeoutSeconds = 75;

// Where the spans of traces go.
struct OtlpOptions {
  std::string endpoint;  // the collector's URL; empty: spans are not sent
  double sample = 0.01;  // the share of requests without a caller's decision
  std::string headers_file;
};

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
  std::uint32_t max_connections_per_address = 1'000;  // 0: same as max_connections
  std::uint32_t min_send_rate = 1024;                 // bytes a second
  std::uint32_t idle_timeout_s = kIdleTimeoutSeconds;
  std::string pay_url;  // empty: no payer pages
  std::string web_key_file;
  std::string dashboard_url;  // empty: kDashboardUrl
  double drain_delay_s = 0;   // between a signal to stop and the end of listening
  OtlpOptions otlp;
};

struct WebhooksOptions {
  std::vector<std::string> allowed_targets;
  bool allow_http = false;
  std::string ca_file;
  std::string retry_schedule;
  double attempt_timeout_s = 15;
  std::string resume_from;
  OtlpOptions otlp;
};

struct ProvidersOptions {
  std::string ca_file;
  bool allow_http = false;
  std::string polls;
  std::string callback_listen;  // empty: banks send no callbacks
  std::string callback_port_file;
  std::string callback_cert;
  std::string callback_key;
  std::vector<std::string> callback_client_cas;
  std::vector<std::string> callback_proxies;
  OtlpOptions otlp;
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
  bool allow_http = false;  // for spans
  OtlpOptions otlp;
};

struct FollowOptions {
  std::vector<std::string> to;  // [NAME=]TARGET; empty: `up` does not follow
  std::string interval = "1s";
  std::string keep = "90d";
  std::string erase_within = "1d";
  std::vector<std::string> encrypt_to;  // age1…; empty: not encrypted
  std::string s3_credentials;           // file; empty: from the environment
};

struct WebOptions {
  std::string pay_listen;        // see pay_listen_of
  std::string pay_url;           // empty: the listening address
  std::string dashboard_listen;  // empty: no dashboard
  std::string dashboard_url;     // empty: http://localhost with the port it listens on
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

// The listening address of payers' pages: the given one, or a default if there is no dashboard. "" if pages
// are off.
std::string pay_listen_of(const WebOptions& options);

// The options must outlive the parsing.
void add_server_options(CommandLine& line, ServerOptions& options);
void add_webhooks_options(CommandLine& line, WebhooksOptions& options);
void add_emails_options(CommandLine& line, EmailsOptions& options);
void add_providers_options(CommandLine& line, ProvidersOptions& options);
void add_web_options(CommandLine& line, WebOptions& options);
// Where the program is the follower itself, --to, --interval, --keep and --erase-within are enough.
enum class FollowNames { kWhole, kShortToo };
void add_s3_credentials_option(CommandLine& line, std::string& file);
void add_follow_options(CommandLine& line, FollowOptions& options, FollowNames names);

// Invalid options: conflicting ones, or a text that does not parse as its type.
struct OptionProblem {
  std::string usage;    // in the service's words, which then does not start: "--listen must be …"
  std::string finding;  // in the doctor's words, including the value
  std::string advice;
};
using OptionProblems = std::vector<OptionProblem>;
inline constexpr const char* kCorrectIt = "correct it: what needs it does not start";

// The public URL of payers' pages, for programs that link to them.
void add_pay_url_option(CommandLine& line, std::string& url);
void check_pay_url(const std::string& url, OptionProblems& problems);

// The dashboard's default URL.
inline constexpr const char* kDashboardUrl = "http://localhost:8090";
// For programs that serve the dashboard, verify passkeys, or link to it. Stays empty if not given.
void add_dashboard_url_option(CommandLine& line, std::string& url);
// Browsers allow passkeys only for host names, and passkeys and secure cookies only with TLS or on localhost.
void check_dashboard_url(const std::string& url, OptionProblems& problems);

OptionProblems check(const ServerOptions& options);
OptionProblems check(const WebhooksOptions& options);
OptionProblems check(const EmailsOptions& options);
// Further problems if machines share the ledger.
OptionProblems check_shared(const EmailsOptions& options);
OptionProblems check(const ProvidersOptions& options);
OptionProblems check(const WebOptions& options);

// Throws UsageError for the first problem, if any.
void refuse(const OptionProblems& problems);

}  // namespace pixledger
