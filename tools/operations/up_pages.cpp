#include "tools/operations/up_pages.h"

#include <Poco/Net/ServerSocket.h>
#include <fstream>

#include "base/net/http_url.h"
#include "base/platform/durable_files.h"
#include "base/process/options.h"

namespace pixledger::tools {
namespace {

using Arguments = std::vector<std::string>;

constexpr const char* kDashboardUrlFile = "dashboard-url";

// Removes an option and the value after it.
Arguments without(const std::string& option, Arguments arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size();) {
    if (arguments[i] == option)
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    else
      ++i;
  }
  return arguments;
}

std::string scheme_of(const std::string& tls_cert) { return tls_cert.empty() ? "http://" : "https://"; }

// The local address of a program that listens on all addresses.
std::string local_host(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

std::uint16_t free_port(const std::string& host) {
  Poco::Net::ServerSocket socket;
  socket.bind(Poco::Net::SocketAddress(host, std::uint16_t{0}), true);
  return socket.address().port();
}

// Options that let the pages find the API, unless given.
Arguments api_arguments(const pixledger::ServerOptions& server) {
  const auto listen = parse_option<HostPort>("--listen", server.listen);
  const auto url_with = [&](std::uint16_t port) {
    return scheme_of(server.tls_cert) + HostPort{local_host(listen.host), port}.text();
  };
  if (listen.port != 0) return {"--api", url_with(listen.port)};
  if (server.port_file.empty())
    throw UsageError("--port-file is missing: it tells payers' pages of --listen with port 0");
  constexpr std::uint16_t kAnyPort = 80;  // the file contains the actual port
  return {"--api", url_with(kAnyPort), "--api-port-file",
          std::filesystem::absolute(server.port_file).string()};
}

void give(Arguments& to, const std::string& option, const std::string& value) {
  to.insert(to.end(), {option, value});
}

// A listen address, with port 0 replaced by a free port.
HostPort placed(const std::string& listen) {
  auto at = HostPort::parse(listen).value();
  if (at.port == 0) at.port = free_port(at.host);
  return at;
}

void place_payers_pages(const pixledger::WebOptions& web, PagesStart& start) {
  const auto listen = pay_listen_of(web);
  if (listen.empty()) return;
  const auto at = placed(listen);
  give(start.web, "--pay-listen", at.text());
  if (!web.pay_url.empty()) return;
  const auto url = scheme_of(web.tls_cert) + HostPort{local_host(at.host), at.port}.text();
  give(start.web, "--pay-url", url);
  give(start.server, "--pay-url", url);
}

// The default URL uses localhost, a name under which browsers allow passkeys.
void place_dashboard(const pixledger::WebOptions& web, PagesStart& start) {
  if (web.dashboard_listen.empty()) return;
  const auto at = placed(web.dashboard_listen);
  give(start.web, "--dashboard-listen", at.text());
  start.dashboard_url = web.dashboard_url;
  if (!web.dashboard_url.empty()) return;
  const auto url = scheme_of(web.tls_cert) + HostPort{"localhost", at.port}.text();
  give(start.web, "--dashboard-url", url);
  give(start.server, "--dashboard-url", url);
  start.dashboard_url = url;
}

}  // namespace

PagesStart start_pages(const std::vector<std::string>& given, const pixledger::WebOptions& web,
                       const pixledger::ServerOptions& server, const std::string& port_file,
                       const std::filesystem::path& data) {
  pixledger::refuse(check(web));
  PagesStart start;
  start.web = without("--dashboard-listen", without("--pay-listen", given));
  if (!port_file.empty()) give(start.web, "--port-file", port_file);
  place_payers_pages(web, start);
  place_dashboard(web, start);
  start.key_file = web.web_key_file;
  if (start.key_file.empty()) {
    start.key_file = std::filesystem::absolute(data) / "web-key";
    give(start.web, "--web-key-file", start.key_file.string());
    give(start.server, "--web-key-file", start.key_file.string());
  }
  const bool names_api = std::find(given.begin(), given.end(), "--api") != given.end();
  if (!names_api) {
    const auto api = api_arguments(server);
    start.web.insert(start.web.end(), api.begin(), api.end());
  }
  return start;
}

std::string known_dashboard_url(const std::filesystem::path& data) {
  std::ifstream file(data / kDashboardUrlFile);
  std::string url;
  std::getline(file, url);
  OptionProblems problems;
  check_dashboard_url(url, problems);
  return problems.empty() ? url : std::string();
}

void note_dashboard_url(const std::filesystem::path& data, const std::string& url) {
  if (known_dashboard_url(data) == url) return;
  const auto file = data / kDashboardUrlFile;
  if (url.empty())
    std::filesystem::remove(file);
  else
    write_durably(file, url + "\n");
}

}  // namespace pixledger::tools
