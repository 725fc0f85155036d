#pragma once

#include <catch2/catch.hpp>
#include <simdjson.h>
#include <string>
#include <vector>

#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

// The event feed as a client reads it.
namespace pixledger::tests {

struct Item {
  std::string id;
  std::string event;
  std::string transaction;
};
struct Page {
  std::vector<Item> items;
  std::string next;
};

inline Page page_of(const HttpAnswer& answer) {
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  simdjson::dom::parser parser;
  const simdjson::padded_string text(answer.body);
  const auto root = parser.parse(text);
  Page page;
  for (const auto item : root.at_pointer("/data").get_array()) {
    std::string_view transaction;
    if (item["transactionId"].get(transaction) != simdjson::SUCCESS) transaction = {};
    page.items.push_back({std::string(item["id"].get_string().value()),
                          std::string(item["event"].get_string().value()), std::string(transaction)});
  }
  page.next = std::string(root.at_pointer("/meta/next").get_string().value());
  return page;
}

inline HttpAnswer ask(const TestService& service, const std::string& key, const std::string& query = "") {
  return service.send("GET", "/api/v1/events" + query, key);
}

// Reads everything from a cursor on, in pages of `limit`.
inline std::vector<Item> read_all(const TestService& service, const std::string& key, unsigned limit,
                                  std::string after = "") {
  std::vector<Item> all;
  while (true) {
    auto query = "?limit=" + std::to_string(limit);
    if (!after.empty()) query += "&after=" + after;
    auto page = page_of(ask(service, key, query));
    CHECK(page.items.size() <= limit);
    if (page.items.empty()) return all;
    CHECK(page.next == page.items.back().id);
    after = page.next;
    all.insert(all.end(), page.items.begin(), page.items.end());
  }
}

inline std::vector<std::string> names(const std::vector<Item>& items) {
  std::vector<std::string> found;
  for (const auto& item : items) found.push_back(item.event);
  return found;
}

}  // namespace pixledger::tests
