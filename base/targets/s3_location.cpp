#include "base/targets/s3_location.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "base/net/http_url.h"
#include "base/platform/durable_files.h"
#include "base/process/options.h"
#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger {
namespace {

constexpr std::string_view kDefaultRegion = "us-east-1";
constexpr std::size_t kPrefixBytesMax = 512;

[[noreturn]] void fail_usage(std::string_view rule) { throw UsageError("a target " + std::string(rule)); }

bool consists_of(std::string_view text, std::string_view others, std::size_t min, std::size_t max) {
  return text.size() >= min && text.size() <= max && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_ascii_lower(c) || is_ascii_digit(c) || others.find(c) != std::string_view::npos;
         });
}

// Parts as those of objects' names.
bool is_prefix(std::string_view text) {
  if (text.size() > kPrefixBytesMax) return false;
  while (true) {
    const auto part = text.substr(0, text.find('/'));
    if (part.empty() || part.front() == '.' || !std::all_of(part.begin(), part.end(), is_unreserved))
      return false;
    if (part.size() == text.size()) return true;
    text.remove_prefix(part.size() + 1);
  }
}

WebhookUrl parse_endpoint(std::string_view text) {
  const auto url = HttpUrl::parse(text);
  const auto is_plain = [](char c) { return is_unreserved(c) || c == '/'; };
  if (!url || !std::all_of(url->path.begin(), url->path.end(), is_plain))
    fail_usage("of S3 needs an endpoint such as https://s3.example.com, without credentials");
  WebhookUrl base{url->is_tls, url->host, url->port, url->path};
  const auto address = base.address();
  const bool is_here =
      url->host == "localhost" ||
      (address && is_within(*address, {*Cidr::parse("127.0.0.0/8"), *Cidr::parse("::1/128")}));
  if (!url->is_tls && !is_here)
    fail_usage("of S3 needs https:// beyond this machine: others could read what is sent");
  return base;
}

}  // namespace

S3Location S3Location::parse(const std::string& uri) {
  std::string_view rest(uri);
  if (!rest.starts_with(kScheme)) fail_usage(kRule);
  rest.remove_prefix(kScheme.size());
  const auto place = rest.substr(0, rest.find('?'));
  const auto bucket = place.substr(0, place.find('/'));
  auto prefix = place.substr(std::min(bucket.size() + 1, place.size()));
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  S3Location location;
  location.uri = uri;
  location.bucket = bucket;
  if (!consists_of(bucket, ".-", 3, 63) || bucket.front() == '.' || bucket.front() == '-') fail_usage(kRule);
  if (!prefix.empty() && !is_prefix(prefix)) fail_usage(kRule);
  if (!prefix.empty()) location.prefix = std::string(prefix) + "/";

  std::map<std::string_view, std::string_view> given;
  for (auto query = rest.substr(std::min(place.size() + 1, rest.size())); !query.empty();) {
    const auto field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(field.size() + 1, query.size()));
    const auto name = field.substr(0, field.find('='));
    if ((name != "endpoint" && name != "region") || name.size() == field.size()) fail_usage(kRule);
    if (!given.emplace(name, field.substr(name.size() + 1)).second) fail_usage(kRule);
  }
  location.region = given.contains("region") ? given["region"] : kDefaultRegion;
  if (!consists_of(location.region, "-", 1, 32)) fail_usage(kRule);

  // A dot in a bucket's name does not fit the certificate for names below the host.
  const auto amazon = "s3." + location.region + ".amazonaws.com";
  if (given.contains("endpoint"))
    location.base = parse_endpoint(given["endpoint"]);
  else
    location.base = {true, amazon, kHttpsPort, ""};
  if (given.contains("endpoint") || bucket.find('.') != std::string_view::npos)
    location.base.path += "/" + location.bucket;
  else
    location.base.host = location.bucket + "." + amazon;
  return location;
}

namespace {

// The profile "default" of AWS's credentials file.
S3Credentials credentials_of(const std::string& file) {
  const auto content = read_if_there(file);
  if (!content) throw std::runtime_error("there is no file " + file + " of S3 credentials");
  std::map<std::string, std::string, std::less<>> values;
  bool is_default = false;
  for (std::string_view rest(*content); !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line = without_outer_blanks(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') is_default = line == "[default]";
    const auto equals = line.find('=');
    if (!is_default || equals == std::string_view::npos) continue;
    values[to_lower_case(without_outer_blanks(line.substr(0, equals)))] =
        without_outer_blanks(line.substr(equals + 1));
  }
  return {values["aws_access_key_id"], values["aws_secret_access_key"], values["aws_session_token"]};
}

std::string in_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

S3Credentials S3CredentialSource::get() const {
  auto credentials = file_.empty() ? S3Credentials{in_environment("AWS_ACCESS_KEY_ID"),
                                                   in_environment("AWS_SECRET_ACCESS_KEY"),
                                                   in_environment("AWS_SESSION_TOKEN")}
                                   : credentials_of(file_);
  const auto is_printable = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  };
  if (credentials.id.empty() || credentials.secret.empty() || !is_printable(credentials.id) ||
      !is_printable(credentials.secret) || !is_printable(credentials.session_token))
    throw std::runtime_error(
        file_.empty() ? "S3 needs --s3-credentials FILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                      : file_ + " needs [default] with aws_access_key_id and aws_secret_access_key");
  return credentials;
}

}  // namespace pixledger
