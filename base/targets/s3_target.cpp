#include "base/targets/s3_target.h"

#include <algorithm>
#include <openssl/evp.h>
#include <set>
#include <stdexcept>

#include "base/net/http_status.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/text/text.h"

namespace pixledger {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kSinglePutBytesMax = std::uint64_t{16} << 20;
constexpr std::uint64_t kPartBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kPartsMax = 10'000;  // S3's limit
constexpr std::size_t kPagesMax = 1'000;     // of a thousand entries each
// Unfinished uploads may hold personal data, and no list of objects names them. Younger ones may be another
// process's.
constexpr std::int64_t kForgottenMillis = 3'600'000;
constexpr std::chrono::hours kAbortEvery{1};

// Buckets with object lock demand it.
S3Fields md5_of(std::string_view body) {
  std::string digest(16, '\0');
  if (EVP_Digest(body.data(), body.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                 EVP_md5(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot compute MD5, which S3 demands");
  return {{"Content-MD5", to_base64(digest)}};
}

// In pieces that sources make without much memory.
std::string read_part(const ObjectSource& source, std::uint64_t offset, std::uint64_t length) {
  std::string part;
  while (part.size() < length)
    part += source.read(offset + part.size(),
                        static_cast<std::size_t>(std::min<std::uint64_t>(length - part.size(), kPieceBytes)));
  return part;
}

// The text of a field; empty if it is missing.
std::string field(const S3Document::Element& element, const std::string& name) {
  const auto found = element.fields.find(name);
  return found == element.fields.end() ? std::string() : found->second;
}

}  // namespace

S3Target::S3Target(S3Location location, S3CredentialSource credentials, const Clock& clock)
    : client_(std::make_unique<S3Client>(std::move(location), std::move(credentials), clock)),
      clock_(clock) {}

std::string S3Target::key_of(const std::string& name) const { return client_->location().prefix + name; }

std::optional<std::string> S3Target::name_of(const std::string& key) const {
  auto name = key.substr(std::min(client_->location().prefix.size(), key.size()));
  // Consoles mark folders with objects of their own.
  const bool is_other =
      name.empty() || name.ends_with('/') || name.front() == '.' || name.find("/.") != std::string::npos;
  return is_other ? std::nullopt : std::optional(std::move(name));
}

void S3Target::each_listed(const S3Fields& query, const std::string& prefix,
                           const std::vector<std::pair<std::string, std::string>>& markers,
                           const Visit& visit) const {
  auto page_query = query;
  page_query.emplace_back("prefix", key_of(prefix));
  for (std::size_t page = 0; page < kPagesMax; ++page) {
    const auto listed = client_->document(client_->send("GET", {}, page_query));
    for (const auto& element : listed.elements) visit(element);
    if (listed.text("IsTruncated") != "true") return;
    page_query = query;
    page_query.emplace_back("prefix", key_of(prefix));
    for (const auto& [answered, asked] : markers)
      if (const auto marker = listed.text(answered); !marker.empty()) page_query.emplace_back(asked, marker);
  }
  client_->fail(TargetFault::kOther, "it holds more than a million objects, or its list does not end");
}

std::vector<TargetObject> S3Target::list(const std::string& prefix) const {
  std::vector<TargetObject> found;
  each_listed({{"list-type", "2"}}, prefix, {{"NextContinuationToken", "continuation-token"}},
              [&](const S3Document::Element& element) {
                if (element.name != "Contents") return;
                auto name = name_of(field(element, "Key"));
                const auto bytes = whole_number<std::uint64_t>(field(element, "Size"));
                if (name && bytes) found.push_back({*std::move(name), *bytes});
              });
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

std::optional<std::string> S3Target::read(const std::string& name, std::uint64_t offset,
                                          std::size_t max) const {
  constexpr int kPartial = 206;
  constexpr int kBeyondEnd = 416;
  // Without a range from the beginning: services disagree about that of an empty object.
  const auto begin = "bytes " + std::to_string(offset) + "-";
  S3Fields headers;
  if (offset > 0)
    headers.emplace_back("Range", "bytes=" + std::to_string(offset) + "-" +
                                      std::to_string(offset + std::max<std::size_t>(max, 1) - 1));
  auto answer = client_->send("GET", key_of(name), {}, headers, {}, max);
  if (answer.status == kNotFound) return std::nullopt;
  if (answer.status == kBeyondEnd) return std::string();
  if (!answer.is_ok()) client_->fail(answer);
  const bool is_wanted =
      offset == 0 ? answer.status == kOk
                  : answer.status == kPartial && answer.headers.get("Content-Range", "").starts_with(begin);
  if (!is_wanted || (!answer.is_whole && answer.body.size() < max))
    client_->fail(TargetFault::kOther, "it sends other bytes of " + name + " than asked for");
  answer.body.resize(std::min(answer.body.size(), max));
  return std::move(answer.body);
}

void S3Target::write(const std::string& name, const ObjectSource& source) {
  abort_forgotten_uploads();
  if (source.bytes > kSinglePutBytesMax) return write_in_parts(key_of(name), source);
  const auto body = read_part(source, 0, source.bytes);
  const auto answer = client_->send("PUT", key_of(name), {}, md5_of(body), body);
  if (!answer.is_ok()) client_->fail(answer);
}

void S3Target::write_in_parts(const std::string& key, const ObjectSource& source) {
  const auto upload = client_->document(client_->send("POST", key, {{"uploads", ""}})).text("UploadId");
  if (upload.empty()) client_->fail(TargetFault::kOther, "it begins an upload without a name");
  try {
    const auto part_bytes = std::max(kPartBytes, (source.bytes - 1) / kPartsMax + 1);
    std::string parts;
    std::uint64_t number = 1;
    for (std::uint64_t done = 0; done < source.bytes; ++number) {
      const auto body = read_part(source, done, std::min(part_bytes, source.bytes - done));
      const auto answer = client_->send(
          "PUT", key, {{"partNumber", std::to_string(number)}, {"uploadId", upload}}, md5_of(body), body);
      if (!answer.is_ok()) client_->fail(answer);
      parts += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" +
               escape_html(answer.headers.get("ETag", "")) + "</ETag></Part>";
      done += body.size();
    }
    const auto all = "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
    client_->document(client_->send("POST", key, {{"uploadId", upload}}, {}, all));
  } catch (...) {
    try {
      client_->send("DELETE", key, {{"uploadId", upload}});
    } catch (const TargetError&) {
      // A later write aborts it, when it is old enough.
    }
    throw;
  }
}

void S3Target::abort_forgotten_uploads() {
  const auto now = steady_clock::now();
  if (aborted_at_ && now - *aborted_at_ < kAbortEvery) return;
  aborted_at_ = now;
  std::vector<std::pair<std::string, std::string>> forgotten;
  try {
    each_listed(
        {{"uploads", ""}}, {}, {{"NextKeyMarker", "key-marker"}, {"NextUploadIdMarker", "upload-id-marker"}},
        [&](const S3Document::Element& element) {
          const auto begun = parse_iso8601(field(element, "Initiated"));
          if (element.name == "Upload" && begun && clock_.now().millis() - begun->millis() > kForgottenMillis)
            forgotten.emplace_back(field(element, "Key"), field(element, "UploadId"));
        });
    for (const auto& [key, upload] : forgotten)
      if (std::all_of(key.begin(), key.end(), [](char c) { return is_unreserved(c) || c == '/'; }))
        client_->send("DELETE", key, {{"uploadId", upload}});
  } catch (const TargetError&) {
    // Not every service lists them, and not every key may.
  }
}

void S3Target::remove(const std::string& name) {
  const auto answer = client_->send("DELETE", key_of(name));
  if (!answer.is_ok() && answer.status != kNotFound) client_->fail(answer);
}

const std::string& S3Target::versioning() const {
  constexpr int kNotImplemented = 501;
  if (!versioning_) {
    const auto answer = client_->send("GET", {}, {{"versioning", ""}});
    versioning_ = answer.status == kNotImplemented ? "" : client_->document(answer).text("Status");
  }
  return *versioning_;
}

std::vector<OldVersion> S3Target::old_versions(const std::string& prefix) const {
  std::vector<OldVersion> versions;
  if (versioning().empty()) return versions;
  std::vector<OldVersion> marks;
  std::set<std::string> with_versions;
  each_listed({{"versions", ""}}, prefix,
              {{"NextKeyMarker", "key-marker"}, {"NextVersionIdMarker", "version-id-marker"}},
              [&](const S3Document::Element& element) {
                const bool is_mark = element.name == "DeleteMarker";
                const auto name = name_of(field(element, "Key"));
                if ((!is_mark && element.name != "Version") || !name) return;
                if (!is_mark) with_versions.insert(*name);
                if (!is_mark && field(element, "IsLatest") == "true") return;
                (is_mark ? marks : versions)
                    .push_back({*name, field(element, "VersionId"),
                                parse_iso8601(field(element, "LastModified")).value_or(Timestamp())});
              });
  for (auto& mark : marks)
    if (!with_versions.contains(mark.name)) versions.push_back(std::move(mark));
  return versions;
}

std::optional<Timestamp> S3Target::remove_old(const OldVersion& old) {
  const auto answer = client_->send("DELETE", key_of(old.name), {{"versionId", old.version}});
  if (answer.is_ok() || answer.status == kNotFound) return std::nullopt;
  const auto until = kept_until(key_of(old.name), old.version);
  if (!until) client_->fail(answer);
  return until;
}

std::optional<Timestamp> S3Target::kept_until(const std::string& key, const std::string& version) const {
  const auto answer = client_->send("HEAD", key, {{"versionId", version}});
  if (answer.headers.get("X-Amz-Object-Lock-Legal-Hold", "") == "ON") return kLastTimestamp;
  const auto until = parse_iso8601(answer.headers.get("X-Amz-Object-Lock-Retain-Until-Date", ""));
  return until > clock_.now() ? until : std::nullopt;
}

}  // namespace pixledger
