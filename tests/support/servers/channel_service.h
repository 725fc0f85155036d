#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stores/deliveries/delivery_repository.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {

// An API server with a project, and a resolver of three hosts: shop.example and other.example are public,
// inside.example is not.
struct ChannelService {
  ChannelService();

  static inline const std::string kPath = "/api/v1/notification-channels";

  HttpAnswer send(const std::string& method, const std::string& path, const std::string& body = "") const {
    return service.send(method, path, project.live_key, body);
  }
  HttpAnswer add(const std::string& body = R"({"url":"https://shop.example/hooks"})") const {
    return send("POST", kPath, body);
  }
  std::string add_one() const { return add().at("/data/id"); }
  HttpAnswer get(const std::string& id) const { return send("GET", kPath + "/" + id); }
  HttpAnswer update(const std::string& id, const std::string& body) const {
    return send("PATCH", kPath + "/" + id, body);
  }
  HttpAnswer remove(const std::string& id) const { return send("DELETE", kPath + "/" + id); }
  domain::Channel state_of(const std::string& id);
  // As the worker would.
  void disable(const std::string& id, domain::ChannelDisabledReason reason);

  // Adds a delivery of the charge's creation, as the worker would. Returns its id.
  std::string deliver(const std::string& channel, const std::string& charge);
  // Adds an attempt. Status 0: no answer.
  void attempt(const std::string& delivery, int http_status, stores::DeliveryStatus then,
               const std::string& answer = "");
  // Moves the worker's cursor to the log's head, so that earlier events are not delivered.
  void pass_over_events();

  FakeResolver resolver;  // may be replaced
  TestService service;
  TestService::Project project;
};

}  // namespace pixledger::tests
