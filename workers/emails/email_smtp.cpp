#include "workers/emails/email_smtp.h"

#include <Poco/Environment.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <algorithm>
#include <cassert>
#include <sstream>
#include <utility>

#include "base/net/http_client.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/text/enum_names.h"
#include "workers/emails/email_message.h"

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
  offers_ = to_upper_case(answer);
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
    return command("AUTH PLAIN", "AUTH PLAIN " + to_base64('\0' + user + '\0' + password), kDone);
  if (!offers("AUTH", "LOGIN"))
    throw Poco::Net::SMTPException("the mail server offers neither AUTH PLAIN nor AUTH LOGIN");
  command("AUTH LOGIN", "AUTH LOGIN", kGoOn);
  command("AUTH LOGIN", to_base64(user), kGoOn);
  command("AUTH LOGIN", to_base64(password), kDone);
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

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFarewellPatience{2'000};

Poco::Timespan timespan(milliseconds duration) { return Poco::Timespan(duration.count() * 1000); }

// A permanent reply about this recipient or message. Other replies that begin with 5 are about the session
// and may be temporary: a required login (RFC 4954 §6), and 552 to a recipient, which full servers send
// instead of 452 (RFC 5321 §4.5.3.1.10).
bool is_final_for_recipient(int code) { return code / 100 == 5 && code != 530 && code != 552; }
bool is_final_for_message(int code) { return code / 100 == 5 && code != 530; }

EmailAttempt failed(const std::string& error) { return {EmailResult::kFailed, error}; }

}  // namespace

std::optional<SmtpTls> parse_smtp_tls(std::string_view text) {
  return EnumNames<SmtpTls::kOff, SmtpTls::kTls>("off", "starttls", "tls").parse(text);
}

SmtpTransport::SmtpTransport(SmtpOptions options, DeadlineWatch& watch, BoundedResolver& resolver)
    : options_(std::move(options)),
      watch_(watch),
      resolver_(resolver),
      tls_(make_tls_client_context(options_.ca_file)) {
  assert(!options_.credentials || options_.tls != SmtpTls::kOff);
}

SmtpTransport::~SmtpTransport() { rest(); }

void SmtpTransport::rest() {
  if (!session_) return;
  const auto session = std::move(session_);
  DeadlineWatch::Watched watched(watch_, steady_clock::now() + kFarewellPatience);
  try {
    watched.use_socket(session->descriptor());
    session->quit();
  } catch (const std::exception&) {
    // The server has the e-mails; the result of QUIT does not matter.
  }
}

EmailAttempt SmtpTransport::deliver(const OutgoingEmail& email) {
  DeadlineWatch::Watched watched(watch_, steady_clock::now() + options_.attempt_timeout);
  EmailAttempt attempt = failed("");
  try {
    if (session_ && !session_->is_quiet()) session_.reset();
    if (session_)
      watched.use_socket(session_->descriptor());
    else
      session_ = open(watched);
    attempt = send(email);
  } catch (const ResolveTimeout& error) {
    return failed(error.what());
  } catch (const Poco::Exception& error) {
    attempt = failed(error.displayText());
  } catch (const std::exception& error) {
    attempt = failed(error.what());
  }
  if (watched.expired() && attempt.result != EmailResult::kAccepted)
    attempt = failed("the mail server did not answer in time");
  if (attempt.result == EmailResult::kFailed || watched.expired()) session_.reset();
  return attempt;
}

// POCO's own connect has no timeout, and its reads have one each.
Poco::Net::StreamSocket SmtpTransport::connect(DeadlineWatch::Watched& watched) const {
  const auto addresses = resolver_.resolve(options_.server.host, steady_clock::now() + watched.left());
  if (addresses.empty()) throw Poco::Net::HostNotFoundException(options_.server.host);
  auto socket = connect_to_any(addresses, options_.server.port, options_.connect_timeout, watched).socket;
  socket.setReceiveTimeout(timespan(options_.attempt_timeout));
  socket.setSendTimeout(timespan(options_.attempt_timeout));
  return socket;
}

std::unique_ptr<SmtpSession> SmtpTransport::open(DeadlineWatch::Watched& watched) const {
  auto socket = connect(watched);
  if (options_.tls == SmtpTls::kTls)
    socket = Poco::Net::SecureStreamSocket::attach(socket, options_.server.host, tls_);
  auto session = std::make_unique<SmtpSession>(socket);
  session->greet();
  session->hello();
  if (options_.tls == SmtpTls::kStartTls) {
    // An attacker in between may have removed the offer.
    if (!session->offers("STARTTLS"))
      throw Poco::Net::SMTPException("the mail server does not offer STARTTLS");
    session = session->encrypt(options_.server.host, tls_);
    session->hello();  // offers in plain text do not count (RFC 3207 §4.2)
  }
  if (options_.credentials) session->login(options_.credentials->user, options_.credentials->password);
  return session;
}

EmailAttempt SmtpTransport::send(const OutgoingEmail& email) {
  session_->mail_from(options_.from.text());
  try {
    session_->rcpt_to(email.to);
  } catch (const SmtpRefusal& refusal) {
    if (!is_final_for_recipient(refusal.code())) throw;
    return give_up(refusal);
  }
  try {
    session_->data(email.bytes);
  } catch (const SmtpRefusal& refusal) {
    if (!is_final_for_message(refusal.code())) throw;
    return give_up(refusal);
  }
  return {EmailResult::kAccepted, ""};
}

EmailAttempt SmtpTransport::give_up(const SmtpRefusal& refusal) {
  try {
    session_->reset();
  } catch (const std::exception&) {
    session_.reset();
  }
  return {EmailResult::kRefused, refusal.what()};
}

}  // namespace pixledger::workers
