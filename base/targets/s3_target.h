#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/targets/s3_client.h"
#include "base/targets/target.h"

namespace pixledger {

// A target in a bucket. Objects above 16 MiB are uploaded in parts. Needs the permissions to list the bucket,
// to get, put and delete objects, and to read whether it keeps versions; where it does, also to list, get and
// delete those and to read their retention. Never bypasses an object lock.
class S3Target final : public Target {
 public:
  // The clock must outlive it. Nothing is sent yet.
  S3Target(S3Location location, S3CredentialSource credentials, const Clock& clock);

  const std::string& uri() const override { return client_->location().uri; }
  std::vector<TargetObject> list(const std::string& prefix) const override;
  std::optional<std::string> read(const std::string& name, std::uint64_t offset,
                                  std::size_t max) const override;
  void write(const std::string& name, const ObjectSource& source) override;
  void remove(const std::string& name) override;
  bool keeps_versions() const override { return versioning() == "Enabled"; }
  // A removal's mark is one of them only when nothing older is left: without it the older would be back.
  std::vector<OldVersion> old_versions(const std::string& prefix) const override;
  std::optional<Timestamp> remove_old(const OldVersion& old) override;

 private:
  using Visit = std::function<void(const S3Document::Element&)>;

  // The bucket's: empty if it never kept versions, "Enabled" or "Suspended".
  const std::string& versioning() const;
  std::string key_of(const std::string& name) const;
  std::optional<std::string> name_of(const std::string& key) const;
  void each_listed(const S3Fields& query, const std::string& prefix,
                   const std::vector<std::pair<std::string, std::string>>& markers, const Visit& visit) const;
  void write_in_parts(const std::string& key, const ObjectSource& source);
  void abort_forgotten_uploads();
  std::optional<Timestamp> kept_until(const std::string& key, const std::string& version) const;

  const std::unique_ptr<S3Client> client_;
  const Clock& clock_;
  mutable std::optional<std::string> versioning_;
  std::optional<std::chrono::steady_clock::time_point> aborted_at_;
};

}  // namespace pixledger
