#include "web/upstream/api_credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace pixledger::web {
namespace {

constexpr std::string_view kPrefix = "wk_";
constexpr std::size_t kKeyBytesMax = 512;

std::string key_in(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file) || !stream)
    throw std::runtime_error("cannot read the web key from " + file.string() +
                             (errno == 0 ? "" : std::string(": ") + std::strerror(errno)) +
                             "; pixledger-server --web-key-file makes it");
  std::string key;
  std::getline(stream, key);
  while (!key.empty() && (key.back() == ' ' || key.back() == '\r')) key.pop_back();
  // What is anything else is told to nobody, the API included.
  const bool is_key = key.starts_with(kPrefix) && key.size() <= kKeyBytesMax &&
                      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_key) throw std::runtime_error("there is no web key in " + file.string() + ": it begins with wk_");
  return key;
}

}  // namespace

ApiCredentials::ApiCredentials(std::filesystem::path file) : file_(std::move(file)), key_(key_in(file_)) {}

std::string ApiCredentials::header() const {
  const std::lock_guard lock(mutex_);
  return "Authorization: Bearer " + key_ + "\r\n";
}

std::string ApiCredentials::key_header() const {
  const std::lock_guard lock(mutex_);
  return "Pixledger-Web-Key: " + key_ + "\r\n";
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
