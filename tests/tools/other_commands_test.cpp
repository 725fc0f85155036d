#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "tests/support/pixledger_command.h"

using namespace pixledger::tests;

TEST_CASE("a QR code is drawn with half blocks inside a quiet zone") {
  const PixledgerCommand pixledger;
  const auto lines = lines_of(pixledger.done({"qr", "00020126"}));
  REQUIRE(lines.size() == 15);  // 21 modules and two times four quiet ones, two a line
  CHECK(lines[0] == std::string(29, ' '));
  CHECK(lines[1] == std::string(29, ' '));
  // The finder pattern in the upper left corner.
  CHECK(lines[2].substr(0, 4 + 7 * 3) == "    █▀▀▀▀▀█");
  CHECK(lines[3].substr(0, 4 + 1 + 5 * 3 + 1) == "    █ ███ █");
  CHECK(lines[4].substr(0, 4 + 1 + 5 * 3 + 1) == "    █ ▀▀▀ █");
  CHECK(lines[5].substr(0, 4 + 7 * 3) == "    ▀▀▀▀▀▀▀");
}

TEST_CASE("a text that no QR code can hold is a usage error") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.run({"qr", std::string(5000, 'x')}).code == 2);
  CHECK(pixledger.run({"qr"}).code == 2);
}

TEST_CASE("accepting the clock needs a ledger") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.run({"clock", "accept"}).code == 3);
  pixledger.done({"init"});
  CHECK(pixledger.done({"clock", "accept"}).find("accepted") != std::string::npos);
}

TEST_CASE("help is done, a missing or unknown command is a usage error") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.done({"--help"}).find("verify") != std::string::npos);
  CHECK(pixledger.done({"key", "issue", "--help"}).find("--scopes") != std::string::npos);
  CHECK(pixledger.done({"--version"}).find("pixledger ") == 0);
  CHECK(pixledger.run({}).code == 2);
  CHECK(pixledger.run({"frobnicate"}).code == 2);
  CHECK(pixledger.run({"key"}).code == 2);
}

TEST_CASE("output that cannot be written is a fault") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  auto arguments = pixledger.arguments({"events"});
  arguments.insert(arguments.begin(),
                   {"-c", "exec \"$0\" \"$@\" >/dev/full", built_program("pixledger").string()});
  CHECK(run_process("/bin/sh", arguments).code == 3);
}

TEST_CASE("run as root, a command becomes the owner of the data directory") {
  if (::geteuid() != 0) {
    WARN("needs root");
    return;
  }
  constexpr uid_t kNobody = 65534;
  const PixledgerCommand pixledger;
  pixledger.create_project();
  std::filesystem::permissions(pixledger.directory(), std::filesystem::perms(0755));
  REQUIRE(::chown(pixledger.data().c_str(), kNobody, kNobody) == 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(pixledger.data())) {
    REQUIRE(::chown(entry.path().c_str(), kNobody, kNobody) == 0);
  }
  Process follower(built_program("pixledger"), pixledger.arguments({"events", "--follow"}));
  REQUIRE(follower.wait_for_out("\"position\":3,"));
  std::ifstream status("/proc/" + std::to_string(follower.pid()) + "/status");
  std::string text((std::istreambuf_iterator<char>(status)), std::istreambuf_iterator<char>());
  CHECK(text.find("Uid:\t65534\t65534\t65534\t65534") != std::string::npos);
  CHECK(text.find("Gid:\t65534\t65534\t65534\t65534") != std::string::npos);
}
