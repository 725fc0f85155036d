// `pixledger connection` of banks: adding, changing, showing, refusals, and that no secret is shown.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/test_certificates.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr const char* kClientSecret = "client-secret-4711";
constexpr const char* kAppKey = "app-key-0815";

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A project, a client's secret and certificate, and the options of a bank with them.
class Bank {
 public:
  Bank() { std::ofstream(secret_file) << kClientSecret << "\n"; }

  PixledgerCommand pixledger;
  TestAuthority authority;
  CertificateFiles client = authority.issue("Loja Exemplo");
  std::string secret_file = (pixledger.directory() / "client-secret").string();
  std::string project = json_at(pixledger.create_project(), "/projectId");

  Words adding(const std::string& environment = "live", const std::string& alias = "banco") const {
    return {"connection",
            "add",
            "--project",
            project,
            "--env",
            environment,
            "--alias",
            alias,
            "--json",
            "--provider",
            "api-pix",
            "--pix-key",
            "caixa@example.com",
            "--client-id",
            "client-1",
            "--client-secret-file",
            secret_file};
  }
  Words generic() const {
    return {"--psp",       "generic",
            "--base-url",  "https://pix.example.com/v2/",
            "--token-url", "https://pix.example.com/token",
            "--cert",      client.cert_file,
            "--key",       client.key_file};
  }
  std::string add(const Words& more = {}) const {
    return json_at(pixledger.done(adding() + generic() + more), "/connectionId");
  }
  std::string shown(const std::string& connection = "banco") const {
    return pixledger.done({"connection", "show", "--project", project, "--connection", connection, "--json"});
  }
  ProcessResult run(const std::string& command, const Words& more) const {
    return pixledger.run(
        Words{"connection", command, "--project", project, "--connection", "banco", "--json"} + more);
  }
  std::size_t events() const { return lines_of(pixledger.done({"events"})).size(); }
};

std::string write_pfx(const Bank& bank, const char* password) {
  FILE* key_file = std::fopen(bank.client.key_file.c_str(), "r");
  FILE* cert_file = std::fopen(bank.client.cert_file.c_str(), "r");
  REQUIRE(key_file);
  REQUIRE(cert_file);
  EVP_PKEY* key = PEM_read_PrivateKey(key_file, nullptr, nullptr, nullptr);
  X509* certificate = PEM_read_X509(cert_file, nullptr, nullptr, nullptr);
  std::fclose(key_file);
  std::fclose(cert_file);
  PKCS12* pfx = PKCS12_create(password, "loja", key, certificate, nullptr, 0, 0, 0, 0, 0);
  REQUIRE(pfx);
  const auto path = (bank.pixledger.directory() / "client.pfx").string();
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(i2d_PKCS12_fp(file, pfx) == 1);
  std::fclose(file);
  PKCS12_free(pfx);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return path;
}

}  // namespace

TEST_CASE("a connection to a bank is added and shown, with its certificate's subject and end") {
  const Bank bank;
  const auto id =
      bank.add({"--code-deadline-ms", "3000", "--rate", "50", "--callback-cn", "bank.example.com"});
  for (const auto& name : {id, std::string("banco")}) {
    const auto shown = bank.shown(name);
    CHECK(json_at(shown, "/connectionId") == id);
    CHECK(json_at(shown, "/providerId") == "api-pix");
    CHECK(json_at(shown, "/environment") == "live");
    CHECK(json_at(shown, "/isDefault") == "false");
    CHECK(json_at(shown, "/isEnabled") == "true");
    CHECK(json_at(shown, "/pixKey") == "caixa@example.com");
    CHECK(json_at(shown, "/code") == "dynamic");
    CHECK(json_at(shown, "/fallback") == "none");
    CHECK(json_at(shown, "/codeDeadlineMs") == "3000");
    CHECK(json_at(shown, "/psp") == "generic");
    CHECK(json_at(shown, "/baseUrl") == "https://pix.example.com/v2");
    CHECK(json_at(shown, "/tokenUrl") == "https://pix.example.com/token");
    CHECK(json_at(shown, "/tokenAuth") == "basic");
    CHECK(json_at(shown, "/clientId") == "client-1");
    CHECK(json_at(shown, "/rate") == "50");
    CHECK(json_at(shown, "/callbackCn") == "bank.example.com");
    CHECK(json_at(shown, "/certificate/subject") == "CN=Loja Exemplo");
    CHECK(json_at(shown, "/certificate/endsAt").size() == 24);
    CHECK(json_at(shown, "/callbackUrl") == "null");
  }
  CHECK(bank.pixledger.run({"verify"}).code == 0);
  const auto project = bank.pixledger.done({"history", "--id", id});
  CHECK(has(project, "connection banco added for live"));
  CHECK(has(project, "configured: psp generic"));
}

TEST_CASE("a bank that is known brings its URLs and its way, of the right environment") {
  const Bank bank;
  const Words efi{"--psp", "efi", "--cert", bank.client.cert_file, "--key", bank.client.key_file};
  bank.pixledger.done(bank.adding("live", "efi") + efi);
  bank.pixledger.done(bank.adding("test", "efi") + efi);
  const auto show = [&](const std::string& environment) {
    return bank.pixledger.done({"connection", "show", "--project", bank.project, "--connection", "efi",
                                "--env", environment, "--json"});
  };
  CHECK(json_at(show("live"), "/baseUrl") == "https://pix.api.efipay.com.br/v2");
  CHECK(json_at(show("test"), "/baseUrl") == "https://pix-h.api.efipay.com.br/v2");
  CHECK(json_at(show("live"), "/providerName") == "Efí");
  CHECK(json_at(show("live"), "/fallback") == "static");
  CHECK(json_at(show("test"), "/environment") == "sandbox");
  const auto ambiguous =
      bank.pixledger.run({"connection", "show", "--project", bank.project, "--connection", "efi"});
  CHECK(ambiguous.code == 2);
  CHECK(has(ambiguous.err, "--env"));
}

TEST_CASE("certificate and key are read from a PFX file with its password") {
  const Bank bank;
  const auto pfx = write_pfx(bank, "segredo");
  const auto password = (bank.pixledger.directory() / "pfx-password").string();
  std::ofstream(password) << "errado\n";
  const Words options{"--psp", "efi", "--pfx", pfx, "--pfx-password-file", password};
  const auto before = bank.events();
  const auto wrong = bank.pixledger.run(bank.adding() + options);
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "--pfx-password-file"));
  CHECK_FALSE(has(wrong.err, "errado"));
  CHECK(bank.events() == before);
  std::ofstream(password) << "segredo\n";
  bank.pixledger.done(bank.adding() + options);
  CHECK(json_at(bank.shown(), "/certificate/subject") == "CN=Loja Exemplo");
}

TEST_CASE("a wrong option of a bank is named, and nothing is recorded") {
  const Bank bank;
  const auto other = bank.authority.issue("other");
  const auto expired = bank.authority.issue_expired("old");
  const auto good = bank.adding() + bank.generic();
  const auto before = bank.events();
  const auto refused = [&](const Words& arguments, const char* option) {
    const auto ran = bank.pixledger.run(arguments);
    INFO(option << ": " << ran.err);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, option));
  };
  // The last of an option that is given twice would be an error of its own, so these are given once.
  const auto without = [&](const std::string& option) {
    auto words = good;
    const auto found = std::find(words.begin(), words.end(), option);
    REQUIRE(found != words.end());
    words.erase(found, found + 2);
    return words;
  };
  refused(without("--base-url") + Words{"--base-url", "http://pix.example.com"}, "--base-url");
  refused(without("--base-url") + Words{"--base-url", "pix.example.com"}, "--base-url");
  refused(without("--base-url") + Words{"--base-url", "https://pix.example.com/?a=b"}, "--base-url");
  refused(without("--base-url"), "--base-url");
  refused(without("--token-url") + Words{"--token-url", "http://pix.example.com"}, "--token-url");
  refused(without("--key") + Words{"--key", other.key_file}, "--key");
  refused(without("--key") + Words{"--key", "/no/such/file"}, "--key");
  refused(without("--key"), "--key");
  refused(without("--cert") + Words{"--cert", bank.client.key_file}, "--cert");
  refused(without("--cert") + Words{"--cert", bank.pixledger.directory().string()}, "--cert");
  refused(bank.adding() + Words{"--psp", "efi", "--cert", expired.cert_file, "--key", expired.key_file},
          "--cert has expired");
  refused(without("--psp") + Words{"--psp", "nubank"}, "--psp");
  refused(without("--psp"), "--psp");
  refused(without("--pix-key") + Words{"--pix-key", "no key"}, "--pix-key");
  refused(without("--pix-key"), "--pix-key");
  refused(without("--client-id"), "--client-id");
  refused(without("--client-secret-file"), "--client-secret-file");
  refused(without("--client-secret-file") + Words{"--client-secret-file", "/no/such/file"},
          "--client-secret-file");
  refused(good + Words{"--code-deadline-ms", "199"}, "--code-deadline-ms");
  refused(good + Words{"--code-deadline-ms", "10001"}, "--code-deadline-ms");
  refused(good + Words{"--rate", "0"}, "--rate");
  refused(good + Words{"--rate", "1001"}, "--rate");
  refused(good + Words{"--code", "both"}, "--code");
  refused(good + Words{"--fallback", "dynamic"}, "--fallback");
  refused(good + Words{"--token-auth", "digest"}, "--token-auth");
  refused(good + Words{"--pfx", "file"}, "--pfx");
  refused(good + Words{"--pfx-password-file", "file"}, "--pfx");
  refused(good + Words{"--psp-app-key", kAppKey}, "--psp-app-key");
  refused(good + Words{"--provider-id", "acme"}, "--provider-id");
  refused(without("--provider") + Words{"--provider", "boleto"}, "--provider");
  refused(without("--provider"), "needs --provider api-pix");
  refused({"connection", "add", "--project", bank.project, "--env", "live", "--alias", "a", "--provider-id",
           "api-pix"},
          "--provider api-pix");
  CHECK(bank.events() == before);
}

TEST_CASE("http URLs are taken for development, where that is said") {
  const Bank bank;
  bank.pixledger.done(bank.adding() + Words{"--psp", "generic", "--base-url", "http://127.0.0.1:8080/v2",
                                            "--token-url", "http://127.0.0.1:8080/token", "--allow-http"});
  CHECK(json_at(bank.shown(), "/baseUrl") == "http://127.0.0.1:8080/v2");
  CHECK(json_at(bank.shown(), "/certificate") == "null");
  const Words check{"connection", "check", "--project", bank.project, "--connection", "banco"};
  const auto refused = bank.pixledger.run(check);
  CHECK(refused.code == 2);
  CHECK(has(refused.err,
            "--allow-http is missing: the bank of --connection banco is at http://127.0.0.1:8080/v2"));
  CHECK(bank.pixledger.run(check + Words{"--allow-http"}).code != 2);
}

TEST_CASE("given settings change, and the others stay") {
  const Bank bank;
  bank.add();
  CHECK(bank.run("set", {"--code", "static", "--rate", "7", "--alias", "outro"}).code == 0);
  const auto shown = bank.shown("outro");
  CHECK(json_at(shown, "/code") == "static");
  CHECK(json_at(shown, "/rate") == "7");
  CHECK(json_at(shown, "/codeDeadlineMs") == "2500");
  CHECK(json_at(shown, "/certificate/subject") == "CN=Loja Exemplo");
  const auto again = bank.events();
  const Words same{"connection", "set", "--project", bank.project, "--connection", "outro"};
  CHECK(bank.pixledger.run(same + Words{"--code", "static", "--rate", "7"}).code == 0);
  CHECK(bank.events() == again);
  CHECK(bank.pixledger.run(same).code == 2);
  CHECK(bank.pixledger.run(same + Words{"--rate", "0"}).code == 2);
  // Another bank comes with its own URLs.
  CHECK(bank.pixledger.run(same + Words{"--psp", "efi"}).code == 0);
  CHECK(json_at(bank.shown("outro"), "/baseUrl") == "https://pix.api.efipay.com.br/v2");
  CHECK(bank.pixledger.run({"verify"}).code == 0);
}

TEST_CASE("credentials are rotated, in an event of their own") {
  const Bank bank;
  const auto id = bank.add();
  const auto next = bank.authority.issue("Loja Nova");
  CHECK(bank.run("rotate", {}).code == 2);
  CHECK(bank.run("rotate", {"--rate", "5"}).code == 2);
  CHECK(bank.run("rotate", {"--cert", next.cert_file, "--key", bank.client.key_file}).code == 2);
  CHECK(json_at(bank.shown(), "/certificate/subject") == "CN=Loja Exemplo");
  CHECK(bank.run("rotate", {"--cert", next.cert_file, "--key", next.key_file}).code == 0);
  CHECK(json_at(bank.shown(), "/certificate/subject") == "CN=Loja Nova");
  const auto events = lines_of(bank.pixledger.done({"events", "--type", "ConnectionConfigured"}));
  REQUIRE(events.size() == 2);
  CHECK(json_at(events[1], "/stream") == "connection-" + id);
  CHECK(has(bank.pixledger.done({"history", "--id", id}), "subject CN=Loja Exemplo → CN=Loja Nova"));
  // The master key wraps the keyring alone, so what it seals stays readable.
  bank.pixledger.done({"secrets", "rotate"});
  CHECK(bank.run("rotate", {"--client-id", "client-2"}).code == 0);
  CHECK(json_at(bank.shown(), "/clientId") == "client-2");
}

TEST_CASE("a default is chosen, and only others are disabled") {
  const Bank bank;
  const auto id = bank.add();
  const auto list = [&] {
    return bank.pixledger.done({"connection", "list", "--project", bank.project, "--json"});
  };
  CHECK(json_at(list(), "/0/isDefault") == "true");
  CHECK(json_at(list(), "/2/isDefault") == "false");
  CHECK(bank.run("disable", {}).code == 0);
  CHECK(json_at(list(), "/2/isEnabled") == "false");
  CHECK(bank.run("default", {}).code == 1);
  CHECK(bank.run("enable", {}).code == 0);
  CHECK(bank.run("default", {}).code == 0);
  CHECK(json_at(list(), "/0/isDefault") == "false");
  CHECK(json_at(list(), "/2/isDefault") == "true");
  const auto refused = bank.run("disable", {});
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "default"));
  const auto table = bank.pixledger.done({"connection", "list", "--project", bank.project});
  CHECK(has(table, "DEFAULT"));
  CHECK(has(table, "enabled"));
  for (const auto* command : {"show", "default", "enable", "disable"})
    CHECK(
        bank.pixledger.run({"connection", command, "--project", bank.project, "--connection", "none"}).code ==
        1);
  // Those that every project starts with have no bank, and can be told of like any other.
  CHECK(json_at(bank.shown("pix"), "/providerId") == "pix");
  const Words plain{"connection", "set", "--project", bank.project, "--connection", "pix"};
  CHECK(bank.pixledger.run(plain + Words{"--rate", "5"}).code == 2);
  CHECK(bank.pixledger.run(plain + Words{"--alias", "direto"}).code == 0);
  const auto first = json_at(list(), "/0/connectionId");
  CHECK(has(bank.pixledger.done({"history", "--id", first}), "alias pix → direto"));
  CHECK(bank.pixledger.run({"verify"}).code == 0);
}

TEST_CASE("no secret of a bank is shown, printed, or stored unencrypted") {
  const Bank bank;
  const auto id = bank.add();
  bank.pixledger.done(bank.adding("live", "bb") + Words{"--psp", "bb", "--psp-app-key", kAppKey, "--cert",
                                                        bank.client.cert_file, "--key",
                                                        bank.client.key_file});
  CHECK(bank.run("set", {"--rate", "7"}).code == 0);
  std::string told = bank.shown() + bank.shown("bb");
  for (const Words& command :
       std::vector<Words>{{"events"},
                          {"history", "--id", id},
                          {"history", "--id", id, "--json"},
                          {"history", "--id", bank.project, "--json"},
                          {"connection", "show", "--project", bank.project, "--connection", "bb"},
                          {"connection", "list", "--project", bank.project, "--json"}})
    told += bank.pixledger.done(command);
  told += bank.pixledger.run({"doctor", "--json"}).out;
  const auto ledger = content(bank.pixledger.data() / "ledger" / "data.mdb");
  REQUIRE(has(ledger, "client-1"));
  const auto key_line = content(bank.client.key_file).substr(60, 40);
  for (const auto& secret : {std::string(kClientSecret), std::string(kAppKey), key_line}) {
    CHECK_FALSE(has(told, secret));
    CHECK_FALSE(has(ledger, secret));
  }
  CHECK_FALSE(has(told, "\"secrets\""));
  CHECK_FALSE(has(told, "PRIVATE KEY"));
}

TEST_CASE("the doctor warns of a bank's certificate that ends within 30 days") {
  const Bank bank;
  const auto certificate = [&] {
    const auto found = bank.pixledger.run({"doctor", "--json"}).out;
    const auto at = found.find("{\"check\":\"certificate\"");
    return at == std::string::npos ? std::string() : found.substr(at, found.find('}', at) - at);
  };
  CHECK(certificate().empty());
  const auto id = bank.add();
  CHECK(has(certificate(), "\"severity\":\"warning\""));
  CHECK(has(certificate(), id));
  CHECK(has(certificate(), "connection rotate"));
  CHECK(bank.run("disable", {}).code == 0);
  CHECK(certificate().empty());
}

TEST_CASE("a backup carries a bank's sealed secrets, and they open where the keys are") {
  const Bank bank;
  bank.add();
  const auto& home = bank.pixledger.directory();
  bank.pixledger.done({"backup", (home / "copy").string()});
  const auto data = (home / "restored").string();
  const auto keys = (bank.pixledger.data() / "keys").string();
  const auto run = [&](const Words& words) {
    return run_process(built_program("pixledger"), words + Words{"--data", data});
  };
  const auto restored = run({"restore", (home / "copy").string(), "--keys", keys});
  INFO(restored.err);
  REQUIRE(restored.code == 0);
  // What is set is sealed anew together with what was there, which therefore was opened.
  const auto set = run({"connection", "rotate", "--project", bank.project, "--connection", "banco",
                        "--client-secret-file", bank.secret_file, "--client-id", "client-2"});
  INFO(set.err);
  CHECK(set.code == 0);
}
