#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/SMTPClientSession.h>
#include <Poco/Net/StreamSocket.h>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/net/deadline_watch.h"
#include "base/net/http_url.h"
#include "base/net/resolver.h"
#include "base/values/internet_address.h"
#include "workers/emails/email_transport.h"

namespace pixledger::workers {

// An unexpected reply of the server.
class SmtpRefusal : public std::runtime_error {
 public:
  // `step` is the command, such as "RCPT TO". Omits the reply's text, which may name the recipient.
  SmtpRefusal(const std::string& step, int code);
  int code() const { return code_; }

 private:
  int code_;
};

// An SMTP session over a connected socket, possibly TLS. Throws SmtpRefusal and Poco::Exception; the session
// is unusable after the latter. Used by one thread.
class SmtpSession : private Poco::Net::SMTPClientSession {
 public:
  explicit SmtpSession(const Poco::Net::StreamSocket& socket) : SMTPClientSession(socket) {}

  void greet();  // reads the server's greeting
  void hello();  // EHLO; makes offers() available
  bool offers(const std::string& keyword, const std::string& parameter = "") const;

  // STARTTLS. Returns a session with a new buffer: plain text that the server, or an attacker in between,
  // sent after its reply is not taken for part of the encrypted session.
  std::unique_ptr<SmtpSession> encrypt(const std::string& host, const Poco::Net::Context::Ptr& tls);

  void login(const std::string& user, const std::string& password);

  void mail_from(const std::string& address);
  void rcpt_to(const std::string& address);
  void data(const std::string& message);  // returns once the server has accepted it
  void reset();
  void quit();

  // An idle server sends nothing; if there is input, it has closed.
  bool is_quiet();
  int descriptor() { return socket().impl()->sockfd(); }

 private:
  void command(const std::string& step, const std::string& line, int expected_class);

  std::string offers_;  // the EHLO reply in upper case, one keyword per line
};

enum class SmtpTls {
  kOff,
  kStartTls,  // fails if the server does not offer it
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
  EmailAddress from;                           // bounces go there too
  std::string ca_file;                         // PEM; trusted beside the system's
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds attempt_timeout{30'000};  // from name resolution to the server's last reply
};

// Sends e-mails to a mail server (RFC 5321), over a connection that it keeps while there is work.
class SmtpTransport final : public EmailTransport {
 public:
  // Watch and resolver must outlive it. Throws Poco::Exception if the CA file cannot be read.
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
