#pragma once

#include <Poco/Net/MessageHeader.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_client.h"
#include "base/net/resolver.h"
#include "base/platform/clock_and_entropy.h"
#include "base/targets/s3_location.h"
#include "base/targets/target.h"

namespace pixledger {

// An answer in XML, without namespaces and attributes, two levels deep.
struct S3Document {
  struct Element {
    std::string name;
    std::string text;
    std::map<std::string, std::string> fields;  // what it consists of
  };

  // nullopt if it is no such document.
  static std::optional<S3Document> parse(const std::string& xml);

  // The text of the first element of that name; empty if it is missing.
  std::string text(std::string_view name) const;

  std::string root;
  std::vector<Element> elements;
};

struct S3Answer {
  bool is_ok() const { return status >= 200 && status < 300; }

  int status = 0;
  std::string code;  // of an error, such as "NoSuchKey"
  Poco::Net::MessageHeader headers;
  std::string body;
  bool is_whole = true;  // else the body has more bytes
};

// Sends signed requests to one bucket. Not thread-safe.
class S3Client {
 public:
  // The clock must outlive it.
  S3Client(S3Location location, S3CredentialSource credentials, const Clock& clock);

  const S3Location& location() const { return location_; }

  // Sends a request for an object, or for the bucket if `key` is empty, and again after pauses while the
  // service is overloaded or fails. Throws TargetError if there is no answer, and for one that is the same
  // for all requests: refused credentials, no such bucket, another region.
  S3Answer send(const std::string& method, const std::string& key, const S3Fields& query = {},
                const S3Fields& headers = {}, std::string_view body = {},
                std::size_t answer_bytes_max = kAnswerBytesMax);
  // The document of a successful answer. Throws TargetError.
  S3Document document(const S3Answer& answer) const;

  // For any other answer than the expected.
  [[noreturn]] void fail(const S3Answer& answer) const;
  [[noreturn]] void fail(TargetFault fault, const std::string& problem) const;

  static constexpr std::size_t kAnswerBytesMax = std::size_t{8} << 20;

 private:
  std::string sentence(const std::string& problem) const;
  PinnedTarget pinned(DeadlineWatch::Time deadline);
  S3Answer attempt(const S3Request& request, std::size_t answer_bytes_max);
  void check_common(const S3Answer& answer) const;

  const S3Location location_;
  const S3CredentialSource credentials_;
  const Clock& clock_;
  const SystemResolver system_resolver_;
  BoundedResolver resolver_;
  DeadlineWatch watch_;
  HttpClient client_;
};

}  // namespace pixledger
