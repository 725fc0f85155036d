#include "tests/support/domain/sample_values.h"
#include "tests/tools/backup/backup_fixture.h"

// Searches every output of the ledger for a session's data of an erased customer.
namespace pixledger::tests {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPersonal{"Zebradas",    "Zuleica",       "zq@example.com",
                                         "39053344705", "1198765000123", "203.0.113.177"};

std::string found_in(const std::string& text) {
  std::string found;
  for (const auto& personal : kPersonal)
    if (says(text, personal)) found += personal + "\n";
  return found;
}

std::string found_below(const fs::path& directory) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      if (const auto texts = found_in(content_of(entry.path())); !texts.empty())
        found += entry.path().string() + ": " + texts;
  return found;
}

domain::CustomerDetails zuleica() {
  auto details = sample_details();
  details.name = parsed<domain::PersonName>("Zuleica Quaresma");
  details.document = parsed<domain::Document>("39053344705");
  details.email = parsed<EmailAddress>("zq@example.com");
  details.phone = parsed<domain::Phone>("1198765000123");
  return details;
}

// A session whose merchant names the payer, who was refused once, pays it, and is asked about.
struct Paid {
  BackupWorld world;
  domain::CheckoutSessionId session = sample_checkout_id();
  std::string charge;
  std::string customer;

  Paid() {
    LedgerWithCharges ledger(world.pixledger.data());
    const auto project = domain::ProjectId::parse(world.project).value();
    auto creation = sample_checkout();
    creation.project = project;
    creation.external_id = parsed<domain::ExternalId>("pedido-7");
    creation.metadata = *domain::Metadata::of(
        {{parsed<domain::MetadataKey>("para"), parsed<domain::MetadataValue>("Acacias Zebradas")}});
    ledger.execute(creation);
    auto added = sample_checkout_charge();
    added.project = project;
    added.payer = {ledger.token_of(project, zuleica().document.text()), zuleica()};
    added.customer_ip = parsed<IpAddress>("203.0.113.177");
    const auto link = std::get<domain::CheckoutChargeAdded>(
        std::get<domain::CheckoutEvent>(ledger.execute(added).events().back().event));
    charge = link.charge.text();
    customer = link.customer.text();
    ledger.pay(project, link.charge);
  }

  void erase() const { world.pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked"}); }

  // The output of each command on sessions, charges or customers for that data directory.
  std::string told_by(const fs::path& data) const {
    const std::vector<std::vector<std::string>> commands{
        {"events"},
        {"history", "--id", session.text()},
        {"history", "--id", session.text(), "--json"},
        {"history", "--id", charge, "--json"},
        {"history", "--id", customer, "--json"},
        {"checkout", "show", "--id", session.text(), "--pay-url", "https://pay.example.com", "--json"},
        {"export", "--format", "csv"},
        {"export", "--format", "jsonl"},
        {"export", "--format", "jsonl", "--what", "payments"},
        {"report", "--json"},
        {"prove", "--id", charge},
    };
    std::string told;
    for (const auto& command : commands) told += world.done_on(data.string(), command);
    return told;
  }
};

}  // namespace

TEST_CASE("an erased payer's session shows no data of them in any output, restored backups included") {
  const Paid paid;
  const auto data = paid.world.pixledger.data();
  std::string all;
  for (const auto& personal : kPersonal) all += personal + "\n";
  CHECK(found_in(paid.told_by(data)) == all);
  paid.erase();
  CHECK(found_in(paid.told_by(data)) == "");
  CHECK(found_below(data) == "");
  paid.world.pixledger.done({"verify"});

  paid.world.backup("b", {"--with-keys"});
  CHECK(found_below(paid.world.path("b")) == "");
  paid.world.restore("r", {"b"});
  CHECK(found_below(paid.world.path("r")) == "");
  const auto told = paid.told_by(paid.world.path("r"));
  CHECK(found_in(told) == "");
  // The session itself exists.
  for (const auto& kept : {paid.session.text(), paid.charge, std::string("pedido-7")})
    CHECK(says(told, kept));
  paid.world.done_on("r", {"verify"});
}

TEST_CASE("a backup from before an erasure is restored without the session's erased data") {
  const Paid paid;
  paid.world.backup("b", {"--with-keys"});
  paid.erase();
  paid.world.backup("b", {"--with-keys"});
  paid.world.restore("r", {"b"});
  CHECK(found_below(paid.world.path("r")) == "");
  CHECK(found_in(paid.told_by(paid.world.path("r"))) == "");
  paid.world.done_on("r", {"verify"});
}

}  // namespace pixledger::tests
