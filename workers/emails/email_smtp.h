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

// The server's answer is not the one that was hoped for.
class SmtpRefusal : public std::runtime_error {
 public:
  // `step`: what it answered, such as "RCPT TO". Its text is left out: it may name the recipient.
  SmtpRefusal(const std::string& step, int code);
  int code() const { return code_; }

 private:
  int code_;
};

// A conversation with a mail server over a connected socket, which may be a TLS one. Throws SmtpRefusal and
// Poco::Exception; after the latter the session is of no use. Used by one thread.
class SmtpSession : private Poco::Net::SMTPClientSession {
 public:
  explicit SmtpSession(const Poco::Net::StreamSocket& socket) : SMTPClientSession(socket) {}

  void greet();  // reads the server's greeting
  void hello();  // EHLO; what the server offers is known afterwards
  bool offers(const std::string& keyword, const std::string& parameter = "") const;

  // STARTTLS. The session that goes on has a buffer of its own: what the server, or somebody in between, sent
  // in plain text after its answer is not taken for part of the encrypted conversation.
  std::unique_ptr<SmtpSession> encrypt(const std::string& host, const Poco::Net::Context::Ptr& tls);

  void login(const std::string& user, const std::string& password);

  void mail_from(const std::string& address);
  void rcpt_to(const std::string& address);
  void data(const std::string& message);  // returns when the server has taken it
  void reset();
  void quit();

  // An idle server has nothing to say; one that does has closed.
  bool is_quiet();
  int descriptor() { return socket().impl()->sockfd(); }

 private:
  void command(const std::string& step, const std::string& line, int expected_class);

  std::string offers_;  // the answer to EHLO in upper case, a line each
};

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
