#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/StreamSocket.h>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/bounded_resolver.h"
#include "base/net/deadline_watch.h"
#include "base/net/host_port.h"
#include "base/values/email_address.h"
#include "workers/emails/email_smtp_session.h"
#include "workers/emails/email_transport.h"

namespace pixledger::workers {

enum class SmtpTls {
  kOff,
  kStartTls,  // the session is given up when the server does not offer it
  kTls,       // from the first byte on (RFC 8314)
};
std::optional<SmtpTls> parse_smtp_tls(std::string_view text);  // off, starttls, tls

struct SmtpCredentials {
  std::string user;
  std::string password;
};

struct SmtpOptions {
  HostPort server;
  SmtpTls tls = SmtpTls::kStartTls;
  std::optional<SmtpCredentials> credentials;  // never with SmtpTls::kOff; asserted
  EmailAddress from;                           // also where bounces go
  std::string ca_file;                         // PEM; trusted beside the system's
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds attempt_timeout{30'000};  // from looking the server up to its last answer
};

// Hands e-mails to a mail server (RFC 5321), over a connection that it keeps while there is work.
class SmtpTransport final : public EmailTransport {
 public:
  // Watch and resolver outlive it. Throws Poco::Exception when the CA file cannot be read.
  SmtpTransport(SmtpOptions options, DeadlineWatch& watch, BoundedResolver& resolver);
  ~SmtpTransport() override;

  EmailAttempt deliver(const OutgoingEmail& email) override;
  void rest() override;

 private:
  Poco::Net::StreamSocket connect(DeadlineWatch::Watched& watched) const;
  std::unique_ptr<SmtpSession> open(DeadlineWatch::Watched& watched) const;
  EmailAttempt send(const OutgoingEmail& email);
  EmailAttempt give_up(const SmtpRefusal& refusal);

  const SmtpOptions options_;
  DeadlineWatch& watch_;
  BoundedResolver& resolver_;
  Poco::Net::Context::Ptr tls_;
  std::unique_ptr<SmtpSession> session_;
};

}  // namespace pixledger::workers
