#pragma once

#include <filesystem>
#include <mutex>
#include <string>

namespace pixledger::web {

// The key that the API knows this program by, from the file that its server made. Thread-safe.
class ApiCredentials {
 public:
  // Throws std::runtime_error that names the file when it cannot be read or holds no key.
  explicit ApiCredentials(std::filesystem::path file);

  // "Authorization: Bearer …\r\n"
  std::string header() const;
  // "Pixledger-Web-Key: …\r\n": beside the credentials of whom this program speaks for.
  std::string key_header() const;
  // The API did not take the key: there may be another one. What is no key changes nothing.
  void read_anew();

 private:
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::string key_;
};

}  // namespace pixledger::web
