#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// A real mail server (aiosmtpd) on 127.0.0.1 that keeps what it accepts.
class SmtpServer {
 public:
  // Arguments of smtp_server.py, without the files.
  explicit SmtpServer(std::vector<std::string> arguments = {});

  std::uint16_t port() const { return port_; }
  // Paths of the messages it has accepted, in order.
  std::vector<std::filesystem::path> mails() const;
  std::size_t log_count(const std::string& line) const;

  // Whether the process has ended.
  bool ended();
  void kill();
  // Restarts it on the same port; the messages stay.
  void restart(std::vector<std::string> arguments);

 private:
  void start(std::vector<std::string> arguments);

  TemporaryDirectory home_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

// An e-mail as Python's MIME parser reads it: a line of JSON, see read_mail.py.
std::string read_mail(const std::filesystem::path& file);

}  // namespace pixledger::tests
