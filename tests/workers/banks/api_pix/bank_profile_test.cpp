#include "workers/banks/api_pix/bank_profile.h"

#include <catch2/catch.hpp>
#include <set>

#include "workers/banks/api_pix/bank_http.h"

using namespace pixledger;
using namespace pixledger::workers;

TEST_CASE("each bank that operators can name has a profile") {
  std::string names;
  for (const auto& profile : bank_profiles()) names += std::string(profile.name) + " ";
  CHECK(names == "efi bb itau bradesco santander sicoob sicredi inter generic ");
  for (const auto& profile : bank_profiles()) CHECK(find_bank_profile(profile.name) == &profile);
  CHECK(find_bank_profile("Efi") == nullptr);
  CHECK(find_bank_profile("") == nullptr);
}

TEST_CASE("every URL of a profile can be used, and is no other bank's") {
  std::set<std::string_view> seen;
  for (const auto& profile : bank_profiles()) {
    for (const auto url : {profile.live.base, profile.live.token, profile.test.base, profile.test.token}) {
      if (url.empty()) continue;
      CAPTURE(url);
      CHECK(problem_of_bank_url(url, false) == std::nullopt);
      CHECK(url.back() != '/');
      CHECK(seen.insert(url).second);
    }
    CHECK(profile.live.base.empty() == (profile.name == "generic"));
  }
}

TEST_CASE("only where static codes are known to be reported may one stand in unasked") {
  for (const auto& profile : bank_profiles()) CHECK(profile.reports_static_codes == (profile.name == "efi"));
}

TEST_CASE(
    "operations that a bank has under another version are called there, under the operator's own URL too") {
  const auto& sicredi = *find_bank_profile("sicredi");
  CHECK(base_url_for(sicredi, "https://proxy.example/api/v2/", BankOperation::kPutCob) ==
        "https://proxy.example/api/v3");
  CHECK(base_url_for(sicredi, sicredi.live.base, BankOperation::kListPix) == sicredi.live.base);
  CHECK(base_url_for(sicredi, "https://proxy.example/pix", BankOperation::kPutCob) ==
        "https://proxy.example/pix");
  const auto& santander = *find_bank_profile("santander");
  CHECK(base_url_for(santander, santander.live.base, BankOperation::kRemoveCob) ==
        "https://trust-pix.santander.com.br/api/v2");
  CHECK(base_url_for(santander, santander.live.base, BankOperation::kPutCob) == santander.live.base);
}

TEST_CASE("a bank's URL is https unless http is allowed") {
  CHECK(problem_of_bank_url("http://bank.example/v2", false) == "must begin with https://");
  CHECK(problem_of_bank_url("http://bank.example/v2", true) == std::nullopt);
  CHECK(problem_of_bank_url("bank.example", true).has_value());
}
