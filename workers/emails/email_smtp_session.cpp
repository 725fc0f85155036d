#include "workers/emails/email_smtp_session.h"

#include <Poco/Environment.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <algorithm>
#include <sstream>

#include "base/text/ascii.h"
#include "workers/emails/email_mime.h"

namespace pixledger::workers {
namespace {

constexpr int kDone = 2;
constexpr int kGoOn = 3;
constexpr std::size_t kReplyCodeSize = 4;  // "250-"

std::string own_name() {
  const std::string name = Poco::Environment::nodeName();
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_ascii_alnum(c) || c == '-' || c == '.';
  });
  return good ? name : "localhost";
}

}  // namespace

SmtpRefusal::SmtpRefusal(const std::string& step, int code)
    : std::runtime_error("the mail server answered " + step + " with " + std::to_string(code)), code_(code) {}

void SmtpSession::command(const std::string& step, const std::string& line, int expected_class) {
  std::string answer;
  const int code = sendCommand(line, answer);
  if (code / 100 != expected_class) throw SmtpRefusal(step, code);
}

void SmtpSession::greet() {
  std::string answer;
  const int code = socket().receiveStatusMessage(answer);
  if (code / 100 != kDone) throw SmtpRefusal("the connection", code);
}

void SmtpSession::hello() {
  std::string answer;
  const int code = sendCommand("EHLO", own_name(), answer);
  if (code / 100 != kDone) throw SmtpRefusal("EHLO", code);
  std::transform(answer.begin(), answer.end(), answer.begin(), to_ascii_upper);
  offers_ = answer;
}

bool SmtpSession::offers(const std::string& keyword, const std::string& parameter) const {
  std::istringstream lines(offers_);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() <= kReplyCodeSize) continue;
    std::istringstream words(line.substr(kReplyCodeSize));
    std::string word;
    if (!(words >> word) || word != keyword) continue;
    if (parameter.empty()) return true;
    while (words >> word) {
      if (word == parameter) return true;
    }
  }
  return false;
}

std::unique_ptr<SmtpSession> SmtpSession::encrypt(const std::string& host,
                                                  const Poco::Net::Context::Ptr& tls) {
  command("STARTTLS", "STARTTLS", kDone);
  return std::make_unique<SmtpSession>(Poco::Net::SecureStreamSocket::attach(socket(), host, tls));
}

void SmtpSession::login(const std::string& user, const std::string& password) {
  if (offers("AUTH", "PLAIN"))
    return command("AUTH PLAIN", "AUTH PLAIN " + encode_base64('\0' + user + '\0' + password), kDone);
  if (!offers("AUTH", "LOGIN"))
    throw Poco::Net::SMTPException("the mail server offers neither AUTH PLAIN nor AUTH LOGIN");
  command("AUTH LOGIN", "AUTH LOGIN", kGoOn);
  command("AUTH LOGIN", encode_base64(user), kGoOn);
  command("AUTH LOGIN", encode_base64(password), kDone);
}

void SmtpSession::mail_from(const std::string& address) {
  command("MAIL FROM", "MAIL FROM:<" + address + ">", kDone);
}

void SmtpSession::rcpt_to(const std::string& address) {
  command("RCPT TO", "RCPT TO:<" + address + ">", kDone);
}

void SmtpSession::data(const std::string& message) {
  command("DATA", "DATA", kGoOn);
  socket().sendString(message + ".\r\n");
  std::string answer;
  const int code = socket().receiveStatusMessage(answer);
  if (code / 100 != kDone) throw SmtpRefusal("the message", code);
}

void SmtpSession::reset() { command("RSET", "RSET", kDone); }

void SmtpSession::quit() { command("QUIT", "QUIT", kDone); }

bool SmtpSession::is_quiet() {
  return !socket().poll(Poco::Timespan(0), Poco::Net::Socket::SELECT_READ | Poco::Net::Socket::SELECT_ERROR);
}

}  // namespace pixledger::workers
