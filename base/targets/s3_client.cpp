#include "base/targets/s3_client.h"

#include <Poco/SAX/DefaultHandler.h>
#include <Poco/SAX/SAXParser.h>
#include <algorithm>
#include <array>
#include <thread>

#include "base/net/http_status.h"
#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kS3ConnectMax = 5s;
// A request may take that long, and longer the more it sends or receives.
constexpr std::chrono::milliseconds kRequestMax = 30s;
constexpr std::size_t kBytesASecondMin = 128 * 1024;
constexpr std::array<std::chrono::milliseconds, 3> kPauses = {200ms, 800ms, 2400ms};
constexpr std::size_t kErrorAnswerBytes = 64 * 1024;
constexpr std::size_t kS3ResolversMax = 2;
constexpr std::size_t kShownBytesMax = 64;

// Flattens a document as it is read, so that a deep one takes no memory.
class DocumentReader final : public Poco::XML::DefaultHandler {
 public:
  explicit DocumentReader(S3Document& document) : document_(document) {}

  void startElement(const Poco::XML::XMLString&, const Poco::XML::XMLString& name,
                    const Poco::XML::XMLString&, const Poco::XML::Attributes&) override {
    ++depth_;
    if (depth_ == 1) document_.root = name;
    if (depth_ == 2) document_.elements.push_back({name, {}, {}});
    text_ = depth_ == 2   ? &document_.elements.back().text
            : depth_ == 3 ? &document_.elements.back().fields[name]
                          : nullptr;
  }
  void endElement(const Poco::XML::XMLString&, const Poco::XML::XMLString&,
                  const Poco::XML::XMLString&) override {
    --depth_;
    text_ = nullptr;
  }
  void characters(const Poco::XML::XMLChar characters[], int start, int length) override {
    if (text_ != nullptr) text_->append(characters + start, static_cast<std::size_t>(length));
  }

 private:
  S3Document& document_;
  int depth_ = 0;
  std::string* text_ = nullptr;
};

// What a service says, for a message.
std::string shown(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return is_unreserved(c); });
  return is_plain ? text.substr(0, kShownBytesMax) : std::string();
}

std::string error_code(const std::string& body) {
  const auto document = S3Document::parse(body);
  return document && document->root == "Error" ? shown(document->text("Code")) : std::string();
}

bool is_temporary(const S3Answer& answer) {
  constexpr std::array<std::string_view, 4> kCodes = {"SlowDown", "InternalError", "RequestTimeout",
                                                      "OperationAborted"};
  return answer.status == kTooManyRequests ||
         (answer.status >= kFirstServerError && answer.status <= 504 && answer.status != 501) ||
         std::find(kCodes.begin(), kCodes.end(), answer.code) != kCodes.end();
}

TargetFault fault_of(const S3Answer& answer) {
  if (answer.status == 507 || answer.code.find("Quota") != std::string::npos ||
      answer.code.find("StorageFull") != std::string::npos)
    return TargetFault::kFull;
  if (answer.status == kUnauthorized || answer.status == kForbidden) return TargetFault::kRefused;
  return is_temporary(answer) ? TargetFault::kUnreachable : TargetFault::kOther;
}

std::string problem_of(const SendFailure& failure) {
  switch (failure.cause) {
    case SendFailure::Cause::kTimeout:
      return "it does not answer in time";
    case SendFailure::Cause::kClosed:
      return "it closes the connection";
    case SendFailure::Cause::kCertificate:
      return "its certificate is not trusted";
    default:
      return failure.reason;
  }
}

// Such as a reset connection, or one that ends during the handshake.
bool is_interruption(const SendFailure& failure) {
  using Cause = SendFailure::Cause;
  return failure.cause == Cause::kClosed || failure.cause == Cause::kTls || failure.cause == Cause::kOther;
}

// A connection that broke may work when it is opened again.
class Interrupted final : public TargetError {
 public:
  using TargetError::TargetError;
};

std::chrono::milliseconds time_for(std::size_t bytes) {
  return kRequestMax + std::chrono::seconds(bytes / kBytesASecondMin);
}

}  // namespace

std::optional<S3Document> S3Document::parse(const std::string& xml) {
  // No answer declares a document type or entities.
  if (xml.find("<!") != std::string::npos) return std::nullopt;
  S3Document document;
  DocumentReader reader(document);
  try {
    Poco::XML::SAXParser parser;
    parser.setFeature(Poco::XML::XMLReader::FEATURE_NAMESPACES, true);
    parser.setContentHandler(&reader);
    parser.parseString(xml);
  } catch (const Poco::Exception&) {
    return std::nullopt;
  }
  return document;
}

std::string S3Document::text(std::string_view name) const {
  for (const auto& element : elements)
    if (element.name == name) return element.text;
  return {};
}

S3Client::S3Client(S3Location location, S3CredentialSource credentials, const Clock& clock)
    : location_(std::move(location)),
      credentials_(std::move(credentials)),
      clock_(clock),
      resolver_(system_resolver_, kS3ResolversMax),
      client_(watch_, make_tls_client_context({}), kS3ConnectMax) {}

std::string S3Client::sentence(const std::string& problem) const {
  return "the target " + location_.uri + ": " + problem;
}

void S3Client::fail(TargetFault fault, const std::string& problem) const {
  throw TargetError(fault, sentence(problem));
}

void S3Client::fail(const S3Answer& answer) const {
  fail(fault_of(answer),
       "it answers " + std::to_string(answer.status) + (answer.code.empty() ? "" : " ") + answer.code);
}

PinnedTarget S3Client::pinned(DeadlineWatch::Time deadline) {
  PinnedTarget target{location_.base, {}};
  if (const auto address = location_.base.address()) {
    target.addresses.push_back(*address);
    return target;
  }
  try {
    target.addresses = resolver_.resolve(location_.base.host, deadline);
  } catch (const ResolveTimeout&) {
    fail(TargetFault::kUnreachable, "the name server does not answer in time");
  }
  if (target.addresses.empty())
    fail(TargetFault::kUnreachable, "the host " + location_.base.host + " has no address");
  return target;
}

S3Answer S3Client::attempt(const S3Request& request, std::size_t answer_bytes_max) {
  S3Credentials credentials;
  try {
    credentials = credentials_.get();
  } catch (const std::exception& error) {
    fail(TargetFault::kRefused, error.what());
  }
  const auto deadline = steady_clock::now() + time_for(std::max(request.body.size(), answer_bytes_max));
  auto target = pinned(deadline);
  target.url.path = request.path;
  if (!request.query.empty()) target.url.path += "?" + s3_query(request.query);
  const OutgoingRequest outgoing{
      .method = request.method,
      .headers = sign_s3(request, location_.base.host_header(), location_.region, credentials, clock_.now()),
      .body = request.body,
      .answer_bytes_max = std::max(answer_bytes_max, kErrorAnswerBytes),
      .deadline = deadline,
      .is_repeatable = true};
  auto sent = client_.send(target, outgoing);
  if (const auto* const failure = std::get_if<SendFailure>(&sent)) {
    if (is_interruption(*failure))
      throw Interrupted(TargetFault::kUnreachable, sentence(problem_of(*failure)));
    fail(TargetFault::kUnreachable, problem_of(*failure));
  }
  auto& received = std::get<IncomingAnswer>(sent);
  // The answer to HEAD tells the length of a body that does not come.
  if (received.body_state == IncomingAnswer::Body::kBrokenOff && request.method != "HEAD")
    throw Interrupted(TargetFault::kUnreachable, sentence("its answer breaks off"));
  S3Answer answer{received.status,
                  {},
                  std::move(received.headers),
                  std::move(received.body),
                  received.body_state == IncomingAnswer::Body::kComplete};
  // Completing an upload begins to answer before it knows whether it succeeds.
  if (!answer.is_ok() || request.method == "POST") answer.code = error_code(answer.body);
  return answer;
}

S3Answer S3Client::send(const std::string& method, const std::string& key, const S3Fields& query,
                        const S3Fields& headers, std::string_view body, std::size_t answer_bytes_max) {
  S3Request request{method, location_.base.path, query, headers, body};
  request.path += "/" + key;
  if (key.empty() && location_.base.path.empty()) request.path = "/";
  for (std::size_t retry = 0;; ++retry) {
    const bool is_last = retry == kPauses.size();
    try {
      auto answer = attempt(request, answer_bytes_max);
      if (is_last || !is_temporary(answer)) {
        check_common(answer);
        return answer;
      }
    } catch (const Interrupted&) {
      if (is_last) throw;
    }
    std::this_thread::sleep_for(kPauses[retry]);
  }
}

void S3Client::check_common(const S3Answer& answer) const {
  if (answer.is_ok() && answer.code.empty()) return;
  const auto document = S3Document::parse(answer.body).value_or(S3Document{});
  if (answer.code == "RequestTimeTooSkewed") {
    const auto theirs = parse_iso8601(document.text("ServerTime"));
    const auto by =
        theirs ? " by " + std::to_string(std::abs(theirs->millis() - clock_.now().millis()) / 1000) + " s"
               : "";
    fail(TargetFault::kRefused,
         "its clock and this machine's differ" + by + " (RequestTimeTooSkewed); set the clock");
  }
  const bool is_redirect = answer.status >= kFirstRedirect && answer.status < kBadRequest;
  if ((is_redirect && answer.status != kNotModified) || answer.code == "AuthorizationHeaderMalformed") {
    auto region = shown(answer.headers.get("X-Amz-Bucket-Region", ""));
    if (region.empty()) region = shown(document.text("Region"));
    const auto endpoint = shown(document.text("Endpoint"));
    if (!region.empty() && region != location_.region)
      fail(TargetFault::kOther, "the bucket is in another region; write region=" + region);
    if (is_redirect)
      fail(TargetFault::kOther, "it redirects " + (endpoint.empty() ? "elsewhere" : "to " + endpoint) +
                                    ", which is not followed; write the bucket's own endpoint and region");
  }
  if (answer.code == "NoSuchBucket")
    fail(TargetFault::kUnreachable, "there is no bucket " + location_.bucket);
  if (answer.status == kUnauthorized || answer.code == "InvalidAccessKeyId" ||
      answer.code == "SignatureDoesNotMatch" || answer.code == "ExpiredToken" ||
      answer.code == "InvalidToken")
    fail(TargetFault::kRefused, "it refuses the credentials (" +
                                    (answer.code.empty() ? std::to_string(answer.status) : answer.code) +
                                    ")");
}

S3Document S3Client::document(const S3Answer& answer) const {
  if (!answer.is_ok() || !answer.code.empty()) fail(answer);
  auto document = answer.is_whole ? S3Document::parse(answer.body) : std::nullopt;
  if (!document || document->root == "Error") fail(TargetFault::kOther, "it answers what is not of S3");
  return *std::move(document);
}

}  // namespace pixledger
