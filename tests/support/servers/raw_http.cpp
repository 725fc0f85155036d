#include "tests/support/servers/raw_http.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <stdexcept>

#include "base/text/ascii.h"

namespace pixledger::tests {
namespace {

constexpr int kPatienceSeconds = 20;

Poco::Net::StreamSocket connect(std::uint16_t port, RawConnection::Security security) {
  const Poco::Net::SocketAddress address("127.0.0.1", port);
  if (security == RawConnection::Security::kPlain) return Poco::Net::StreamSocket(address);
  const Poco::Net::Context::Ptr context =
      new Poco::Net::Context(Poco::Net::Context::TLS_CLIENT_USE, "", "", "", Poco::Net::Context::VERIFY_NONE);
  return Poco::Net::SecureStreamSocket(address, context);
}

}  // namespace

std::string RawReply::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}

RawConnection::RawConnection(std::uint16_t port, Security security) : socket_(connect(port, security)) {
  socket_.setReceiveTimeout(Poco::Timespan(kPatienceSeconds, 0));
  socket_.setNoDelay(true);
}

void RawConnection::send(std::string_view bytes) {
  socket_.sendBytes(bytes.data(), static_cast<int>(bytes.size()));
}

void RawConnection::finish_sending() { socket_.shutdownSend(); }

bool RawConnection::receive_more() {
  char bytes[4096];
  const int count = socket_.receiveBytes(bytes, sizeof bytes);
  if (count <= 0) return false;
  received_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

RawReply RawConnection::read_head() {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive_more()) throw std::runtime_error("closed before a whole reply: '" + received_ + "'");
  }
  RawReply reply;
  reply.head = received_.substr(0, end + 4);
  received_.erase(0, end + 4);

  std::string_view rest = reply.head;
  reply.status = std::stoi(std::string(rest.substr(9, 3)));
  rest.remove_prefix(rest.find("\r\n") + 2);
  while (rest != "\r\n") {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    std::string name(line.substr(0, line.find(':')));
    for (char& c : name) c = to_ascii_lower(c);
    reply.headers[name] = line.substr(line.find(": ") + 2);
  }
  return reply;
}

RawReply RawConnection::read_reply() {
  RawReply reply = read_head();
  const std::string length = reply.header("content-length");
  const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
  while (received_.size() < bytes) {
    if (!receive_more()) throw std::runtime_error("closed in the middle of a body");
  }
  reply.body = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return reply;
}

RawReply RawConnection::read_reply_without_body() { return read_head(); }

std::string RawConnection::read_chunk() {
  std::size_t line = 0;
  const auto more = [this] {
    if (!receive_more()) throw std::runtime_error("closed in the middle of a stream");
  };
  while ((line = received_.find("\r\n")) == std::string::npos) more();
  const std::size_t bytes = std::stoul(received_.substr(0, line), nullptr, 16);
  while (received_.size() < line + bytes + 4) more();
  const auto chunk = received_.substr(line + 2, bytes);
  received_.erase(0, line + bytes + 4);
  return chunk;
}

std::string RawConnection::read_to_end() {
  while (receive_more()) {
  }
  return std::move(received_);
}

bool RawConnection::is_closed_by_peer() {
  try {
    return received_.empty() && !receive_more();
  } catch (const Poco::Net::ConnectionResetException&) {
    return true;
  }
}

RawReply exchange(std::uint16_t port, std::string_view bytes) {
  RawConnection connection(port);
  connection.send(bytes);
  return connection.read_reply();
}

}  // namespace pixledger::tests
