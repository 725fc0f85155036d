#include "web/upstream/api_credentials.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace pixledger::web {
namespace {

constexpr std::size_t kKeyBytesMax = 512;

std::string key_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string key;
  if (!std::filesystem::is_regular_file(file) || !std::getline(stream, key))
    throw std::runtime_error("cannot read the web key from " + file.string() +
                             "; pixledger-server --web-key-file makes it");
  while (!key.empty() && (key.back() == ' ' || key.back() == '\r')) key.pop_back();
  const bool is_key = !key.empty() && key.size() <= kKeyBytesMax &&
                      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_key) throw std::runtime_error("there is no key in " + file.string());
  return key;
}

}  // namespace

ApiCredentials::ApiCredentials(std::filesystem::path file) : file_(std::move(file)), key_(key_in(file_)) {}

std::string ApiCredentials::header() const {
  const std::lock_guard lock(mutex_);
  return "Authorization: Bearer " + key_ + "\r\n";
}

void ApiCredentials::read_anew() {
  try {
    auto key = key_in(file_);
    const std::lock_guard lock(mutex_);
    key_ = std::move(key);
  } catch (const std::exception&) {
    // The old one goes on being refused, which the API's answers tell.
  }
}

}  // namespace pixledger::web
