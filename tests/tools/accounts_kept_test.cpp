// Accounts in a backup and a restore of the ledger, and with a damaged database.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "stores/databases/account_database.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/tools/doctor_findings.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

constexpr const char* kToken = "us_of_a_test";

std::string invite_ana(const PixledgerCommand& pixledger) {
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto url = json_at(pixledger.done({"user", "invite", "--project", project, "--email",
                                           "ana@example.com", "--role", "owner", "--json"}),
                           "/url");
  return url.substr(url.rfind('/') + 1);
}

void sign_in(const fs::path& data, const std::string& invitation) {
  const auto accounts = stores::open_accounts(DataDirectory{data});
  REQUIRE(accounts->use_invitation(sha256(invitation),
                                   {.id = parsed<domain::SignInId>("csignin01"),
                                    .token_hash = sha256(kToken),
                                    .address = "127.0.0.1",
                                    .user_agent = "tests"},
                                   SystemClock().now()));
}

bool is_signed_in(const fs::path& data) {
  return stores::open_accounts(DataDirectory{data})
      ->find_sign_in(sha256(kToken), SystemClock().now())
      .has_value();
}

fs::perms permissions_of(const fs::path& path) { return fs::status(path).permissions(); }

}  // namespace

TEST_CASE("a restore has every account, and no sign-in") {
  const PixledgerCommand pixledger;
  sign_in(pixledger.data(), invite_ana(pixledger));
  REQUIRE(is_signed_in(pixledger.data()));
  const auto copy = (pixledger.directory() / "copy").string();
  pixledger.done({"backup", copy});

  const auto data = pixledger.directory() / "restored";
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data", data.string()});
    const auto ran = run_process(built_program("pixledger"), words);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  const auto restored = run({"restore", copy, "--keys", (pixledger.data() / "keys").string(), "--json"});
  CHECK(json_at(restored, "/accounts") == "true");
  CHECK(json_at(run({"user", "list", "--json"}), "/0/email") == "ana@example.com");
  CHECK_FALSE(is_signed_in(data));
  CHECK(permissions_of(data / "accounts") == fs::perms::owner_all);
  CHECK(permissions_of(data / "accounts" / stores::kAccountsFile) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  run({"verify"});
}

TEST_CASE("the doctor counts users who can sign in, and reports their damaged database like verify") {
  const PixledgerCommand pixledger;
  invite_ana(pixledger);
  CHECK(is(pixledger.done({"doctor", "--json"}), "accounts", "ok"));
  CHECK(json_at(pixledger.done({"verify", "--json"}), "/consistent") == "true");

  const auto file = pixledger.data() / "accounts" / stores::kAccountsFile;
  REQUIRE(fs::file_size(file) > 4096);
  {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(100);
    out << std::string(fs::file_size(file) - 100, 'x');
  }
  const auto damaged = pixledger.run({"doctor", "--json"});
  CHECK(is(damaged.out, "accounts", "problem"));
  const auto verified = pixledger.run({"verify", "--json"});
  CHECK(verified.code == 1);
  CHECK(json_at(verified.out, "/part") == "accounts");
}

TEST_CASE(
    "accounts that are lost are named with what to do, and none are made in the place of an empty file") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  CHECK(of(pixledger.run({"doctor", "--json"}).out, "accounts").empty());
  const std::vector<std::string> invitation{
      "user", "invite", "--project", project, "--email", "ana@example.com", "--role", "owner", "--json"};
  pixledger.done(invitation);
  const auto file = pixledger.data() / "accounts" / stores::kAccountsFile;
  const bool is_there = GENERATE(true, false);
  if (is_there)
    fs::resize_file(file, 0);
  else
    fs::remove(file);

  const auto doctor = pixledger.run({"doctor", "--json"}).out;
  CHECK(is(doctor, "accounts", "problem"));
  CHECK(has(of(doctor, "accounts"), is_there ? "is empty, although" : "is missing, although"));
  CHECK(has(advice_on(doctor, "accounts"), "from a backup, or delete it and invite everybody anew"));
  const auto listed = pixledger.run({"user", "list", "--json"});
  CHECK(listed.code == 0);
  CHECK(json_at(listed.out, "/0/email") == "null");
  CHECK(has(listed.err, "the accounts are lost"));
  const auto verified = pixledger.run({"verify", "--json"});
  CHECK(verified.code == (is_there ? 1 : 0));

  if (is_there) {
    const auto refused = pixledger.run(invitation);
    CHECK(refused.code == 3);
    CHECK(has(refused.err, "remove it and invite everybody anew"));
    CHECK(fs::file_size(file) == 0);
    fs::remove(file);
  }
  pixledger.done(invitation);
  CHECK(is(pixledger.run({"doctor", "--json"}).out, "accounts", "ok"));
}
