#include "base/process/service_options.h"

#include <string_view>

#include "base/net/http_url.h"
#include "base/process/option_rules.h"
#include "base/process/options.h"
#include "base/values/internet_address.h"
#include "base/values/ip_address.h"

namespace pixledger {
namespace {

constexpr std::uint64_t kLoopsMax = 256;
constexpr std::uint64_t kConnectionsMax = 1'000'000;
constexpr std::uint64_t kSendRateMax = 1'000'000'000;
constexpr double kDrainDelayMax = 45;  // `up` and systemd wait for a minute

constexpr double kAttemptTimeoutMinSeconds = 0.001;
constexpr double kAttemptTimeoutMaxSeconds = 300;
constexpr const char* kBothOrNeither = "give both, or neither";

// For workers that connect to servers.
void add_ca_file(CommandLine& line, std::string& ca_file) {
  line.add_option("--ca-file", ca_file, "Certificates to trust beyond the system's, PEM")
      .check(must_not_be_a_directory);
}
void add_attempt_timeout(CommandLine& line, double& seconds) {
  line.add_option("--attempt-timeout", seconds, "Seconds for a whole attempt")
      .show_default()
      .range(kAttemptTimeoutMinSeconds, kAttemptTimeoutMaxSeconds);
}

// For HTTP servers.
void add_tls_options(CommandLine& line, std::string& cert, std::string& key) {
  line.add_option("--tls-cert", cert, "Certificate with its chain (PEM); serves HTTPS")
      .check(must_not_be_a_directory);
  line.add_option("--tls-key", key, "Private key of the certificate (PEM)").check(must_not_be_a_directory);
}
void add_trusted_proxies(CommandLine& line, std::vector<std::string>& ranges) {
  line.add_list_option("--trusted-proxy", ranges,
                       "Range of addresses (CIDR) whose X-Forwarded-For says who calls");
}
void add_idle_timeout(CommandLine& line, std::uint32_t& seconds) {
  constexpr std::uint64_t kHour = 3600;
  line.add_option(
          "--idle-timeout", seconds,
          "Seconds that a connection may be idle between requests; more than a balancer in front keeps it")
      .range(std::uint64_t{1}, kHour)
      .show_default();
}

void add_loops(CommandLine& line, std::uint32_t& loops) {
  line.add_option("--loops", loops, "Threads that serve connections; 0 for one a processor")
      .range(std::uint64_t{0}, kLoopsMax)
      .show_default();
}

void add_drain_delay(CommandLine& line, double& seconds) {
  line.add_option("--drain-delay", seconds,
                  "Seconds to go on serving after a signal to stop, with /readyz at 503, so that balancers "
                  "send nothing more")
      .range(0.0, kDrainDelayMax)
      .show_default();
}

void add_otlp_options(CommandLine& line, OtlpOptions& options) {
  line.add_option(
      "--otlp-endpoint", options.endpoint,
      "URL of an OpenTelemetry collector that gets spans (OTLP/HTTP, JSON): https://, or http:// on "
      "this machine or with --allow-http; none are sent unless given");
  line.add_option("--otlp-sample", options.sample,
                  "Share of requests that are traced, 0 to 1, where the caller does not decide")
      .range(0.0, 1.0)
      .show_default();
  line.add_option("--otlp-headers-file", options.headers_file,
                  "File with headers for the collector, such as its key: one NAME: VALUE a line")
      .check(must_not_be_a_directory);
}

template <class Value>
void check_value(const std::string& option, const std::string& value, OptionProblems& problems) {
  if (value.empty() || Value::parse(value)) return;
  const auto problem = option + " " + std::string(Value::kRule);
  problems.push_back({"--" + problem, problem + "; it is " + value, kCorrectIt});
}
template <class Value>
void check_values(const std::string& option, const std::vector<std::string>& values,
                  OptionProblems& problems) {
  for (const auto& value : values) check_value<Value>(option, value, problems);
}

void check_pair(bool agree, const std::string& one, const std::string& other, std::string_view verb,
                OptionProblems& problems) {
  if (agree) return;
  problems.push_back({"--" + one + " and --" + other + " " + std::string(verb) + " together",
                      "one of " + one + " and " + other + " stands alone", kBothOrNeither});
}

bool is_loopback(const std::string& host) {
  const auto address = IpAddress::parse(host);
  return host == "localhost" ||
         (address && is_within(*address, {*Cidr::parse("127.0.0.0/8"), *Cidr::parse("::1/128")}));
}

void check_otlp(const OtlpOptions& options, bool allow_http, OptionProblems& problems) {
  check_value<HttpUrl>("otlp-endpoint", options.endpoint, problems);
  const auto url = HttpUrl::parse(options.endpoint);
  if (!url || url->is_tls || allow_http || is_loopback(url->host)) return;
  problems.push_back(
      {"--otlp-endpoint must begin with https://, or be on this machine, or needs --allow-http",
       "otlp-endpoint goes to another machine without TLS; it is " + options.endpoint,
       "use https://, or set allow-http if the network is yours alone"});
}

}  // namespace

void add_pay_url_option(CommandLine& line, std::string& url) {
  line.add_option("--pay-url", url,
                  "Where payers' pages are reached, such as https://pay.example.com; without it there are no "
                  "checkout sessions");
}

void check_pay_url(const std::string& url, OptionProblems& problems) {
  check_value<HttpUrl>("pay-url", url, problems);
}

void add_dashboard_url_option(CommandLine& line, std::string& url) {
  line.add_option("--dashboard-url", url,
                  "Where the dashboard is reached, such as https://painel.example.com, and what passkeys are "
                  "made for; http://localhost:8090 unless given");
}

void check_dashboard_url(const std::string& url, OptionProblems& problems) {
  constexpr const char* kRule =
      "must be an https:// URL of a host name without a path, or http://localhost with a port";
  if (url.empty()) return;
  const auto parsed = HttpUrl::parse(url);
  const bool is_plain = parsed && parsed->path.empty() && !IpAddress::parse(parsed->host);
  if (is_plain && (parsed->is_tls || parsed->host == "localhost")) return;
  std::string problem = "dashboard-url ";
  problem += kRule;
  problems.push_back({"--" + problem, problem + "; it is " + url, kCorrectIt});
}

std::string pay_listen_of(const WebOptions& options) {
  constexpr const char* kPayListen = "127.0.0.1:8081";
  if (!options.pay_listen.empty() || !options.dashboard_listen.empty()) return options.pay_listen;
  return kPayListen;
}

void add_server_options(CommandLine& line, ServerOptions& options) {
  line.add_option("--listen", options.listen, "Address to accept requests on; port 0 takes any free one")
      .show_default();
  line.add_option("--port-file", options.port_file, "File that gets the bound port");
  add_tls_options(line, options.tls_cert, options.tls_key);
  line.add_list_option("--allow-target", options.allowed_targets,
                       "Range of addresses (CIDR) that webhooks may go to although it is not public");
  line.add_flag("--allow-http", options.allow_http, "Let webhooks go to http:// addresses");
  line.add_option("--rate-live", options.rate_live_per_s,
                  "Requests a second that a live key may make, twice that at once; 0 for any number")
      .range(std::uint64_t{0}, kRatePerSecondMax)
      .show_default();
  line.add_option("--rate-test", options.rate_test_per_s, "The same for test keys")
      .range(std::uint64_t{0}, kRatePerSecondMax)
      .show_default();
  line.add_option("--metrics-listen", options.metrics_listen,
                  "Address of its own for /metrics; port 0 takes any free one, which the log names");
  add_trusted_proxies(line, options.trusted_proxies);
  line.add_option("--log-requests", options.log_requests,
                  "errors, all or none: which requests are logged; of errors at most 100 a second")
      .show_default();
  add_loops(line, options.loops);
  line.add_option("--max-connections", options.max_connections,
                  "Connections at once; one more takes the place of one that is slow or idle")
      .range(std::uint64_t{1}, kConnectionsMax)
      .show_default();
  line.add_option("--max-connections-per-address", options.max_connections_per_address,
                  "The same of one address, trusted proxies excepted; 0 for no limit")
      .range(std::uint64_t{0}, kConnectionsMax)
      .show_default();
  line.add_option(
          "--min-send-rate", options.min_send_rate,
          "Bytes a second, over five of them, below which a reader of an answer is cut off; 0 for none")
      .range(std::uint64_t{0}, kSendRateMax)
      .show_default();
  add_idle_timeout(line, options.idle_timeout_s);
  add_pay_url_option(line, options.pay_url);
  line.add_option("--web-key-file", options.web_key_file,
                  "File with the key of pixledger-web; it is made if it is missing")
      .check(must_not_be_a_directory);
  add_dashboard_url_option(line, options.dashboard_url);
  add_drain_delay(line, options.drain_delay_s);
  add_otlp_options(line, options.otlp);
}

void add_webhooks_options(CommandLine& line, WebhooksOptions& options) {
  line.add_list_option("--allow-target", options.allowed_targets,
                       "Range of addresses that may be targets although not public, such as 127.0.0.0/8");
  line.add_flag("--allow-http", options.allow_http, "Allow targets without TLS");
  add_ca_file(line, options.ca_file);
  line.add_option("--retry-schedule", options.retry_schedule,
                  "Delays before the attempts, such as 0,5s,2min; replaces those of live and sandbox");
  add_attempt_timeout(line, options.attempt_timeout_s);
  line.add_option(
      "--resume-from", options.resume_from,
      "Where to begin without state: beginning (all webhooks there ever were, again), head (only what "
      "comes), or the first position to handle. After a restore also restored: where the state ends");
  add_otlp_options(line, options.otlp);
}

void add_providers_options(CommandLine& line, ProvidersOptions& options) {
  add_ca_file(line, options.ca_file);
  line.add_flag("--allow-http", options.allow_http, "Allow banks without TLS, for development");
  line.add_option("--polls", options.polls,
                  "How often accounts are looked at, and how far back, such as 10s:15m,10m:24h,24h:100d");
  line.add_option("--callback-listen", options.callback_listen,
                  "Address that banks call back; port 0 takes any free one; none unless given");
  line.add_option("--callback-port-file", options.callback_port_file, "File that gets the bound port");
  line.add_option("--callback-cert", options.callback_cert, "Certificate with its chain (PEM) for callbacks")
      .check(must_not_be_a_directory);
  line.add_option("--callback-key", options.callback_key, "Private key of the certificate (PEM)")
      .check(must_not_be_a_directory);
  line.add_list_option("--callback-client-ca", options.callback_client_cas,
                       "Certificates (PEM) that those of calling banks have to be issued by");
  line.add_list_option("--callback-proxy", options.callback_proxies,
                       "Range of addresses (CIDR) of proxies that end TLS and say whose certificate it was");
  add_otlp_options(line, options.otlp);
}

constexpr std::uint32_t kOutboxDaysMax = 3'650;

void add_emails_options(CommandLine& line, EmailsOptions& options) {
  line.add_option(
      "--smtp", options.smtp,
      "HOST:PORT of the mail server; without it e-mails are written to the data directory's outbox");
  line.add_option("--smtp-tls", options.smtp_tls, "off, starttls or tls").show_default();
  line.add_option("--smtp-user", options.smtp_user, "User to log in as; none unless given");
  line.add_option("--smtp-password-file", options.smtp_password_file, "File with the user's password")
      .check(must_not_be_a_directory);
  line.add_option("--smtp-from", options.smtp_from, "Address that e-mails come from");
  line.add_option(
          "--sandbox-mail", options.sandbox_mail,
          "Which e-mails of the sandbox are sent: all, listed (to --sandbox-mail-to) or outbox (none); "
          "the others are written to the outbox")
      .show_default();
  line.add_list_option("--sandbox-mail-to", options.sandbox_mail_to,
                       "Address that e-mails of the sandbox may be sent to");
  line.add_option("--outbox-keep", options.outbox_keep_days,
                  "Days after which e-mails in the outbox are removed; 0 keeps them")
      .show_default()
      .range(std::uint64_t{0}, std::uint64_t{kOutboxDaysMax});
  add_ca_file(line, options.ca_file);
  line.add_option("--retry-schedule", options.retry_schedule,
                  "Delays before the attempts, such as 0,5s,2min");
  add_attempt_timeout(line, options.attempt_timeout_s);
  line.add_option(
      "--resume-from", options.resume_from,
      "Where to begin without state: beginning, head, or the first position to handle. After a restore "
      "also restored: where the state ends");
  line.add_flag("--allow-http", options.allow_http, "Let spans go to a collector without TLS");
  add_otlp_options(line, options.otlp);
}

void add_web_options(CommandLine& line, WebOptions& options) {
  line.add_option(
      "--pay-listen", options.pay_listen,
      "Address to serve payers' pages on, 127.0.0.1:8081 unless there is a dashboard alone; port 0 "
      "takes any free one");
  line.add_option("--pay-url", options.pay_url,
                  "URL at which payers reach the pages; where they are served unless given");
  line.add_option("--dashboard-listen", options.dashboard_listen,
                  "Address to serve the dashboard on; port 0 takes any free one");
  add_dashboard_url_option(line, options.dashboard_url);
  line.add_option("--dashboard-port-file", options.dashboard_port_file,
                  "File that gets the bound port of the dashboard");
  line.add_option("--api", options.api, "URL of the API").show_default();
  line.add_option("--api-port-file", options.api_port_file,
                  "File that has the port of the API in the place of the URL's");
  line.add_option("--web-key-file", options.web_key_file,
                  "File with the key that pixledger-server made for it")
      .check(must_not_be_a_directory);
  add_trusted_proxies(line, options.trusted_proxies);
  line.add_option("--port-file", options.port_file, "File that gets the bound port; as a flag alone")
      .flag_alone();
  add_tls_options(line, options.tls_cert, options.tls_key);
  add_ca_file(line, options.ca_file);
  line.add_option("--web-metrics-listen", options.metrics_listen,
                  "Address of its own for /metrics; port 0 takes any free one, which the log names");
  add_loops(line, options.loops);
  add_idle_timeout(line, options.idle_timeout_s);
  add_drain_delay(line, options.drain_delay_s);
}

void add_s3_credentials_option(CommandLine& line, std::string& file) {
  line.add_option("--s3-credentials", file,
                  "File with credentials for s3:// in AWS's form; else AWS_ACCESS_KEY_ID, "
                  "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN");
}

void add_follow_options(CommandLine& line, FollowOptions& options, FollowNames names) {
  const auto names_of = [names](const std::string& name) {
    return "--follow-" + name + (names == FollowNames::kShortToo ? ",--" + name : std::string());
  };
  line.add_list_option(
      names_of("to"), options.to,
      "[NAME=]TARGET that gets a copy of everything as it happens: /DIR, file:///DIR or "
      "s3://BUCKET/PREFIX?endpoint=URL&region=R; NAME labels its metrics, t1, t2… unless given");
  line.add_option(names_of("interval"), options.interval,
                  "How long an event may wait to be copied, such as 1s")
      .show_default();
  line.add_option(names_of("keep"), options.keep,
                  "How long daily states of workers and accounts are kept, such as 90d; events always are")
      .show_default();
  line.add_option(names_of("erase-within"), options.erase_within,
                  "How long a target may still have customers who were erased, such as 1d")
      .show_default();
  line.add_list_option(
      "--encrypt-to", options.encrypt_to,
      "Public key of age-keygen (age1…): encrypts all that is copied for the holder of its secret key");
  add_s3_credentials_option(line, options.s3_credentials);
}

OptionProblems check(const ServerOptions& options) {
  OptionProblems problems;
  check_value<HostPort>("listen", options.listen, problems);
  check_pair(options.tls_cert.empty() == options.tls_key.empty(), "tls-cert", "tls-key", "go", problems);
  check_values<Cidr>("trusted-proxy", options.trusted_proxies, problems);
  check_value<HostPort>("metrics-listen", options.metrics_listen, problems);
  check_values<Cidr>("allow-target", options.allowed_targets, problems);
  check_pay_url(options.pay_url, problems);
  check_dashboard_url(options.dashboard_url, problems);
  const auto& logged = options.log_requests;
  if (logged != "errors" && logged != "all" && logged != "none")
    problems.push_back({"--log-requests must be errors, all or none",
                        "log-requests must be errors, all or none; it is " + logged, kCorrectIt});
  check_otlp(options.otlp, options.allow_http, problems);
  return problems;
}

OptionProblems check(const WebhooksOptions& options) {
  OptionProblems problems;
  check_values<Cidr>("allow-target", options.allowed_targets, problems);
  check_otlp(options.otlp, options.allow_http, problems);
  return problems;
}

OptionProblems check_shared(const EmailsOptions& options) {
  if (!options.smtp.empty()) return {};
  return {
      {"--smtp is needed where machines share the ledger: no other machine knows of what lies in the outbox "
       "of this one",
       "there is no smtp, and machines share the ledger", "set smtp to the mail server"}};
}

OptionProblems check(const EmailsOptions& options) {
  OptionProblems problems;
  if (options.smtp_tls != "off" && options.smtp_tls != "starttls" && options.smtp_tls != "tls")
    problems.push_back({"--smtp-tls must be off, starttls or tls",
                        "smtp-tls must be off, starttls or tls; it is " + options.smtp_tls, kCorrectIt});
  check_value<HostPort>("smtp", options.smtp, problems);
  check_pair(options.smtp_user.empty() == options.smtp_password_file.empty(), "smtp-user",
             "smtp-password-file", "belong", problems);
  if (!options.smtp_user.empty() && options.smtp_tls == "off")
    problems.push_back(
        {"--smtp-user needs --smtp-tls starttls or tls: a password is never sent in plain text",
         "smtp-user with smtp-tls off: passwords go over verified TLS alone",
         "set smtp-tls to starttls or tls"});
  if (!options.smtp.empty() && options.smtp_from.empty())
    problems.push_back({"--smtp needs --smtp-from", "smtp stands without smtp-from",
                        "set smtp-from to the address that e-mails come from"});
  check_value<EmailAddress>("smtp-from", options.smtp_from, problems);
  check_values<EmailAddress>("sandbox-mail-to", options.sandbox_mail_to, problems);
  if (options.sandbox_mail != "all" && options.sandbox_mail != "listed" && options.sandbox_mail != "outbox")
    problems.push_back({"--sandbox-mail must be all, listed or outbox",
                        "sandbox-mail must be all, listed or outbox; it is " + options.sandbox_mail,
                        kCorrectIt});
  if ((options.sandbox_mail == "listed") == options.sandbox_mail_to.empty())
    problems.push_back({"--sandbox-mail listed and --sandbox-mail-to go together",
                        "one of sandbox-mail = \"listed\" and sandbox-mail-to stands alone", kBothOrNeither});
  check_otlp(options.otlp, options.allow_http, problems);
  return problems;
}

OptionProblems check(const ProvidersOptions& options) {
  OptionProblems problems;
  check_value<HostPort>("callback-listen", options.callback_listen, problems);
  check_values<Cidr>("callback-proxy", options.callback_proxies, problems);
  check_pair(options.callback_cert.empty() == options.callback_key.empty(), "callback-cert", "callback-key",
             "go", problems);
  check_pair(options.callback_cert.empty() == options.callback_client_cas.empty(), "callback-cert",
             "callback-client-ca", "go", problems);
  const bool lets_in = !options.callback_cert.empty() || !options.callback_proxies.empty();
  if (!options.callback_listen.empty() && !lets_in)
    problems.push_back(
        {"--callback-listen needs --callback-cert or --callback-proxy: callers show who they are",
         "callback-listen stands without callback-cert and callback-proxy",
         "set the certificate to listen with, or the proxies that do"});
  const bool is_meant = lets_in || !options.callback_port_file.empty();
  if (options.callback_listen.empty() && is_meant)
    problems.push_back({"--callback-listen is missing, which the other options of callbacks need",
                        "options of callbacks stand without callback-listen",
                        "set callback-listen to the address that banks call back"});
  check_otlp(options.otlp, options.allow_http, problems);
  return problems;
}

OptionProblems check(const WebOptions& options) {
  OptionProblems problems;
  check_value<HostPort>("pay-listen", options.pay_listen, problems);
  check_value<HttpUrl>("pay-url", options.pay_url, problems);
  check_value<HostPort>("dashboard-listen", options.dashboard_listen, problems);
  check_dashboard_url(options.dashboard_url, problems);
  check_value<HttpUrl>("api", options.api, problems);
  check_values<Cidr>("trusted-proxy", options.trusted_proxies, problems);
  check_pair(options.tls_cert.empty() == options.tls_key.empty(), "tls-cert", "tls-key", "go", problems);
  check_value<HostPort>("web-metrics-listen", options.metrics_listen, problems);
  return problems;
}

void refuse(const OptionProblems& problems) {
  if (!problems.empty()) throw UsageError(problems.front().usage);
}

}  // namespace pixledger
