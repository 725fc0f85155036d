#include "tools/operations/unfinished_erasure.h"

#include <algorithm>
#include <fstream>

#include "base/platform/durable_files.h"
#include "base/platform/lock_probe.h"
#include "base/platform/sha256.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDirectory = "erasures";

// Ids may have characters that no file's name has.
std::string name_of(const domain::CustomerId& customer) { return to_hex(sha256(customer.text())); }

}  // namespace

UnfinishedErasure::UnfinishedErasure(const fs::path& data, const domain::CustomerId& customer)
    : file_(fs::absolute(data) / kDirectory / name_of(customer)), stays_(fs::exists(file_)) {
  create_durably(file_.parent_path());
  write_durably(file_, customer.text() + "\n");
}

UnfinishedErasure::~UnfinishedErasure() {
  std::error_code ignored;
  if (!stays_) fs::remove(file_, ignored);
}

void UnfinishedErasure::finish() {
  fs::remove(file_);
  sync_directory(file_.parent_path());
  stays_ = true;
}

std::vector<std::string> find_unfinished_erasures(const fs::path& data) {
  std::vector<std::string> customers;
  if (!fs::is_directory(data / kDirectory)) return customers;
  for (const auto& entry : fs::directory_iterator(data / kDirectory)) {
    std::ifstream file(entry.path());
    std::string customer;
    if (std::getline(file, customer) && domain::CustomerId::parse(customer)) customers.push_back(customer);
  }
  std::sort(customers.begin(), customers.end());
  return customers;
}

std::vector<std::string> find_abandoned_erasures(const DataDirectory& data) {
  auto customers = find_unfinished_erasures(data.root);
  if (customers.empty() || is_locked(data.erasing_lock())) return {};
  // What was under way may have been finished just before the lock was looked at.
  const auto still_there = find_unfinished_erasures(data.root);
  std::erase_if(customers, [&](const auto& customer) {
    return !std::binary_search(still_there.begin(), still_there.end(), customer);
  });
  return customers;
}

}  // namespace pixledger::tools
