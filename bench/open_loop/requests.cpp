#include "bench/open_loop/requests.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/values/bit_mixer.h"

namespace pixledger::bench {
namespace {

constexpr std::uint64_t kPayers = 200'000;
constexpr std::uint64_t kSeed = 20'261'122;

constexpr std::array<std::string_view, 20> kGiven = {
    "Ana",    "Bruno", "Carla",   "Daniel", "Elisa",  "Fabio", "Gabriela", "Heitor", "Isabela", "Joao",
    "Karina", "Lucas", "Mariana", "Nelson", "Olivia", "Paulo", "Renata",   "Sergio", "Tatiana", "Vitor"};
constexpr std::array<std::string_view, 25> kFamily = {
    "Almeida", "Barbosa",  "Cardoso",  "Dias",    "Esteves", "Ferreira", "Gomes", "Henriques", "Lima",
    "Martins", "Nogueira", "Oliveira", "Pereira", "Queiroz", "Ribeiro",  "Silva", "Teixeira",  "Uchoa",
    "Vieira",  "Xavier",   "Araujo",   "Batista", "Campos",  "Duarte",   "Moura"};

template <class... Values>
std::string formatted(const char* format, Values... values) {
  const int length = std::snprintf(nullptr, 0, format, values...);
  std::string text(static_cast<std::size_t>(length), '\0');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (auto& c : result) c = static_cast<char>(c | 0x20);
  return result;
}

std::string with_check_digit(const std::string& digits) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i)
    sum += static_cast<std::size_t>(digits[i] - '0') * (digits.size() + 1 - i);
  const auto rest = sum % 11;
  return digits + static_cast<char>('0' + (rest < 2 ? 0 : 11 - rest));
}

std::string cpf(std::uint64_t payer) {
  return with_check_digit(with_check_digit(std::to_string(100'000'000 + payer * 4'327)));
}

unsigned draw(std::uint64_t number, std::uint64_t purpose, unsigned below) {
  return static_cast<unsigned>(splitmix64(kSeed + purpose, number) % below);
}

}  // namespace

std::string payer_json(std::uint64_t payer) {
  const auto given = kGiven[payer % kGiven.size()];
  const auto family = kFamily[payer / kGiven.size() % kFamily.size()];
  const auto number = static_cast<unsigned>(payer);
  return formatted(
      R"({"name":"%s %s","document":"%s","email":"%s.%s.%u@example.com","phone":"119%08u","address":)"
      R"({"street":"Rua das Flores","streetNumber":"%u","neighborhood":"Centro","zipCode":"%08u",)"
      R"("city":"Sao Paulo","state":"SP","complement":"Apto %u","country":"BR"}})",
      given.data(), family.data(), cpf(payer).c_str(), lower(given).c_str(), lower(family).c_str(), number,
      number, number % 2'000 + 1, 1'000'000 + number, number % 200 + 1);
}

Requests::Requests(std::string host, std::string key, std::vector<std::string> ids)
    : head_("Host: " + std::move(host) + "\r\nAuthorization: Bearer " + std::move(key) + "\r\n"),
      ids_(std::move(ids)),
      run_(std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "-" +
           std::to_string(::getpid())) {}

std::string Requests::pay(const std::string& id) const {
  return "POST /api/sandbox/transactions/" + id + "/pay HTTP/1.1\r\n" + head_ + "Content-Length: 0\r\n\r\n";
}

std::string Requests::status(std::uint64_t number) const {
  const auto& id = ids_[splitmix64(kSeed, number) % ids_.size()];
  return "GET /api/transactions/" + id + " HTTP/1.1\r\n" + head_ + "\r\n";
}

std::string Requests::create(std::uint64_t number) const {
  const auto body = R"({"customer":)" + payer_json(splitmix64(kSeed, number) % kPayers) +
                    formatted(R"(,"payment":{"amountCents":%u,"product":"Produto %u","quantity":%u,)"
                              R"("expirationDays":%u},"originDomain":"loja%u.example.com",)"
                              R"("customerIp":"203.0.113.%u","externalId":")",
                              100 + draw(number, 1, 49'901), 1 + draw(number, 2, 500), 1 + draw(number, 3, 5),
                              1 + draw(number, 4, 7), 1 + draw(number, 5, 20), 1 + draw(number, 6, 254)) +
                    run_ + "-" + std::to_string(number) + "\"}";
  return "POST /api/v1/transactions HTTP/1.1\r\n" + head_ +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace pixledger::bench
