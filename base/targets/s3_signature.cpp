#include "base/targets/s3_signature.h"

#include <algorithm>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// "20130524T000000Z"
std::string basic_time(Timestamp now) {
  std::string text;
  for (const char c : to_iso8601(now).substr(0, 19))
    if (c != '-' && c != ':') text += c;
  return text + "Z";
}

}  // namespace

std::string s3_query(const S3Fields& query) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : query) parts.push_back(percent_encode(name) + "=" + percent_encode(value));
  std::sort(parts.begin(), parts.end());
  return joined(parts, "&");
}

S3Fields sign_s3(const S3Request& request, const std::string& host, const std::string& region,
                 const S3Credentials& credentials, Timestamp now) {
  const auto time = basic_time(now);
  const auto body_digest = to_hex(sha256(request.body));
  auto headers = request.headers;
  headers.emplace_back("X-Amz-Date", time);
  headers.emplace_back("X-Amz-Content-Sha256", body_digest);
  if (!credentials.session_token.empty())
    headers.emplace_back("X-Amz-Security-Token", credentials.session_token);

  S3Fields to_sign = {{"host", host}};
  for (const auto& [name, value] : headers) to_sign.emplace_back(to_lower_case(name), value);
  std::sort(to_sign.begin(), to_sign.end());
  std::string names;
  std::string lines;
  for (const auto& [name, value] : to_sign) {
    names.append(names.empty() ? "" : ";").append(name);
    lines.append(name).append(":").append(value).append("\n");
  }
  const auto canonical = request.method + "\n" + request.path + "\n" + s3_query(request.query) + "\n" +
                         lines + "\n" + names + "\n" + body_digest;

  const auto day = time.substr(0, 8);
  const auto scope = day + "/" + region + "/s3/aws4_request";
  auto key = HmacSha256("AWS4" + credentials.secret).mac(day);
  for (const std::string_view part :
       {std::string_view(region), std::string_view("s3"), std::string_view("aws4_request")})
    key = HmacSha256(bytes_of(key)).mac(part);
  const auto signature =
      HmacSha256(bytes_of(key)).mac({kAlgorithm, "\n", time, "\n", scope, "\n", to_hex(sha256(canonical))});
  headers.emplace_back("Authorization", std::string(kAlgorithm) + " Credential=" + credentials.id + "/" +
                                            scope + ",SignedHeaders=" + names +
                                            ",Signature=" + to_hex(signature));
  return headers;
}

}  // namespace pixledger
