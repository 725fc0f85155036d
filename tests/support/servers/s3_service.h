#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// The S3 services of tests/s3/serve.mjs: s3rver in the bucket "others", a stand-in in all other buckets, both
// behind a verifier of signatures.
class S3Service {
 public:
  S3Service();

  // "s3://BUCKET[/PREFIX]?endpoint=…"
  std::string uri(const std::string& bucket_and_prefix) const;
  std::uint16_t port() const { return port_; }
  // A file of valid credentials.
  const std::filesystem::path& credentials() const { return credentials_; }

  // All of them, as none may be in a message.
  static constexpr const char* kId = "S3RVER";
  static constexpr const char* kSecret = "a-secret-of-the-tests/+=";
  static constexpr const char* kToken = "a-session-token";

 private:
  TemporaryDirectory home_;
  std::filesystem::path credentials_;
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
};

}  // namespace pixledger::tests
