#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

#include "base/net/host_port.h"
#include "base/platform/clock.h"

namespace pixledger::tools {

// A merchant's side of webhooks, to try them: answers 200 to what is signed with the secret and 401 to the
// rest, and prints each. Prints from several threads, one webhook at a time.
class WebhookReceiver {
 public:
  // Listens on return. `out` and the clock outlive it. Throws std::runtime_error when it cannot listen.
  WebhookReceiver(const HostPort& listen, const std::string& secret, const Clock& clock, std::ostream& out);
  ~WebhookReceiver();
  WebhookReceiver(const WebhookReceiver&) = delete;
  WebhookReceiver& operator=(const WebhookReceiver&) = delete;

  std::uint16_t port() const;
  // Answered so far.
  std::uint64_t valid() const;
  std::uint64_t invalid() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pixledger::tools
