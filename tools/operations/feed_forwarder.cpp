#include "tools/operations/feed_forwarder.h"

#include <algorithm>
#include <charconv>
#include <simdjson.h>
#include <utility>

#include "base/net/http_status.h"
#include "base/platform/json_reader.h"
#include "base/process/options.h"
#include "base/process/version.h"
#include "domain/aggregates/event.h"
#include "stores/deliveries/webhook_composer.h"
#include "tools/audit/signed_file.h"
#include "tools/cli/terminal.h"

namespace pixledger::tools {
namespace {

// Returns what `read` makes of an answer of the API.
template <class Read>
auto read_answer(const std::string& body, const Read& read) {
  try {
    const JsonDocument document(body);
    return read(JsonFields(document.root()));
  } catch (const JsonRefused& refused) {
    throw std::runtime_error(std::string("this release does not understand the API's answer: ") +
                             refused.what());
  }
}

FeedItem item_of(const JsonFields& item) {
  return {.id = item.get<std::string>("id"),
          .event = item.get<std::string>("event"),
          .charge = item.find<domain::ChargeId>("transactionId"),
          .occurred_at = item.get<Timestamp>("occurredAt")};
}

domain::CustomerDetails details_of(const JsonFields& customer) {
  const auto label = [&](std::string_view name) { return customer.find<domain::Label>(name); };
  return {.name = customer.get<domain::PersonName>("name"),
          .document = customer.get<domain::Document>("document"),
          .email = customer.get<EmailAddress>("email"),
          .phone = customer.get<domain::Phone>("phone"),
          .address = {.street = label("street"),
                      .street_number = label("streetNumber"),
                      .neighborhood = label("neighborhood"),
                      .complement = label("complement"),
                      .zip_code = label("zipCode"),
                      .city = label("city"),
                      .state = label("state"),
                      .country = customer.find<domain::CountryCode>("country")}};
}

}  // namespace

void MerchantApi::check_scopes() {
  client_.get("/api/v1/transactions?limit=1");
  client_.get("/api/v1/customers?limit=1");
}

TimeZone MerchantApi::zone() {
  const auto name = read_answer(client_.get("/api/v1/transactions?limit=1"), [](const JsonFields& answer) {
    return answer.get<JsonFields>("meta").get<std::string>("timezone");
  });
  const auto zone = TimeZone::parse(name);
  if (!zone)
    throw UsageError("this machine's time zone database does not have " + name +
                     ", the store's zone: install tzdata, or give --since a time");
  return *zone;
}

FeedPage MerchantApi::events(const std::string& after, std::size_t limit) {
  const auto body = client_.get("/api/v1/events?wait=1&limit=" + std::to_string(limit) +
                                (after.empty() ? "" : "&after=" + after));
  return read_answer(body, [](const JsonFields& answer) {
    FeedPage page;
    for (const auto& item : answer.required(answer.objects("data"), "data"))
      page.items.push_back(item_of(item));
    page.next = answer.get<JsonFields>("meta").get<std::string>("next");
    return page;
  });
}

std::vector<domain::RecordedEvent> MerchantApi::charge_events(const domain::ChargeId& id) {
  return events_of_receipt(client_.get("/api/v1/transactions/" + id.text() + "/receipt"));
}

std::optional<domain::CustomerDetails> MerchantApi::customer(const domain::CustomerId& id) {
  const auto body = client_.get("/api/v1/customers/" + id.text());
  return read_answer(body, [](const JsonFields& answer) {
    const auto customer = answer.get<JsonFields>("data");
    const bool is_erased = customer.find<std::string_view>("erasedAt").has_value();
    return is_erased ? std::nullopt : std::optional(details_of(customer));
  });
}

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kConnectMax{5};
constexpr seconds kAnswerMax{60};
constexpr seconds kPauseMax{30};
constexpr std::size_t kAnswerBytesMax = 32 * 1024 * 1024;
constexpr std::size_t kTextBytesMax = 500;

// Texts from others must not fill the terminal.
std::string shortened(std::string_view text) { return printable(text.substr(0, kTextBytesMax)); }

std::string without_slash(std::string url) {
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

WebhookUrl parse_api(const std::string& text) {
  if (text.rfind("https://", 0) != 0 && text.rfind("http://", 0) != 0)
    throw UsageError("--api must begin with https://, or with http:// on this machine or network");
  auto url = parse_webhook_url(text, HostNames::kWithUnderscores);
  if (const auto* refused = std::get_if<TargetRefused>(&url)) throw UsageError("--api " + refused->reason);
  auto parsed = std::get<WebhookUrl>(std::move(url));
  if (text.find('?') != std::string::npos)
    throw UsageError("--api must be the API's address alone, without a query");
  parsed.path = without_slash(parsed.path);
  return parsed;
}

// The API validates the key; here it only must be safe in a header's line.
std::string checked_key(std::string key) {
  const bool is_word = std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty() || !is_word) throw UsageError("the key must be an API key: sk_live_… or sk_test_…");
  return key;
}

seconds pause_of(const std::string& retry_after) {
  unsigned asked = 1;
  std::from_chars(retry_after.data(), retry_after.data() + retry_after.size(), asked);
  return std::clamp(seconds(asked), seconds(1), kPauseMax);
}

std::string error_text_at(const simdjson::dom::element& error, std::string_view pointer) {
  std::string_view text;
  return error.at_pointer(pointer).get(text) == simdjson::SUCCESS ? shortened(text) : std::string();
}

bool is_repeatable(const ApiRequest& request) {
  return request.method == "GET" ||
         std::any_of(request.headers.begin(), request.headers.end(),
                     [](const auto& header) { return header.first == "Idempotency-Key"; });
}

// A proxy in between gives these statuses for itself.
bool is_temporary(int status) { return status == 429 || (status >= 500 && status != 501); }

std::string problem_of(const SendFailure& failure) {
  switch (failure.cause) {
    case SendFailure::Cause::kTimeout:
      return "it did not answer in time";
    case SendFailure::Cause::kClosed:
      return "it closed the connection";
    case SendFailure::Cause::kCertificate:
      return "its certificate is not trusted; --ca-file names others to trust";
    default:
      return failure.reason;
  }
}

}  // namespace

ApiClient::ApiClient(const std::string& url, std::string key, const std::string& ca_file,
                     const Resolver& resolver)
    : shown_(without_slash(url)),
      url_(parse_api(url)),
      key_(checked_key(std::move(key))),
      resolver_(resolver),
      client_(watch_, make_tls_client_context(ca_file), kConnectMax) {}

PinnedTarget ApiClient::pinned(const std::string& target) const {
  const auto literal = url_.address();
  auto addresses = literal ? std::vector{*literal} : resolver_.resolve(url_.host);
  if (addresses.empty()) throw ApiUnavailable("cannot reach " + shown_ + ": no address is known of its host");
  if (!url_.https && std::any_of(addresses.begin(), addresses.end(), is_public_address))
    throw UsageError(
        "--api must be https:// beyond this machine and network: others could read "
        "the key on its way");
  PinnedTarget pinned{url_, std::move(addresses)};
  pinned.url.path += target;
  return pinned;
}

IncomingAnswer ApiClient::send(const ApiRequest& request) {
  OutgoingRequest outgoing{.method = request.method,
                           .headers = request.headers,
                           .body = request.body,
                           .answer_bytes_max = kAnswerBytesMax,
                           .deadline = steady_clock::now() + kAnswerMax,
                           .is_repeatable = is_repeatable(request)};
  outgoing.headers.insert(
      outgoing.headers.end(),
      {{"User-Agent", kUserAgent}, {"Accept", "application/json"}, {"Authorization", "Bearer " + key_}});
  auto sent = client_.send(pinned(request.target), outgoing);
  const auto unreachable = [this](const std::string& problem) {
    return ApiUnavailable("cannot reach " + shown_ + ": " + problem);
  };
  if (const auto* const failure = std::get_if<SendFailure>(&sent)) throw unreachable(problem_of(*failure));
  auto& answer = std::get<IncomingAnswer>(sent);
  if (answer.body_state == IncomingAnswer::Body::kTooLong) throw unreachable("the answer is too large");
  if (answer.body_state == IncomingAnswer::Body::kBrokenOff) throw unreachable("the answer broke off");
  return std::move(answer);
}

std::string ApiClient::get(const std::string& target) {
  auto answer = send({.method = "GET", .target = target});
  if (answer.status != kOk) refuse(answer);
  return std::move(answer.body);
}

void ApiClient::refuse(const IncomingAnswer& answer) const {
  simdjson::dom::parser parser;
  simdjson::dom::element error;
  std::string code;
  std::string message;
  if (parser.parse(answer.body).get(error) == simdjson::SUCCESS) {
    code = error_text_at(error, "/code");
    message = error_text_at(error, "/message");
  }
  const auto status = "it answers " + std::to_string(answer.status);
  if (is_temporary(answer.status))
    throw ApiUnavailable(shown_ + " cannot answer now: " + (message.empty() ? status : message),
                         pause_of(answer.headers.get("Retry-After", "")));
  if (code.rfind("ERR_", 0) == 0 && code != "ERR_HTTP_404") {
    if (answer.status == 401) throw ApiRefused(shown_ + " refuses the key: " + message);
    if (code == "ERR_CURSOR_001")
      throw ApiCursorCutOff(message, error_text_at(error, "/details/0/resumeAfter"));
    throw ApiRefused(shown_ + " refuses: " + message);
  }
  const auto location = answer.headers.get("Location", "");
  const auto moved = location.empty() ? "" : ", for " + shortened(location);
  throw std::runtime_error(shown_ + " is not the address of pixledger's API: " + status + moved +
                           ". Give the one before /api/v1");
}

namespace {

using domain::Charge;
using domain::ChargeEvent;
using domain::RecordedEvent;

constexpr std::size_t kPageItems = 1000;

const ChargeEvent& change_of(const RecordedEvent& event) { return std::get<ChargeEvent>(event.event); }

std::optional<Charge> fold_charge(const std::vector<RecordedEvent>& events, std::size_t count) {
  std::optional<Charge> charge;
  for (std::size_t i = 0; i < count; ++i)
    charge = domain::apply(std::move(charge), change_of(events[i]), events[i].recorded_at);
  return charge;
}

// Uses the feed's names: of refunds only the last one has its kind's name.
bool is_named(const RecordedEvent& event, const std::string& name) {
  if (domain::kind_of(event.event).feed_name == domain::kind_of<domain::ChargeRefunded>().feed_name)
    return name == domain::to_string(domain::WebhookEvent::kTransactionRefunded) ||
           name == domain::to_string(domain::WebhookEvent::kTransactionPartiallyRefunded);
  return name == domain::kind_of(event.event).feed_name;
}

}  // namespace

void FeedForwarder::begin() {
  if (!since_) cursor_ = "now";
  read_page();
  api_.check_scopes();
}

void FeedForwarder::read_page() {
  auto page = api_.events(cursor_, kPageItems);
  cursor_ = std::move(page.next);
  items_ = std::move(page.items);
  next_ = 0;
}

bool FeedForwarder::step(const workers::ForwardingTarget::Report& report,
                         const workers::ForwardingTarget::Stop& stop) {
  if (next_ == items_.size()) {
    try {
      read_page();
    } catch (const ApiCursorCutOff& cut) {
      cursor_ = cut.resume_after();
      throw;
    }
  }
  while (next_ < items_.size()) {
    const auto& item = items_[next_];
    const bool is_meant = item.charge && (!since_ || item.occurred_at >= *since_);
    if (is_meant && !forward(item, report, stop)) return false;
    ++next_;
    if (is_meant) return true;
  }
  return true;
}

bool FeedForwarder::forward(const FeedItem& item, const workers::ForwardingTarget::Report& report,
                            const workers::ForwardingTarget::Stop& stop) {
  if (item.occurred_at != moment_) told_.clear();
  moment_ = item.occurred_at;
  const auto events = api_.charge_events(*item.charge);
  const auto which = find(item, events);
  for (const auto& [delivery, body] : webhooks_of(item, events, which)) {
    if (!target_.forward(delivery, body, report, stop)) return false;
  }
  told_[*item.charge] = events[which].version;
  return true;
}

std::size_t FeedForwarder::find(const FeedItem& item, const std::vector<RecordedEvent>& events) const {
  const auto told = told_.find(*item.charge);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool is_new = told == told_.end() || events[i].version > told->second;
    if (is_new && events[i].recorded_at == item.occurred_at && is_named(events[i], item.event)) return i;
  }
  throw std::runtime_error("the receipt of transaction " + item.charge->text() + " does not have its event " +
                           item.id);
}

std::vector<FeedForwarder::Webhook> FeedForwarder::webhooks_of(const FeedItem& item,
                                                               const std::vector<RecordedEvent>& events,
                                                               std::size_t which) {
  const auto& event = events[which];
  const auto before = fold_charge(events, which);
  const auto after = domain::apply(before, change_of(event), event.recorded_at);
  if (!after) throw std::runtime_error("the receipt of transaction " + item.charge->text() + " is not whole");
  std::vector<stores::Announcement> announcements;
  for (const auto webhook : domain::webhook_events_of(change_of(event), *after))
    announcements.push_back({webhook, after->id, after->environment});
  const auto deliveries = target_.deliveries_of(event, announcements);
  if (deliveries.empty()) return {};

  const auto customer = api_.customer(after->customer);
  std::optional<domain::UnappliedPayment> payment;
  if (before) payment = stores::payment_told(change_of(event), event.recorded_at, *before);
  std::vector<Webhook> webhooks;
  for (const auto& delivery : deliveries) {
    const stores::WebhookFacts facts{.event = *delivery.event,
                                     .event_id = item.id,
                                     .occurred_at = event.recorded_at,
                                     .recorded = change_of(event),
                                     .charge = *after,
                                     .payment = payment ? &*payment : nullptr,
                                     .customer = customer ? &*customer : nullptr};
    webhooks.push_back({delivery, stores::webhook_body(facts, delivery.version)});
  }
  return webhooks;
}

}  // namespace pixledger::tools
