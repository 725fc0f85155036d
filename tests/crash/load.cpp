#include "tests/crash/load.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace pixledger::tests {
namespace {

constexpr const char* kCreatePath = "/api/v1/transactions";
constexpr std::size_t kRepeatedEvery = 8;  // of the acknowledged creations, by ask_again()

}  // namespace

std::string document_of(std::uint64_t number) {
  const auto digits = std::to_string(10'000'000'000ULL + number);
  return digits.substr(digits.size() - 11);
}

std::string AskedCharge::body() const {
  return R"({"customer":{"name":"Cliente )" + document + R"(","document":")" + document + R"(","email":"c)" +
         document +
         R"(@example.com","phone":"11987654321"},"payment":{"amountCents":1990,"product":"Caneca"},)"
         R"("originDomain":"loja.example.com","externalId":")" +
         label + R"("})";
}

std::string AskedCharge::headers(const std::string& request_suffix) const {
  return "Idempotency-Key: " + label + "\r\nX-Request-Id: " + label + request_suffix + "\r\n";
}

Load::Load(std::uint16_t port, std::string api_key, LoadOptions options)
    : port_(port),
      api_key_(std::move(api_key)),
      options_(std::move(options)),
      running_(options_.connections) {
  for (std::size_t i = 0; i < options_.connections; ++i) threads_.emplace_back([this, i] { run(i); });
}

Load::~Load() { finish(); }

bool Load::wait_for_acknowledged(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, count] { return acknowledged_ >= count || running_ == 0; });
  return acknowledged_ >= count;
}

std::size_t Load::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

void Load::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
}

std::vector<AskedCharge> Load::finish() {
  stop();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  return std::move(asked_);
}

void Load::run(std::size_t connection) {
  const auto name = kLabelPrefix + options_.name + "-" + std::to_string(connection) + "-";
  std::mt19937 random(options_.seed + static_cast<std::uint32_t>(connection));
  ApiClient client(port_, api_key_);
  std::size_t refusals = 0;
  for (std::size_t number = 0; note(ask(client, name + std::to_string(number), random), refusals); ++number) {
  }
  const std::lock_guard lock(mutex_);
  --running_;
  changed_.notify_all();
}

AskedCharge Load::ask(ApiClient& client, std::string label, std::mt19937& random) {
  AskedCharge charge;
  charge.label = std::move(label);
  charge.document = document_of(random() % 2 == 0 ? random() % kRegulars : random());
  const auto created = client.post(kCreatePath, charge.body(), charge.headers());
  if (!created) return charge;
  charge.status = created->status;
  charge.id = created->text("id");
  if (!charge.acknowledged() || random() % 100 >= options_.pays_percent) return charge;
  charge.pay_asked = true;
  const auto paid = client.post("/api/sandbox/transactions/" + charge.id + "/pay", "",
                                "X-Request-Id: " + charge.label + kPaySuffix + "\r\n");
  if (paid) charge.pay_status = paid->status;
  return charge;
}

// Returns false if the connection must end.
bool Load::note(const AskedCharge& charge, std::size_t& refusals) {
  const bool broken = charge.status == 0 || (charge.pay_asked && charge.pay_status == 0);
  const bool refused = charge.status != 201 || (charge.pay_asked && charge.pay_status != 200);
  if (refused) ++refusals;
  const std::lock_guard lock(mutex_);
  asked_.push_back(charge);
  if (charge.acknowledged()) ++acknowledged_;
  changed_.notify_all();
  return !broken && !stopping_ && refusals < options_.refusals_max;
}

bool ask_again(ApiClient& client, std::vector<AskedCharge>& charges) {
  for (std::size_t i = 0; i < charges.size(); ++i) {
    auto& charge = charges[i];
    const bool is_repeat = charge.acknowledged() && i % kRepeatedEvery == 0;
    if (charge.status != 0 && !is_repeat) continue;
    const auto created = client.post(kCreatePath, charge.body(), charge.headers(kAgainSuffix));
    if (!created) return false;
    const bool is_same = created->status == 201 && created->replayed && created->text("id") == charge.id;
    if (is_repeat && !is_same) {
      std::cout << charge.label << " (" << charge.id << ") was asked for again: " << created->body
                << std::endl;
      return false;
    }
    charge.status = created->status;
    charge.id = created->text("id");
  }
  return true;
}

std::size_t count_wrong_answers(std::uint16_t port, const std::string& api_key,
                                const std::vector<AskedCharge>& charges) {
  ApiClient client(port, api_key);
  std::size_t wrong = 0;
  for (const auto& charge : charges) {
    if (!charge.acknowledged()) continue;
    const auto answer = client.get("/api/transactions/" + charge.id);
    const auto status = answer ? answer->text("status") : "no answer";
    const bool is_right = answer && answer->status == 200 && answer->text("externalId") == charge.label &&
                          (charge.pay_status == 200 ? status == "paid"
                           : charge.pay_asked       ? status == "paid" || status == "waiting_payment"
                                                    : status == "waiting_payment");
    if (is_right) continue;
    ++wrong;
    std::cout << "charge " << charge.id << " (" << charge.label << ", pay answered " << charge.pay_status
              << "): " << (answer ? answer->body : status) << std::endl;
  }
  return wrong;
}

}  // namespace pixledger::tests
