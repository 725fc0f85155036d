#include "tools/operations/up_pages.h"

#include <catch2/catch.hpp>
#include <csignal>

#include "base/process/options.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {
namespace {

using Arguments = std::vector<std::string>;

// The option's value, or "".
std::string value_of(const Arguments& arguments, const std::string& option) {
  const auto found = std::find(arguments.begin(), arguments.end(), option);
  return found == arguments.end() ? "" : *(found + 1);
}

tools::PagesStart start(const Arguments& given, const pixledger::WebOptions& web,
                        const pixledger::ServerOptions& server = {}) {
  return tools::start_pages(given, web, server, "web-port", "/data");
}

}  // namespace

TEST_CASE("server and pages get the same URL of the pages, and the same key") {
  pixledger::WebOptions web;
  web.pay_listen = "0.0.0.0:8081";
  const auto pages = start({"--pay-listen", web.pay_listen, "--loops", "2"}, web);
  for (const auto* arguments : {&pages.server, &pages.web}) {
    CHECK(value_of(*arguments, "--pay-url") == "http://127.0.0.1:8081");
    CHECK(value_of(*arguments, "--web-key-file") == "/data/web-key");
  }
  CHECK(pages.key_file == "/data/web-key");
  CHECK(value_of(pages.web, "--pay-listen") == "0.0.0.0:8081");
  CHECK(value_of(pages.web, "--port-file") == "web-port");
  CHECK(value_of(pages.web, "--api") == "http://127.0.0.1:8080");
  CHECK(value_of(pages.web, "--loops") == "2");
}

TEST_CASE("given options of the pages are not changed") {
  pixledger::WebOptions web;
  web.pay_url = "https://pay.example.com";
  web.web_key_file = "/keys/web";
  web.api = "https://api.example.com";
  const Arguments given{"--pay-url", web.pay_url, "--web-key-file", web.web_key_file, "--api", web.api};
  const auto pages = start(given, web);
  CHECK(pages.server.empty());
  CHECK(pages.key_file == "/keys/web");
  CHECK(std::count(pages.web.begin(), pages.web.end(), "--api") == 1);
  CHECK(value_of(pages.web, "--api") == web.api);
}

TEST_CASE("pages on any port have one that links can lead to, and find an API on any port by its file") {
  pixledger::WebOptions web;
  web.pay_listen = "127.0.0.1:0";
  pixledger::ServerOptions server;
  server.listen = "[::]:0";
  server.port_file = "/run/port";
  const auto pages = start({}, web, server);
  const auto listen = value_of(pages.web, "--pay-listen");
  CHECK_FALSE(listen.ends_with(":0"));
  CHECK(value_of(pages.server, "--pay-url") == "http://" + listen);
  CHECK(value_of(pages.web, "--api") == "http://[::1]:80");
  CHECK(value_of(pages.web, "--api-port-file") == "/run/port");

  server.port_file.clear();
  CHECK_THROWS_AS(start({}, web, server), UsageError);
}

TEST_CASE("server and dashboard get the same URL, with a host name that passkeys can be made for") {
  pixledger::WebOptions web;
  web.dashboard_listen = "127.0.0.1:0";
  const auto pages = start({"--dashboard-listen", web.dashboard_listen}, web);
  const auto listen = value_of(pages.web, "--dashboard-listen");
  REQUIRE(listen.starts_with("127.0.0.1:"));
  CHECK_FALSE(listen.ends_with(":0"));
  const auto url = "http://localhost" + listen.substr(listen.find(':'));
  CHECK(value_of(pages.web, "--dashboard-url") == url);
  CHECK(value_of(pages.server, "--dashboard-url") == url);
  CHECK(value_of(pages.server, "--web-key-file") == value_of(pages.web, "--web-key-file"));
  // Payers' pages run only on request.
  CHECK(value_of(pages.web, "--pay-listen").empty());
  CHECK(value_of(pages.server, "--pay-url").empty());

  web.dashboard_url = "https://painel.example.com";
  const auto known = start({"--dashboard-url", web.dashboard_url}, web);
  CHECK(value_of(known.web, "--dashboard-url") == web.dashboard_url);
  CHECK(value_of(known.server, "--dashboard-url").empty());
}

TEST_CASE("up says where the dashboard is, and invitations lead to it while it runs") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  unsigned people = 0;
  const auto invited = [&](Arguments more) {
    const auto email = "p" + std::to_string(++people) + "@example.com";
    more.insert(more.begin(),
                {"user", "invite", "--project", project, "--email", email, "--role", "owner", "--json"});
    return pixledger.run(more);
  };
  const auto is_guess = [&] {
    const auto guess = invited({});
    CHECK(json_at(guess.out, "/url").starts_with("http://localhost:8090/"));
    return guess.err.find("http://localhost:8090 is a guess") != std::string::npos &&
           guess.err.find("--dashboard-url") != std::string::npos;
  };
  CHECK(is_guess());
  const auto port_file = (pixledger.directory() / "port").string();
  Process up(built_program("pixledger"),
             pixledger.arguments({"up", "--only", "server,web", "--listen", "127.0.0.1:0", "--port-file",
                                  port_file, "--dashboard-listen", "127.0.0.1:0"}));
  REQUIRE(up.wait_for_err("the dashboard has an address"));
  const auto url = tools::known_dashboard_url(pixledger.data());
  CHECK(url.starts_with("http://localhost:"));
  CHECK(up.err().find(url) != std::string::npos);
  const auto known = invited({});
  CHECK(json_at(known.out, "/url").starts_with(url + "/#/convite/"));
  CHECK(known.err.find("guess") == std::string::npos);
  const auto said = invited({"--dashboard-url", "https://painel.example.com"});
  CHECK(json_at(said.out, "/url").starts_with("https://painel.example.com/"));
  up.send(SIGTERM);
  CHECK(up.wait() == 0);
  tools::note_dashboard_url(pixledger.data(), "");
  CHECK(is_guess());
}

TEST_CASE("a dashboard is reached with TLS, or on localhost") {
  pixledger::WebOptions web;
  for (const auto* url : {"https://painel.example.com", "http://localhost:8090", "http://localhost"}) {
    web.dashboard_url = url;
    CHECK(check(web).empty());
  }
  for (const auto* url : {"http://painel.example.com", "http://127.0.0.1:8090", "https://192.0.2.1",
                          "https://example.com/painel", "x"}) {
    web.dashboard_url = url;
    REQUIRE(check(web).size() == 1);
    CHECK(check(web).front().usage.starts_with("--dashboard-url must be"));
  }
}

TEST_CASE("with a certificate pages and API are spoken to by https") {
  pixledger::WebOptions web;
  web.tls_cert = web.tls_key = "x.pem";
  pixledger::ServerOptions server;
  server.tls_cert = server.tls_key = "x.pem";
  const auto pages = start({}, web, server);
  CHECK(value_of(pages.server, "--pay-url") == "https://127.0.0.1:8081");
  CHECK(value_of(pages.web, "--api") == "https://127.0.0.1:8080");
}

}  // namespace pixledger::tests
