#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/net/http_url.h"
#include "base/process/logging.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// A logger that writes to a file.
class Log {
 public:
  explicit Log(LogFormat format)
      : descriptor_(::open(path().c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
        logger(format, clock_, descriptor_) {}
  ~Log() { ::close(descriptor_); }

  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }

 private:
  std::string path() const { return directory_.path() / "log"; }

  TemporaryDirectory directory_;
  FixedClock clock_{Timestamp(1'769'860'800'123)};
  int descriptor_;

 public:
  Logger logger;
};

}  // namespace

TEST_CASE("an entry is one JSON object a line") {
  Log log(LogFormat::kJson);
  log.logger.info("started", {{"program", "pixledger-server"}, {"pid", 42}, {"dev", true}});
  log.logger.error("line\nbreak \"quoted\"");
  CHECK(log.text() ==
        "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"message\":\"started\","
        "\"program\":\"pixledger-server\",\"pid\":42,\"dev\":true}\n"
        "{\"time\":\"2026-01-31T12:00:00.123Z\",\"level\":\"error\",\"message\":\"line\\nbreak "
        "\\\"quoted\\\"\"}\n");
}

TEST_CASE("an entry for people is one line without control characters") {
  Log log(LogFormat::kText);
  log.logger.warning("it\n\033[2Jended",
                     {{"program", "a b"}, {"pid", 42}, {"path", "/x"}, {"odd", "\033[2J"}});
  CHECK(log.text() ==
        "2026-01-31T12:00:00.123Z warning it  [2Jended  program=\"a b\"  pid=42  path=/x  "
        "odd=\"\\u001B[2J\"\n");
}

TEST_CASE("a text that looks like a secret is masked") {
  for (const LogFormat format : {LogFormat::kJson, LogFormat::kText}) {
    Log log(format);
    log.logger.info("key sk_live_abcDEF123 used",
                    {{"secret", "whsec_00ff"}, {"other", "sk_test_zzz,sk_test_yyy"}});
    CHECK(log.text().find("sk_live_*** used") != std::string::npos);
    for (const char* secret : {"abcDEF123", "00ff", "zzz", "yyy"}) {
      CHECK(log.text().find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("a text that is not UTF-8 does not spoil the JSON") {
  Log log(LogFormat::kJson);
  log.logger.info("bad \xff\xfe", {{"cut", "\xc3"}, {"good", "é"}});
  CHECK(log.text().find("\"message\":\"bad ??\",\"cut\":\"?\",\"good\":\"é\"") != std::string::npos);
}

TEST_CASE("lines of several threads do not mix") {
  Log log(LogFormat::kJson);
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&log] {
      for (int line = 0; line < kLines; ++line) log.logger.info("message", {{"line", line}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream text(log.text());
  int count = 0;
  for (std::string line; std::getline(text, line); ++count) {
    REQUIRE(line.front() == '{');
    REQUIRE(line.back() == '}');
    REQUIRE(line.find('{', 1) == std::string::npos);
  }
  CHECK(count == kThreads * kLines);
}

TEST_CASE("an address to listen on is a host and a port") {
  CHECK(HostPort::parse("127.0.0.1:8080")->text() == "127.0.0.1:8080");
  CHECK(HostPort::parse("localhost:0")->port == 0);
  CHECK(HostPort::parse("[::1]:80")->host == "::1");
  CHECK(HostPort::parse("[::1]:80")->text() == "[::1]:80");
  CHECK(HostPort::parse("[::1]:80")->text_unbound() == "[::1]:80");
  CHECK(HostPort::parse("[::1]:0")->text_unbound() == "[::1] with any free port");
  for (const char* bad : {"", "8080", ":8080", "host:", "host:65536", "host:-1", "host:80x", "::1:80",
                          "[::1:80", "[host]:80", "ho st:80", "http://host:80"}) {
    INFO(bad);
    CHECK_FALSE(HostPort::parse(bad));
  }
}

TEST_CASE("a port file appears as a whole") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "port";
  write_port_file(file, 8080);
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  CHECK(line == "8080");
  CHECK_FALSE(std::filesystem::exists(directory.path() / "port.new"));
}

TEST_CASE("lines lost to a full disk are counted in the log, and later ones are whole") {
  Log log(LogFormat::kJson);
  log.logger.info("first");
  const auto whole = log.text();
  {
    const FullDisk disk(whole.size() + 10);
    log.logger.info("cut off");
    log.logger.info("lost");
    CHECK(log.text().size() == whole.size() + 10);
  }
  log.logger.info("last");
  std::istringstream lines(log.text().substr(whole.size()));
  std::string line;
  std::getline(lines, line);  // the written part of the line that was cut off
  std::getline(lines, line);
  CHECK(line.find("log lines could not be written and are lost") != std::string::npos);
  CHECK(line.find("\"count\":2") != std::string::npos);
  std::getline(lines, line);
  CHECK(line.find("\"message\":\"last\"") != std::string::npos);
  CHECK_FALSE(std::getline(lines, line));
  log.logger.info("and none is lost after that");
  CHECK(log.text().find("lost", log.text().find("last")) == log.text().rfind("lost"));
}
