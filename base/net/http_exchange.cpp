#include "base/net/http_exchange.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/SSLException.h>
#include <array>
#include <istream>
#include <utility>

namespace pixledger {
namespace {

constexpr std::size_t kErrorBytesMax = 200;

}  // namespace

std::string printable_failure(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = ' ';
  }
  return text.substr(0, kErrorBytesMax);
}

std::string describe_failure(const Poco::Exception& error) {
  if (dynamic_cast<const Poco::TimeoutException*>(&error)) return "timeout";
  if (dynamic_cast<const Poco::Net::ConnectionRefusedException*>(&error)) return "connection refused";
  if (dynamic_cast<const Poco::Net::CertificateValidationException*>(&error))
    return "the server's certificate is refused";
  std::string text = error.displayText();
  // POCO has no type of its own for a chain that does not lead to a trusted root, or a date that has passed.
  if (text.find("certificate verify failed") != std::string::npos)
    return "the server's certificate is refused";
  if (dynamic_cast<const Poco::Net::SSLException*>(&error)) text = "TLS failed: " + error.message();
  return printable_failure(std::move(text));
}

bool was_closed(const Poco::Exception& error) {
  return dynamic_cast<const Poco::IOException*>(&error) != nullptr &&
         dynamic_cast<const Poco::Net::MessageException*>(&error) == nullptr;
}

bool is_interim(Poco::Net::HTTPResponse::HTTPStatus status) {
  return status < Poco::Net::HTTPResponse::HTTP_OK &&
         status != Poco::Net::HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
}

bool read_body(std::istream& body, std::size_t bytes_max, std::string& text) {
  std::array<char, 4096> buffer;
  while (text.size() <= bytes_max) {
    body.read(buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(body.gcount()));
    if (body.eof()) return text.size() <= bytes_max;
    if (!body) return false;
  }
  return false;
}

}  // namespace pixledger
