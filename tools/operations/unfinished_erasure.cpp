#include "tools/operations/unfinished_erasure.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/platform/durable_files.h"
#include "base/platform/lock_probe.h"
#include "base/platform/sha256.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDirectory = "erasures";

// Ids may have characters that no file's name has.
std::string name_of(const domain::CustomerId& customer) { return to_hex(sha256(customer.text())); }

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// One line for each item; the last line shows that the list is complete.
std::string text_of(const ErasureLeftovers& left) {
  std::ostringstream text;
  for (const auto& entry : left.blocklist)
    text << "blocklist " << entry.id.text() << ' ' << (entry.is_removed ? "removed" : "present") << ' '
         << entry.type << '\n';
  for (const auto& found : left.texts)
    text << "text " << found.position.value() << ' ' << found.field << ' ' << found.names << '\n';
  text << "texts " << left.texts_found << '\n';
  if (left.has_account) text << "account\n";
  if (!left.accounts_unread.empty()) text << "unread " << in_one_line(left.accounts_unread) << '\n';
  text << "end\n";
  return text.str();
}

// Returns false if the line is invalid.
bool read_line(const std::string& line, ErasureLeftovers& left) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "blocklist") {
    std::string id, state, type;
    words >> id >> state;
    std::getline(words >> std::ws, type);
    auto entry = domain::BlocklistEntryId::parse(id);
    if (!entry) return false;
    left.blocklist.push_back({*std::move(entry), type, state == "removed"});
    return true;
  }
  if (kind == "text") {
    std::uint64_t position = 0;
    std::string field, names;
    words >> position >> field;
    std::getline(words >> std::ws, names);
    left.texts.push_back({Position(position), field, names});
    return !names.empty();
  }
  if (kind == "texts") return static_cast<bool>(words >> left.texts_found);
  if (kind == "unread") return static_cast<bool>(std::getline(words >> std::ws, left.accounts_unread));
  left.has_account = left.has_account || kind == "account";
  return kind == "account";
}

}  // namespace

UnfinishedErasure::UnfinishedErasure(const fs::path& data, const domain::CustomerId& customer)
    : file_(fs::absolute(data) / kDirectory / name_of(customer)),
      customer_(customer),
      stays_(fs::exists(file_)) {
  create_durably(file_.parent_path());
  if (!noted()) write_durably(file_, customer.text() + "\n");
}

void UnfinishedErasure::note(const ErasureLeftovers& left) const {
  write_durably(file_, customer_.text() + "\n" + text_of(left));
}

std::optional<ErasureLeftovers> UnfinishedErasure::noted() const {
  std::ifstream file(file_);
  std::string line;
  if (!std::getline(file, line) || line != customer_.text()) return std::nullopt;
  ErasureLeftovers left;
  while (std::getline(file, line) && line != "end")
    if (!read_line(line, left)) return std::nullopt;
  if (line != "end") return std::nullopt;
  return left;
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
