#include "base/targets/open_target.h"

#include <filesystem>

#include "base/process/options.h"
#include "base/targets/directory_target.h"
#include "base/targets/s3_target.h"

namespace pixledger {
namespace {

// Each target of a backup has it, at its root.
constexpr const char* kTargetFile = "LEDGER";
constexpr std::string_view kFileScheme = "file://";

std::unique_ptr<Target> open_s3(const std::string& uri, const std::string& credentials_file) {
  static const SystemClock clock;  // has no state
  auto location = S3Location::parse(uri);
  S3CredentialSource credentials(credentials_file);
  try {
    credentials.get();
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  return std::make_unique<S3Target>(std::move(location), std::move(credentials), clock);
}

}  // namespace

std::unique_ptr<Target> open_target(const std::string& uri, const std::string& s3_credentials) {
  if (uri.starts_with(S3Location::kScheme)) return open_s3(uri, s3_credentials);
  const std::filesystem::path path(uri.rfind(kFileScheme, 0) == 0 ? uri.substr(kFileScheme.size()) : uri);
  if (!path.is_absolute() || !path.has_relative_path())
    throw UsageError("a target " + std::string(kTargetRule));
  auto directory = path.lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();
  return std::make_unique<DirectoryTarget>(directory);
}

std::unique_ptr<Target> find_target(const std::string& text, const std::string& s3_credentials) {
  if (text.find("://") != std::string::npos) return open_target(text, s3_credentials);
  const auto directory = std::filesystem::absolute(text);
  return std::filesystem::exists(directory / kTargetFile) ? open_target(directory.string()) : nullptr;
}

}  // namespace pixledger
