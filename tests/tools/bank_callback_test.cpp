// `pixledger connection callback`: the request to the bank, the event in the ledger, and the report of a lost
// answer; and that the secret is never shown.
#include <catch2/catch.hpp>

#include "tests/support/servers/bank_connection.h"

using namespace pixledger;
using namespace pixledger::tests;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

constexpr const char* kBase = "https://pix.example.com:8443/volta/";
constexpr const char* kDenies = R"({"operation":"webhook.put","kind":"problem","status":400,)"
                                R"("type":"WebhookOperacaoInvalida"})";
constexpr const char* kLost = R"({"operation":"webhook.put","kind":"drop","when":"after"})";
constexpr const char* kCannotBeAsked =
    R"({"operation":"webhook.get","kind":"status","status":500,"times":null})";

struct World : BankConnection {
  std::string id = json_at(pixledger.run(naming({"show", "--json"})).out, "/connectionId");
  std::string address = "https://pix.example.com:8443/volta/" + id;

  ProcessResult tell(const Words& more = {}) const {
    Words words{"--url", kBase, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run({"callback", "register"}, words);
  }
  ProcessResult show() const { return run({"callback", "show"}, {"--json"}); }
  ProcessResult remove() const { return run({"callback", "remove"}, {"--json"}); }
  std::string secret() const {
    const auto url = webhook();
    return url.empty() ? "" : url.substr(url.rfind('/') + 1);
  }
  std::string noted() const { return json_at(pixledger.run(naming({"show", "--json"})).out, "/callbackUrl"); }
};

void done(const ProcessResult& result) {
  INFO(result.out << result.err);
  CHECK(result.code == 0);
}

void not_done(const ProcessResult& result, const std::string& because) {
  INFO(result.out << result.err);
  CHECK(result.code == 1);
  CHECK_THAT(result.err, Contains(because));
}

}  // namespace

TEST_CASE("a callback is registered at the bank, with a secret that is never shown, until it is removed") {
  const World world;
  auto shown = world.show();
  done(shown);
  CHECK(json_at(shown.out, "/bankUrl") == "null");

  const auto told = world.tell();
  done(told);
  CHECK(json_at(told.out, "/callbackUrl") == world.address + "/…");
  const auto secret = world.secret();
  CHECK(world.webhook() == world.address + "/" + secret);
  CHECK(secret.size() == 64);
  CHECK(secret.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(world.noted() == world.address);
  shown = world.show();
  done(shown);
  CHECK(json_at(shown.out, "/bankUrl") == world.address + "/…");
  CHECK(json_at(shown.out, "/agree") == "true");
  done(world.run({"check"}));

  done(world.tell());
  CHECK_FALSE(world.secret().empty());
  CHECK(world.secret() != secret);
  for (const auto& told_by : {told.out, shown.out, world.pixledger.done({"events"}), world.run({"check"}).out,
                              world.pixledger.done({"history", "--id", world.id})}) {
    CHECK(told_by.find(secret) == std::string::npos);
    CHECK(told_by.find(world.secret()) == std::string::npos);
  }

  done(world.remove());
  CHECK(world.webhook().empty());
  CHECK(world.noted() == "null");
  done(world.show());
  done(world.remove());
}

TEST_CASE("whether a bank has taken an address is found out where its answer is lost") {
  const World world;
  world.fault(kLost);
  done(world.tell());
  CHECK(world.webhook() == world.address + "/" + world.secret());
  CHECK(world.noted() == world.address);
  world.fault(R"({"operation":"webhook.delete","kind":"drop","when":"after"})");
  done(world.remove());
  CHECK(world.noted() == "null");
}

TEST_CASE("an unknown outcome at the bank is reported, and fixed by repeating the command") {
  const World world;
  world.fault(kLost);
  world.fault(kCannotBeAsked);
  not_done(world.tell(), "is not known");
  CHECK(world.noted() == "null");
  CHECK_FALSE(world.webhook().empty());
  world.bank.drive("DELETE", "/faults");
  not_done(world.show(), "not call where it was told");
  done(world.tell());
  done(world.show());

  world.fault(R"({"operation":"webhook.delete","kind":"drop","when":"after"})");
  world.fault(kCannotBeAsked);
  not_done(world.remove(), "is not known");
  CHECK(world.noted() == world.address);
  world.bank.drive("DELETE", "/faults");
  done(world.remove());
  CHECK(world.noted() == "null");
}

TEST_CASE("a bank that refuses an address goes on calling where it did") {
  const World world;
  done(world.tell());
  const auto before = world.webhook();
  world.fault(kDenies);
  not_done(world.tell(), "WebhookOperacaoInvalida");
  CHECK(world.webhook() == before);
  CHECK(world.noted() == world.address);
  done(world.show());
  world.fault(R"({"operation":"webhook.delete","kind":"problem","status":403,"type":"AcessoNegado"})");
  not_done(world.remove(), "403");
  CHECK(world.webhook() == before);
  CHECK(world.noted() == world.address);
}

TEST_CASE("a bank that keeps its old address gets the new one once the old one is removed") {
  const World world;
  done(world.tell());
  const auto before = world.webhook();
  world.set(R"({"habits":["one_webhook_at_a_time"]})");
  done(world.tell());
  CHECK(world.webhook() != before);
  CHECK(world.webhook() == world.address + "/" + world.secret());
  done(world.show());
  done(world.run({"check"}));

  // It refuses the next one, too, and gets its old one back.
  const auto kept = world.webhook();
  world.fault(R"({"operation":"webhook.put","kind":"problem","status":409,"type":"WebhookJaCadastrado"})");
  world.fault(R"({"operation":"webhook.put","kind":"problem","status":400,"skip":1,)"
              R"("type":"WebhookOperacaoInvalida"})");
  not_done(world.tell(), "WebhookOperacaoInvalida");
  CHECK(world.webhook() == kept);
  done(world.show());
}

TEST_CASE("an address is the same however a bank writes it") {
  const World world;
  done(world.tell());
  const auto shown = world.webhook();
  const auto set = [&](const std::string& url) {
    world.fault(R"({"operation":"webhook.get","kind":"set","path":"webhookUrl","value":")" + url + "\"}");
  };
  const auto upper = "HTTPS://PIX.example.com" + shown.substr(shown.find(':', 8));
  for (const auto& url : {shown + "/", shown + "/pix", upper}) {
    CAPTURE(url);
    set(url);
    done(world.show());
  }
  set(shown + "0");
  not_done(world.show(), "not call where it was told");
}

TEST_CASE("an address that no bank could call is refused before any request or event") {
  const World world;
  const auto events = world.pixledger.done({"events"});
  const auto refused = [&](const Words& more) {
    Words words{"--ca-file", world.bank.told("/ca")};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = world.pixledger.run([&] {
      auto all = world.naming({"callback", "register"});
      all.insert(all.end(), words.begin(), words.end());
      return all;
    }());
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK_THAT(result.err, Contains("--url"));
  };
  refused({});
  refused({"--url", "http://pix.example.com/volta"});
  refused({"--url", "http://127.0.0.1:8443/volta"});
  refused({"--url", "http://pix.example.com/volta", "--allow-http"});
  refused({"--url", "https://pix.example.com/volta?a=b"});
  refused({"--url", "https://pix.example.com/volta#a"});
  refused({"--url", "https://loja:senha@pix.example.com/"});
  refused({"--url", "pix.example.com"});
  refused({"--url", "https://pix.example.com/" + std::string(1100, 'a')});
  CHECK(world.pixledger.done({"events"}) == events);
  CHECK(world.webhook().empty());
  CHECK(world.run({"callback", "register"}, {"--url", kBase}, "pix").code == 2);
  CHECK(world.run({"callback", "show"}, {}, "pix").code == 2);
  CHECK(world.run({"callback", "remove"}, {}, "pix").code == 2);
}
