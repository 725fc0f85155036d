#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

struct CertificateFiles {
  std::string cert_file;
  std::string key_file;
};

// A certificate authority of one test; the destructor removes its files.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();

  std::string ca_file() const { return (directory_.path() / "ca.pem").string(); }
  // For one host name; valid from an hour ago until an hour from now.
  CertificateFiles issue(const std::string& host) const { return issue_valid_until(host, 3600); }
  // The same, but expired a minute ago.
  CertificateFiles issue_expired(const std::string& host) const { return issue_valid_until(host, -60); }

  // Self-signed.
  CertificateFiles issue_self_signed(const std::string& host) const;

 private:
  struct Keys;
  CertificateFiles issue_valid_until(const std::string& host, long seconds_from_now) const;

  TemporaryDirectory directory_;
  std::unique_ptr<Keys> keys_;
  mutable int issued_ = 0;
};

}  // namespace pixledger::tests
