#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/SMTPClientSession.h>
#include <Poco/Net/StreamSocket.h>
#include <memory>
#include <stdexcept>
#include <string>

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

}  // namespace pixledger::workers
