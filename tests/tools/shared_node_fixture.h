#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/shared_ledger.h"

namespace pixledger::tests {

inline constexpr const char* kProduct = "Camiseta de algodao cru";
inline constexpr const char* kName = "Quiteria Marcadora Teixeira";

// Its programs get the map size as an option.
struct Node {
  // A node of a new ledger.
  Node() : database(std::make_shared<SharedDatabase>()) {
    pixledger.done(
        {"init", "--ledger", database->uri().text, "--ledger-owner", database->owner().text, "--node", "n1"});
    key = json_at(pixledger.create_project(), "/testKey");
  }
  // Another node of the same ledger.
  Node(const Node& first, const std::string& name) : database(first.database), key(first.key) {
    std::filesystem::create_directory(pixledger.data());
    std::filesystem::copy(first.pixledger.data() / "keys", pixledger.data() / "keys");
    options = {"--ledger", database->uri().text, "--node", name};
  }

  std::filesystem::path copy() const { return pixledger.data() / "ledger" / "data.mdb"; }
  bool is_marked_bad() const { return std::filesystem::exists(pixledger.data() / "ledger.astray"); }

  std::shared_ptr<SharedDatabase> database;
  PixledgerCommand pixledger;
  std::string key;
  std::vector<std::string> options;
};

class Server {
 public:
  explicit Server(const Node& node, const std::string& map_size = "1GiB")
      : key_(node.key), process_(built_program("pixledger-server"), arguments(node, map_size)) {
    const std::string address = "ready on http://127.0.0.1:";
    const bool is_up = process_.wait_for_out(address) && process_.wait_for_out("\n");
    INFO(process_.err());
    REQUIRE(is_up);
    port_ = static_cast<std::uint16_t>(
        std::stoul(process_.out().substr(process_.out().find(address) + address.size())));
  }

  // nullopt: no answer.
  std::optional<RawReply> send(const std::string& method, const std::string& path,
                               const std::string& body = {}) const {
    std::ostringstream request;
    request << method << " " << path << " HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer " << key_
            << "\r\nContent-Type: application/json\r\nContent-Length: " << body.size()
            << "\r\nConnection: close\r\n\r\n"
            << body;
    try {
      return pixledger::tests::exchange(port_, request.str());
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  int status(const std::string& method, const std::string& path, const std::string& body = {}) const {
    const auto reply = send(method, path, body);
    return reply ? reply->status : 0;
  }
  // nullopt: no answer.
  std::optional<RawReply> try_create() const {
    std::string body = R"({"customer":{"name":")";
    body += kName;
    body += R"(","document":"52998224725","email":"q@example.com","phone":"11987654321"},)"
            R"("payment":{"amountCents":1990,"product":")";
    body += kProduct;
    body += R"("},"originDomain":"loja.example"})";
    return send("POST", "/api/v1/transactions", body);
  }
  // Its id.
  std::string create() const {
    const auto reply = try_create();
    REQUIRE(reply);
    INFO(reply->body);
    REQUIRE(reply->status == 201);
    return json_at(reply->body, "/data/id");
  }

  Process& process() { return process_; }

 private:
  static std::vector<std::string> arguments(const Node& node, const std::string& map_size) {
    std::vector<std::string> arguments{"--data",       node.pixledger.data().string(),
                                       "--map-size",   map_size,
                                       "--listen",     "127.0.0.1:0",
                                       "--log-format", "json"};
    arguments.insert(arguments.end(), node.options.begin(), node.options.end());
    return arguments;
  }

  const std::string key_;
  Process process_;
  std::uint16_t port_ = 0;
};

}  // namespace pixledger::tests
