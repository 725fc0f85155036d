#include "tools/operations/banks/callback_address.h"

#include "base/process/options.h"
#include "base/values/webhook_url.h"

namespace pixledger::tools {
namespace {

constexpr const char* kThisMachine = "127.0.0.1";
// Beside the connection and the secret, so that the whole stays a URL that is taken anywhere.
constexpr std::size_t kBaseBytesMax = 1024;

}  // namespace

std::string callback_address(const std::string& base, const domain::ConnectionId& connection,
                             bool allow_http) {
  const auto parsed = parse_webhook_url(base);
  if (const auto* refused = std::get_if<TargetRefused>(&parsed)) throw UsageError("--url " + refused->reason);
  const auto& url = std::get<WebhookUrl>(parsed);
  if (!url.https && !(allow_http && url.host == kThisMachine))
    throw UsageError(
        "--url must begin with https://; http://127.0.0.1 is for development alone, with --allow-http");
  if (url.path.find('?') != std::string::npos)
    throw UsageError("--url must have no query: connection and secret are appended to it");
  if (base.size() > kBaseBytesMax)
    throw UsageError("--url must have at most " + std::to_string(kBaseBytesMax) + " bytes");
  std::string address = base;
  while (address.back() == '/') address.pop_back();
  return address + "/" + connection.text();
}

std::string with_secret(std::string_view address, std::string_view secret) {
  return std::string(address) + "/" + std::string(secret);
}

std::string masked(std::string_view url) {
  const auto host = url.find("://");
  const auto slash = url.substr(0, url.find('?')).rfind('/');
  if (host == std::string_view::npos || slash <= host + 2) return std::string(url.substr(0, url.find('?')));
  return std::string(url.substr(0, slash + 1)) + "…";
}

}  // namespace pixledger::tools
