#include "tests/support/servers/smtp_server.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/paths.h"

namespace pixledger::tests {
namespace {

// Debian's own: a Python from elsewhere does not see Debian's packages.
constexpr const char* kPython = "/usr/bin/python3";

std::string script(const std::string& name) { return source_file("tests/support/servers/" + name); }

}  // namespace

SmtpServer::SmtpServer(std::vector<std::string> arguments) { start(std::move(arguments)); }

void SmtpServer::start(std::vector<std::string> arguments) {
  const auto port_file = home_.path() / "port";
  std::filesystem::remove(port_file);
  std::vector<std::string> all{script("smtp_server.py"),
                               "--port-file",
                               port_file.string(),
                               "--mails",
                               (home_.path() / "mails").string(),
                               "--log",
                               (home_.path() / "log").string(),
                               "--port",
                               std::to_string(port_)};
  all.insert(all.end(), arguments.begin(), arguments.end());
  process_ = std::make_unique<Process>(kPython, all);
  const bool ready =
      eventually([&] { return std::filesystem::exists(port_file) || process_->wait({}).has_value(); });
  if (!ready || !std::filesystem::exists(port_file))
    throw std::runtime_error("no mail server; it wrote: " + process_->err());
  std::ifstream(port_file) >> port_;
}

std::vector<std::filesystem::path> SmtpServer::mails() const {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(home_.path() / "mails")) {
    if (entry.path().extension() == ".eml") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t SmtpServer::log_count(const std::string& line) const {
  std::ifstream log(home_.path() / "log");
  std::size_t count = 0;
  for (std::string each; std::getline(log, each);) count += each == line ? 1U : 0U;
  return count;
}

bool SmtpServer::ended() { return process_->wait({}).has_value(); }

void SmtpServer::kill() {
  process_->send(SIGKILL);
  process_->wait();
}

void SmtpServer::restart(std::vector<std::string> arguments) {
  kill();
  start(std::move(arguments));
}

std::string read_mail(const std::filesystem::path& file) {
  const auto result = run_process(kPython, {script("read_mail.py"), file.string()});
  if (result.code != 0) throw std::runtime_error("cannot read an e-mail: " + result.err);
  return result.out;
}

}  // namespace pixledger::tests
