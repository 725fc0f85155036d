// Writes pix codes for pix-codes.test.mjs to the file named, pixCode TAB amountCents TAB pixKey TAB txid: of
// random values, and of charges that the API created in both environments. The seed is printed; given as
// second argument it makes the same codes again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "domain/pix/br_code.h"
#include "tests/support/servers/test_service.h"

using namespace pixledger;

namespace {

namespace domain = pixledger::domain;

constexpr int kCodes = 2000;
constexpr int kCreated = 100;
constexpr std::int64_t kAmountCentsMax = 99'999'999'999;

std::string random_txid(std::mt19937_64& random) {
  static constexpr std::string_view kAlphabet =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string txid(1 + random() % 25, ' ');
  for (char& character : txid) character = kAlphabet[random() % kAlphabet.size()];
  return txid;
}

// Small amounts are as likely as large ones.
std::int64_t random_amount_cents(std::mt19937_64& random) {
  std::int64_t max = 9;
  for (auto digits = random() % 11; digits > 0; --digits) max = max * 10 + 9;
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::min(max, kAmountCentsMax)));
}

void write_created_charges(std::ofstream& file, std::mt19937_64& random) {
  pixledger::tests::TestService service;
  const auto project = service.create_project();
  for (int i = 0; i < kCreated; ++i) {
    const bool live = i % 2 == 0;
    const auto amount_cents = random_amount_cents(random);
    const auto created =
        service.send("POST", "/api/v1/transactions", live ? project.live_key : project.test_key,
                     pixledger::tests::creation_body(amount_cents));
    if (created.status != 201) throw std::runtime_error("a charge was not created: " + created.body);
    file << created.at("/data/pixCode") << '\t' << amount_cents << '\t'
         << (live ? "loja@example.com" : domain::sandbox_pix_key().text()) << '\t' << created.at("/data/id")
         << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: pix_codes FILE [SEED]\n";
    return 2;
  }
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);

  std::vector<domain::PixKey> keys = {domain::sandbox_pix_key()};
  for (const auto* text : {"52998224725", "11222333000181", "+5511987654321", "loja@example.com",
                           "123e4567-e12b-12d1-a456-426655440000"}) {
    keys.push_back(domain::PixKey::parse(text).value());
  }
  const std::vector<std::string> names = {
      "LOJA DEMO", "Padaria São João", "X", "Comércio de Pães e Bolos Três Irmãos Ltda", "Loja 24h & Cia.",
      "猫"};
  const std::vector<std::string> cities = {"SAO PAULO", "Brasília", "São José do Rio Preto", "Itu", "東京"};

  std::ofstream file(argv[1]);
  for (int i = 0; i < kCodes; ++i) {
    const auto& key = keys[random() % keys.size()];
    const auto amount_cents = i == 0 ? 1 : i == 1 ? kAmountCentsMax : random_amount_cents(random);
    const auto txid = random_txid(random);
    file << domain::write_br_code({key, names[random() % names.size()], cities[random() % cities.size()],
                                   domain::Cents(amount_cents), txid})
         << '\t' << amount_cents << '\t' << key.text() << '\t' << txid << '\n';
  }
  write_created_charges(file, random);
  return file.flush() ? 0 : 1;
}
