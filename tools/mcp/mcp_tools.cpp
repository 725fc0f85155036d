#include "tools/mcp/mcp_tools.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/platform/json.h"
#include "base/text/ascii.h"

namespace pixledger::tools {
namespace {

using ToolArguments = JsonFields;
using Fields = std::span<const std::string_view>;

// What may be shown of the API's answers: ids, amounts, states and times. No names, documents, addresses,
// metadata or Pix codes, since the company that runs the model would get them.
constexpr std::array<std::string_view, 14> kChargeFields{
    "id",        "externalId",      "environment", "status",   "amountCents",         "quantity",
    "paidAt",    "paidAmountCents", "feeCents",    "netCents", "refundedAmountCents", "unappliedAmountCents",
    "createdAt", "updatedAt"};
constexpr std::array<std::string_view, 4> kDetailFields{"transactionCode", "expirationDate", "refundedAt",
                                                        "refundsMoveMoney"};
constexpr std::array<std::string_view, 7> kRefundFields{"id",     "amountCents", "status",   "moved",
                                                        "origin", "requestedAt", "settledAt"};
constexpr std::array<std::string_view, 8> kPaymentFields{
    "endToEndId", "amountCents", "feeCents", "paidAt", "receivedAt", "flag", "isReturning", "returnedAt"};
constexpr std::array<std::string_view, 9> kDeliveryFields{
    "id",          "channelId", "event",         "transactionId", "externalId",
    "environment", "status",    "nextAttemptAt", "createdAt"};
constexpr std::array<std::string_view, 5> kAttemptFields{"number", "at", "httpStatus", "latencyMs", "error"};
constexpr std::array<std::string_view, 8> kGroupFields{"code",   "field",  "status", "count",
                                                       "lastAt", "method", "route",  "environment"};
constexpr std::array<std::string_view, 7> kRequestFields{"at",   "method",    "route",      "status",
                                                         "code", "requestId", "environment"};
constexpr std::array<std::string_view, 4> kMetaFields{"page", "limit", "total", "totalPages"};
constexpr std::array<std::string_view, 5> kMadeFields{"id", "transactionId", "status", "amountCents",
                                                      "expirationDate"};

constexpr std::size_t kResultsMax = 8;
constexpr std::size_t kExcerptBytesMax = 300;

// The arguments of a tool: no others are taken.
void refuse_others(const ToolArguments& arguments, std::initializer_list<std::string_view> names) {
  for (const auto field : arguments.object())
    if (std::find(names.begin(), names.end(), std::string_view(field.key)) == names.end())
      throw ToolFailed("there is no argument " + std::string(field.key));
}

// Safe in a path and a query.
std::string word_of(const ToolArguments& arguments, std::string_view name) {
  const auto word = arguments.get<std::string>(name);
  const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) { return is_unreserved(c); });
  if (word.empty() || word.size() > 200 || !is_plain || word.find("..") != std::string::npos)
    arguments.refuse(name, "must be an id");
  return word;
}

void copy(Json& json, const JsonFields& from, Fields names) {
  for (const auto name : names) {
    const auto value = from.member(name);
    if (!value) continue;
    if (value->is_null()) json.null(name);
    if (const auto text = json_value<std::string_view>(*value)) json.field(name, *text);
    if (const auto number = json_value<std::int64_t>(*value)) json.field(name, *number);
    if (const auto truth = json_value<bool>(*value)) json.field(name, *truth);
  }
}

void copy_list(Json& json, const JsonFields& from, std::string_view name, Fields names) {
  json.key(name).begin_array();
  for (const auto& each : from.objects(name).value_or(std::vector<JsonFields>())) {
    json.begin_object();
    copy(json, each, names);
    json.end_object();
  }
  json.end_array();
}

bool wants_live(const McpRights& rights, const ToolArguments& arguments) {
  const auto environment = arguments.find<std::string_view>("environment").value_or("sandbox");
  if (environment == "sandbox") return false;
  if (environment != "live") arguments.refuse("environment", "must be sandbox or live");
  if (!rights.may_read_live)
    throw ToolFailed("live charges are shown only to a live key, with --allow-live-reads");
  return true;
}

std::string_view environment_name(bool is_live) { return is_live ? "live" : "sandbox"; }

// Whether it belongs to this environment; what names none does.
bool is_of(const JsonFields& item, bool is_live) {
  return item.find<std::string_view>("environment").value_or(environment_name(is_live)) ==
         environment_name(is_live);
}

// An answer of the API with its success checked.
class ApiAnswer {
 public:
  explicit ApiAnswer(const McpApi::Answer& answer) : document_(parsed(answer)), root_(document_->root()) {
    if (answer.status >= 200 && answer.status < 300) return;
    std::string problem = "the API answers " + std::to_string(answer.status);
    for (const auto* name : {"code", "message"})
      if (const auto text = root_.find<std::string_view>(name)) problem.append(" ").append(*text);
    for (const auto& detail : root_.objects("details").value_or(std::vector<JsonFields>()))
      for (const auto* name : {"field", "reason"})
        if (const auto text = detail.find<std::string_view>(name)) problem.append(" ").append(*text);
    throw ToolFailed(problem);
  }
  const JsonFields& root() const { return root_; }
  JsonFields data() const { return root_.get<JsonFields>("data"); }

 private:
  static std::unique_ptr<JsonDocument> parsed(const McpApi::Answer& answer) {
    try {
      return std::make_unique<JsonDocument>(answer.body);
    } catch (const JsonRefused&) {
      throw ToolFailed("status " + std::to_string(answer.status) +
                       " without JSON: this is not pixledger's API");
    }
  }

  std::unique_ptr<JsonDocument> document_;
  JsonFields root_;
};

// Those of one environment, and how many of the page are left out as they are of the other.
void copy_page(Json& json, const ApiAnswer& answer, std::string_view name, bool is_live,
               const std::function<void(const JsonFields&)>& copy_item) {
  json.key(name).begin_array();
  std::size_t others = 0;
  for (const auto& item : answer.root().objects("data").value_or(std::vector<JsonFields>())) {
    if (!is_of(item, is_live)) {
      ++others;
      continue;
    }
    json.begin_object();
    copy_item(item);
    json.end_object();
  }
  json.end_array();
  if (others > 0) json.field("ofOtherEnvironment", others);
  json.key("meta").begin_object();
  if (const auto meta = answer.root().find<JsonFields>("meta")) copy(json, *meta, kMetaFields);
  json.end_object();
}

// page, limit and status, as a query's end.
std::string page_query(const ToolArguments& arguments) {
  std::string query = "page=" + std::to_string(arguments.integer("page", 1, 1'000'000).value_or(1)) +
                      "&limit=" + std::to_string(arguments.integer("limit", 1, 100).value_or(20));
  if (arguments.member("status")) query += "&status=" + word_of(arguments, "status");
  return query;
}

std::vector<std::string> words_of(std::string_view query) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : query) {
    const bool is_part = is_ascii_alnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (is_part) word += to_ascii_lower(c);
    if (!is_part && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size()))
    ++count;
  return count;
}

// The paragraph that has the first of the words, shortened at a character's beginning.
std::string_view excerpt_of(std::string_view text, std::string_view lower,
                            const std::vector<std::string>& words) {
  std::size_t at = std::string_view::npos;
  const auto body = lower.find('\n');
  for (const auto& word : words) at = std::min(at, lower.find(word, body));
  if (at == std::string_view::npos) at = body;
  const auto before = lower.rfind("\n\n", at);
  auto found = text.substr(before == std::string_view::npos ? 0 : before + 2);
  found = found.substr(0, found.find("\n\n"));
  if (found.size() <= kExcerptBytesMax) return found;
  auto end = kExcerptBytesMax;
  while (end > 0 && (static_cast<unsigned char>(found[end]) & 0xc0) == 0x80) --end;
  return found.substr(0, end);
}

std::string search_docs(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"query"});
  auto words = words_of(arguments.get<std::string_view>("query"));
  if (words.empty()) arguments.refuse("query", "must have a word");
  words.resize(std::min<std::size_t>(words.size(), 16));
  struct Found {
    std::size_t points;
    const DocumentPage* page;
    std::string_view excerpt;
  };
  std::vector<Found> found;
  for (const auto& page : context.documents) {
    const auto lower = to_lower_case(page.text);
    const auto title = to_lower_case(page.title());
    std::size_t points = 0;
    for (const auto& word : words)
      if (const auto count = count_of(lower, word))
        points += 10 + std::min<std::size_t>(count, 5) + 10 * count_of(title, word);
    if (points > 0) found.push_back({points, &page, excerpt_of(page.text, lower, words)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.points > b.points; });
  found.resize(std::min(found.size(), kResultsMax));
  Json json;
  json.begin_object().key("results").begin_array();
  for (const auto& each : found)
    json.begin_object()
        .field("path", each.page->path)
        .field("title", each.page->title())
        .field("excerpt", each.excerpt)
        .end_object();
  return json.end_array().end_object().take();
}

std::string read_doc(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"path"});
  const auto path = arguments.get<std::string_view>("path");
  for (const auto& page : context.documents) {
    if (page.path != path) continue;
    Json json;
    json.begin_object().field("path", page.path).field("title", page.title()).field("text", page.text);
    return json.end_object().take();
  }
  throw ToolFailed("there is no such page; search_docs names those that there are");
}

std::string list_charges(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"environment", "status", "page", "limit"});
  const bool is_live = wants_live(context.rights, arguments);
  const ApiAnswer answer(
      context.api.get("/api/v1/transactions?environment=" + std::string(environment_name(is_live)) + "&" +
                      page_query(arguments)));
  Json json;
  json.begin_object();
  copy_page(json, answer, "charges", is_live,
            [&](const JsonFields& item) { copy(json, item, kChargeFields); });
  return json.end_object().take();
}

std::string get_charge(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"id", "environment"});
  const bool is_live = wants_live(context.rights, arguments);
  const ApiAnswer answer(context.api.get("/api/v1/transactions/" + word_of(arguments, "id")));
  const auto charge = answer.data();
  if (charge.get<std::string_view>("environment") != environment_name(is_live))
    throw ToolFailed("the charge is of the other environment than " + std::string(environment_name(is_live)));
  Json json;
  json.begin_object();
  copy(json, charge, kChargeFields);
  copy(json, charge, kDetailFields);
  copy_list(json, charge, "refunds", kRefundFields);
  copy_list(json, charge, "addedPayments", kPaymentFields);
  copy_list(json, charge, "unappliedPayments", kPaymentFields);
  return json.end_object().take();
}

std::string list_deliveries(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"channelId", "environment", "status", "page", "limit"});
  const bool is_live = wants_live(context.rights, arguments);
  const ApiAnswer answer(context.api.get("/api/v1/notification-channels/" + word_of(arguments, "channelId") +
                                         "/deliveries?" + page_query(arguments)));
  Json json;
  json.begin_object();
  copy_page(json, answer, "deliveries", is_live, [&](const JsonFields& item) {
    copy(json, item, kDeliveryFields);
    copy_list(json, item, "attempts", kAttemptFields);
  });
  return json.end_object().take();
}

std::string list_request_failures(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"environment"});
  const bool is_live = wants_live(context.rights, arguments);
  const ApiAnswer answer(context.api.get("/api/v1/requests"));
  const auto failures = answer.data();
  Json json;
  json.begin_object();
  const auto copy_those = [&](std::string_view name, Fields fields) {
    json.key(name).begin_array();
    for (const auto& item : failures.objects(name).value_or(std::vector<JsonFields>())) {
      if (!is_of(item, is_live)) continue;
      json.begin_object();
      copy(json, item, fields);
      json.end_object();
    }
    json.end_array();
  };
  copy_those("groups", kGroupFields);
  copy_those("recent", kRequestFields);
  return json.end_object().take();
}

std::string made(const McpApi::Answer& answered, Fields names) {
  const ApiAnswer answer(answered);
  Json json;
  json.begin_object();
  copy(json, answer.data(), names);
  return json.end_object().take();
}

std::string create_test_charge(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"amountCents", "product", "externalId"});
  const auto amount = arguments.required(arguments.integer("amountCents", 1, 99'999'999'999), "amountCents");
  Json json;
  json.begin_object().key("customer").begin_object();
  json.field("name", "Cliente de Teste")
      .field("document", "52998224725")
      .field("email", "cliente@example.com")
      .field("phone", "11987654321")
      .end_object();
  json.key("payment").begin_object().field("amountCents", amount);
  json.field("product", arguments.find<std::string_view>("product").value_or("Produto de teste"))
      .end_object();
  json.field("originDomain", "example.com");
  if (arguments.member("externalId")) json.field("externalId", arguments.get<std::string_view>("externalId"));
  return made(context.api.post("/api/v1/transactions", json.end_object().take()), kMadeFields);
}

std::string simulate(const McpContext& context, const ToolArguments& arguments, std::string_view what) {
  refuse_others(arguments, {"id"});
  const auto target = "/api/sandbox/transactions/" + word_of(arguments, "id") + "/" + std::string(what);
  return made(context.api.post(target, ""), kMadeFields);
}

std::string pay_test_charge(const McpContext& context, const ToolArguments& arguments) {
  return simulate(context, arguments, "pay");
}

std::string expire_test_charge(const McpContext& context, const ToolArguments& arguments) {
  return simulate(context, arguments, "expire");
}

std::string test_webhook(const McpContext& context, const ToolArguments& arguments) {
  refuse_others(arguments, {"channelId"});
  const auto target = "/api/v1/notification-channels/" + word_of(arguments, "channelId") + "/test";
  return made(context.api.post(target, ""), kDeliveryFields);
}

struct Tool {
  std::string_view name;
  std::string (*call)(const McpContext&, const ToolArguments&);
  bool is_for_test_keys = false;
};

// tools.json describes them, in this order.
constexpr std::array kTools{Tool{"search_docs", search_docs},
                            Tool{"read_doc", read_doc},
                            Tool{"list_charges", list_charges},
                            Tool{"get_charge", get_charge},
                            Tool{"list_deliveries", list_deliveries},
                            Tool{"list_request_failures", list_request_failures},
                            Tool{"create_test_charge", create_test_charge, true},
                            Tool{"pay_test_charge", pay_test_charge, true},
                            Tool{"expire_test_charge", expire_test_charge, true},
                            Tool{"test_webhook", test_webhook, true}};

const Tool* find_tool(McpRights rights, std::string_view name) {
  for (const auto& tool : kTools)
    if (tool.name == name) return tool.is_for_test_keys && !rights.is_test_key ? nullptr : &tool;
  return nullptr;
}

}  // namespace

std::string mcp_tool_list(McpRights rights) {
  const JsonDocument document(mcp_tool_definitions());
  const auto definitions = json_value<simdjson::dom::array>(document.root()).value();
  std::string list;
  for (const auto definition : definitions) {
    if (!find_tool(rights, JsonFields(definition).get<std::string_view>("name"))) continue;
    if (!list.empty()) list += ',';
    list += simdjson::minify(definition);
  }
  return R"({"tools":[)" + list + "]}";
}

bool has_mcp_tool(McpRights rights, std::string_view name) { return find_tool(rights, name) != nullptr; }

std::string call_mcp_tool(const McpContext& context, std::string_view name, const JsonFields& arguments) {
  return find_tool(context.rights, name)->call(context, arguments);
}

}  // namespace pixledger::tools
