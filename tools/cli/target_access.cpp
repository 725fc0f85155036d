#include "tools/cli/target_access.h"

#include <stdexcept>
#include <utility>

#include "base/platform/durable_files.h"
#include "base/process/service_options.h"

namespace pixledger::tools {

std::vector<AgeIdentity> TargetAccess::keys() const {
  std::vector<AgeIdentity> keys;
  for (const auto& file : identities) {
    auto content = read_if_there(file);
    if (!content) throw std::runtime_error("--identity: there is no file " + file);
    const AgeSecret secret(*std::move(content));
    try {
      for (const auto& key : parse_age_identities(secret.bytes)) keys.push_back(key);
    } catch (const AgeError& error) {
      throw std::runtime_error("--identity: " + file + ' ' + error.what());
    }
  }
  return keys;
}

void add_target_access(CommandLine& command, TargetAccess& access) {
  command.add_option("--identity", access.identities,
                     "File of age-keygen with the secret key of an encrypted target; repeatable");
  add_s3_credentials_option(command, access.s3_credentials);
}

}  // namespace pixledger::tools
