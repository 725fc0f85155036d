#include "tests/support/servers/s3_service.h"

#include <fstream>
#include <stdexcept>

#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/paths.h"

namespace pixledger::tests {

S3Service::S3Service() : credentials_(home_.path() / "credentials") {
  std::ofstream(credentials_) << "[other]\naws_access_key_id = wrong\n\n# for the tests\n[default]\n"
                              << "aws_access_key_id = " << kId << "\naws_secret_access_key=" << kSecret
                              << "\naws_session_token = " << kToken << "\n";
  const auto port_file = home_.path() / "port";
  process_ = std::make_unique<Process>(
      source_file("scripts/with-node"),
      std::vector<std::string>{"node", source_file("tests/s3/serve.mjs"), port_file.string(),
                               (home_.path() / "s3rver").string()});
  const bool ready =
      eventually([&] { return std::filesystem::exists(port_file) || process_->wait({}).has_value(); });
  if (!ready || !std::filesystem::exists(port_file))
    throw std::runtime_error("no S3 service; it wrote: " + process_->err());
  std::ifstream(port_file) >> port_;
}

std::string S3Service::uri(const std::string& bucket_and_prefix) const {
  return "s3://" + bucket_and_prefix + "?endpoint=http://127.0.0.1:" + std::to_string(port_);
}

}  // namespace pixledger::tests
