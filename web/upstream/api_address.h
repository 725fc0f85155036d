#pragma once

#include <Poco/Net/SocketAddress.h>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/net/http_url.h"

namespace pixledger::web {

// Where the API's host is at the moment. Name servers and files are asked on a thread of its own, so that
// nobody who connects waits for them. Thread-safe.
class ApiAddress {
 public:
  // `port_file`: has the port in the place of the URL's, which another start of the server may change; may be
  // empty. Asks once before it returns.
  ApiAddress(HttpUrl url, std::filesystem::path port_file);
  ~ApiAddress();
  ApiAddress(const ApiAddress&) = delete;
  ApiAddress& operator=(const ApiAddress&) = delete;

  const HttpUrl& url() const { return url_; }
  // nullopt while it is not known.
  std::optional<Poco::Net::SocketAddress> current() const;
  // The API was not there: asks again, and goes on to the next of its host's addresses.
  void look_again();

 private:
  using Addresses = std::vector<Poco::Net::SocketAddress>;
  void run();
  Addresses look() const;

  const HttpUrl url_;
  const std::filesystem::path port_file_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  Addresses addresses_;
  std::size_t tried_ = 0;  // how often one of them was not it
  bool looks_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::web
