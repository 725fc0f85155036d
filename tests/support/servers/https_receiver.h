#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/servers/test_certificates.h"

namespace Poco::Net {
class HTTPServer;
}

namespace pixledger::tests {

struct ReceivedWebhook {
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string method;

  const std::string& header(const std::string& name) const { return headers.at(name); }
};

struct ReceiverAnswer {
  int status = 200;
  std::map<std::string, std::string> headers{};
  std::string body = "ok";
  bool never = false;  // no answer for as long as the receiver lives
  bool broken_off =
      false;  // the connection is closed after the body, or before the answer if the body is empty
};

// A merchant's endpoint: a real HTTPS server on 127.0.0.1 that records the requests.
class HttpsReceiver {
 public:
  // Returns the answer; called by several threads at once. `nth` counts requests from 1.
  using Script = std::function<ReceiverAnswer(const ReceivedWebhook& webhook, std::size_t nth)>;

  explicit HttpsReceiver(const CertificateFiles& certificate, Script script = {});
  // Requires a client certificate of this authority.
  HttpsReceiver(const CertificateFiles& certificate, const std::string& client_ca_file, Script script);
  // Without TLS.
  explicit HttpsReceiver(Script script);
  ~HttpsReceiver();

  std::uint16_t port() const;
  // Waits at most 20 s for `count` requests. Returns those that came.
  std::vector<ReceivedWebhook> wait_for(std::size_t count) const;
  std::vector<ReceivedWebhook> received() const;
  // TCP connections accepted so far.
  int connections() const;

 private:
  friend class ReceiverHandler;
  ReceiverAnswer answer(ReceivedWebhook webhook);

  Script script_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<ReceivedWebhook> received_;
  bool ending_ = false;
  std::unique_ptr<Poco::Net::HTTPServer> server_;
};

}  // namespace pixledger::tests
