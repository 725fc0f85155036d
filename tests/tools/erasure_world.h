#pragma once

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"

// A ledger with its programs, and a customer who is erased.
namespace pixledger::tests {

inline constexpr const char* kDocument = "39053344705";
inline const std::vector<std::string> kPersonal{
    "Zuleica",       "zuleica",       kDocument,  "Zebradas", "zq@example.com",
    "1198765000123", "203.0.113.177", "Quaresma", "quaresma", "atrasou o pix"};

inline std::string zuleica() {
  std::string body = R"({"customer":{"name":"Zuleica Quaresma","document":")";
  body += kDocument;
  body +=
      R"(","email":"zq@example.com","phone":"1198765000123","address":{"street":"Rua das Acacias Zebradas",)"
      R"("city":"Recife"}},"payment":{"amountCents":1990,"product":"Camiseta","quantity":2},)"
      R"("originDomain":"loja.example.com","customerIp":"203.0.113.177"})";
  return body;
}

inline std::string somebody(unsigned number) {
  const auto digits = std::to_string(10'000'000'000 + number);
  return R"({"customer":{"name":"Pessoa )" + std::to_string(number) + R"(","document":")" + digits +
         R"(","email":"p)" + digits +
         R"(@example.com","phone":"11987654321","address":{"street":"Rua A"}},)"
         R"("payment":{"amountCents":500,"product":"Livro","quantity":1},"originDomain":"loja.example.com",)"
         R"("customerIp":"198.51.100.7"})";
}

// Returns the file and text of personal data that are still found, or "".
inline std::string found_below(const std::filesystem::path& directory) {
  std::string found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    for (const auto& text : kPersonal) {
      if (bytes.find(text) != std::string::npos) found += entry.path().string() + ": " + text + "\n";
    }
  }
  return found;
}

class World {
 public:
  World() {
    const auto created = pixledger.create_project();
    project = json_at(created, "/projectId");
    key = json_at(created, "/testKey");
  }

  void start_server() {
    const auto port_file = pixledger.directory() / "port";
    std::filesystem::remove(port_file);
    server = start("server", {"--listen", "127.0.0.1:0", "--port-file", port_file.string(), "--allow-http",
                              "--allow-target", "127.0.0.0/8", "--pay-url", "https://pay.example.com"});
    REQUIRE(server->wait_for_out("ready on"));
    std::ifstream(port_file) >> port;
  }
  void start_workers() {
    webhooks =
        start("webhooks", {"--allow-http", "--allow-target", "127.0.0.0/8", "--resume-from", "beginning"});
    emails = start("emails", {"--resume-from", "beginning"});
  }
  static void stop(std::unique_ptr<Process>& process) {
    process->send(SIGTERM);
    CHECK(process->wait() == 0);
    process.reset();
  }

  RawReply call(const std::string& method, const std::string& path, const std::string& body = "",
                const std::string& headers = "") const {
    return tests::exchange(
        port, method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers +
                  "Authorization: Bearer " + key + "\r\nContent-Type: application/json\r\n" +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string create(const std::string& body) const {
    const auto reply = call("POST", "/api/v1/transactions", body);
    INFO(reply.body);
    REQUIRE(reply.status == 201);
    return json_at(reply.body, "/data/id");
  }
  std::string customer_of(const std::string& charge) const {
    return json_at(call("GET", "/api/v1/transactions/" + charge).body, "/data/customer/id");
  }
  bool has_email() const {
    const auto outbox = pixledger.data() / "outbox";
    return std::filesystem::is_directory(outbox) && !std::filesystem::is_empty(outbox);
  }
  std::vector<std::string> erasure_of(const std::string& customer) const {
    return {"customer", "erase", "--id", customer, "--reason", "the customer asked for it", "--json"};
  }
  void check_verified() const {
    const auto verified = pixledger.run({"verify", "--json"});
    INFO(verified.out);
    CHECK(verified.code == 0);
  }

  PixledgerCommand pixledger;
  std::string project;
  std::string key;
  std::uint16_t port = 0;
  std::unique_ptr<Process> server, webhooks, emails;

 private:
  std::unique_ptr<Process> start(const std::string& name, const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(built_program("pixledger-" + name), pixledger.arguments(arguments));
  }
};

}  // namespace pixledger::tests
