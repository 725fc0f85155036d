#include "workers/banks/api_pix/bank_answers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "domain/pix/br_code.h"
#include "domain/pix/payment_ids.h"
#include "workers/banks/api_pix/answer_object.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/api_pix/bank_result.h"
#include "workers/banks/api_pix/empty_page.h"

namespace pixledger::workers {
namespace {

using domain::EndToEndId;
using domain::Txid;
using Entries = std::vector<simdjson::dom::element>;

constexpr std::size_t kReturnIdSize = 32;
constexpr std::size_t kTokenSizeMax = 16 * 1024;
constexpr std::size_t kScopesMax = 100;
// A payment has a few refunds, and a charge a few payments; an answer with more is invalid.
constexpr std::size_t kRefundsMax = 1'000;
constexpr std::size_t kPaymentsOfCobMax = 1'000;
// Some banks ignore the requested page size.
constexpr std::size_t kEntriesOfPageMax = kItemsPerPage + 1'000;
constexpr const char* kPageCount = "paginaAtual";
constexpr const char* kPagesCount = "quantidadeDePaginas";
constexpr const char* kItemsCount = "quantidadeTotalDeItens";
constexpr std::int64_t kTokenSecondsMax = 366 * 24 * 3'600;
// The life of a token if the bank does not state it (RFC 6749 §5.1). If it ends sooner, a 401 replaces it.
constexpr std::int64_t kTokenSecondsUntold = 300;

// "Concluída" as "CONCLUIDA"; "REMOVIDO_PELO_PSP", as the document had it once, as "REMOVIDA_PELO_PSP".
std::string as_code(std::string_view text) {
  auto code = to_printable_ascii(text);
  for (char& c : code) c = c == ' ' || c == '-' ? '_' : to_ascii_upper(c);
  constexpr std::string_view kOnce = "REMOVIDO_";
  if (std::string_view(code).substr(0, kOnce.size()) == kOnce) code[kOnce.size() - 2] = 'A';
  return code;
}

template <class Enum, std::size_t size>
Enum named(const std::array<std::pair<std::string_view, Enum>, size>& names, std::string_view text,
           Enum otherwise) {
  const auto code = as_code(text);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == code; });
  return found == names.end() ? otherwise : found->second;
}

constexpr std::array<std::pair<std::string_view, CobStatus>, 4> kCobStatuses{
    {{"ATIVA", CobStatus::kActive},
     {"CONCLUIDA", CobStatus::kPaid},
     {"REMOVIDA_PELO_USUARIO_RECEBEDOR", CobStatus::kRemovedByReceiver},
     {"REMOVIDA_PELO_PSP", CobStatus::kRemovedByBank}}};

constexpr std::array<std::pair<std::string_view, BankRefundStatus>, 3> kRefundStatuses{
    {{"EM_PROCESSAMENTO", BankRefundStatus::kProcessing},
     {"DEVOLVIDO", BankRefundStatus::kReturned},
     {"NAO_REALIZADO", BankRefundStatus::kNotDone}}};

constexpr std::array<std::pair<std::string_view, BankRefundNature>, 5> kRefundNatures{
    {{"ORIGINAL", BankRefundNature::kOriginal},
     {"RETIRADA", BankRefundNature::kWithdrawal},
     {"MED_OPERACIONAL", BankRefundNature::kMedOperational},
     {"MED_FRAUDE", BankRefundNature::kMedFraud},
     {"MED_PIX_AUTOMATICO", BankRefundNature::kMedAutomatic}}};

EndToEndId read_end_to_end_id(const AnswerObject& payment) {
  auto id = EndToEndId::parse(payment.required(end_to_end_text(payment), "endToEndId"));
  if (!id) payment.refuse("endToEndId", "is not 32 letters and digits");
  return *std::move(id);
}

BankRefund read_refund(const AnswerObject& refund) {
  const auto id = refund.required_text("id");
  if (!domain::RefundId::parse(id)) refund.refuse("id", "is not 1 to 35 letters and digits");
  BankRefund read{
      .id = std::string(id),
      .rtr_id = std::nullopt,
      .amount = refund.required(refund.amount("valor"), "valor"),
      .nature = BankRefundNature::kOriginal,
      .status = named(kRefundStatuses, refund.required_text("status"), BankRefundStatus::kProcessing),
      .requested_at = std::nullopt,
      .settled_at = std::nullopt};
  if (read.amount.value() == 0) refund.refuse("valor", "is zero");
  if (const auto nature = AnswerObject::if_readable([&] { return refund.text("natureza"); }))
    read.nature = named(kRefundNatures, *nature, BankRefundNature::kOther);
  const auto rtr_id = AnswerObject::if_readable([&] { return refund.text("rtrId"); });
  if (rtr_id && rtr_id->size() == kReturnIdSize &&
      std::all_of(rtr_id->begin(), rtr_id->end(), is_ascii_alnum))
    read.rtr_id = std::string(*rtr_id);
  if (const auto times = AnswerObject::if_readable([&] { return refund.object("horario"); })) {
    read.requested_at = AnswerObject::if_readable([&] { return times->time("solicitacao"); });
    read.settled_at = AnswerObject::if_readable([&] { return times->time("liquidacao"); });
  }
  return read;
}

// Pix began in 2020: some banks write an earlier time for "no time".
constexpr Timestamp kFirstPix{1'577'836'800'000};

// Money counts at any time: a missing or unreadable time does not cost the payment.
void read_time(const AnswerObject& payment, BankPayment& read) {
  std::optional<Timestamp> told;
  try {
    told = payment.time("horario");
  } catch (const UnusableAnswer&) {
    told = std::nullopt;
  }
  if (told && *told >= kFirstPix) {
    read.paid_at = *told;
    return;
  }
  const auto minute = domain::minute_of(read.end_to_end_id);
  read.time = minute ? PaidTime::kOfId : PaidTime::kUnknown;
  read.paid_at = minute.value_or(Timestamp());
}

// An unreadable refund does not cost the payment.
void read_refunds(const AnswerObject& payment, BankPayment& read) {
  const auto read_one = [&](const auto& read_it) {
    try {
      read_it();
    } catch (const TooManyEntries&) {
      throw;
    } catch (const UnusableAnswer& bad) {
      read.unusable_refunds.emplace_back(bad.what());
    }
  };
  read_one([&] {
    const auto refunds = payment.list("devolucoes", kRefundsMax);
    std::size_t index = 0;
    for (const auto element : refunds.value_or(Entries())) {
      const auto name = "devolucoes[" + std::to_string(index++) + "].";
      read_one([&] { read.refunds.push_back(read_refund({element, payment.path_of(name)})); });
    }
  });
}

BankPayment read_payment(const AnswerObject& payment) {
  BankPayment read{
      .end_to_end_id = read_end_to_end_id(payment),
      .amount = payment.required(payment.amount("valor"), "valor"),
      .paid_at = {},
      .txid = Txid::parse(AnswerObject::if_readable([&] { return payment.text("txid"); }).value_or("")),
      .key = std::nullopt,
      .refunds = {},
      .unusable_refunds = {}};
  read_time(payment, read);
  if (read.amount.value() == 0) payment.refuse("valor", "is zero");
  // Two different keys make the payment unusable: has() throws then.
  if (payment.has("chave")) {
    if (const auto key = AnswerObject::if_readable([&] { return payment.text("chave"); }))
      read.key = std::string(*key);
    else
      read.has_unreadable_key = true;
  }
  read_refunds(payment, read);
  return read;
}

// Only to identify an unusable payment.
std::optional<EndToEndId> id_if_readable(simdjson::dom::element element) {
  return AnswerObject::if_readable(
      [&] { return EndToEndId::parse(end_to_end_text(AnswerObject(element, "")).value_or("")); });
}

BankPayments read_payments(const Entries& entries) {
  BankPayments read;
  std::map<std::size_t, int> alike;
  std::size_t index = 0;
  for (const auto element : entries) {
    try {
      read.payments.push_back(read_payment({element, "pix[" + std::to_string(index) + "]."}));
    } catch (const UnusableAnswer& bad) {
      auto id = id_if_readable(element);
      const auto hash = std::hash<std::string>()(simdjson::minify(element));
      auto mark = id ? id->text() : std::to_string(hash) + "." + std::to_string(++alike[hash]);
      read.unusable.push_back({std::move(id), bad.what(), std::move(mark)});
    }
    ++index;
  }
  return read;
}

// Some banks write the scheme, which the code does not have.
std::string without_scheme(std::string_view location) {
  const auto scheme = location.find("://");
  return std::string(scheme == std::string_view::npos ? location : location.substr(scheme + 3));
}

std::optional<std::string> read_location(const AnswerObject& cob) {
  auto location = cob.text("location");
  if (!location) {
    if (const auto loc = cob.object("loc")) location = loc->text("location");
  }
  if (!location || location->empty()) return std::nullopt;
  return without_scheme(*location);
}

BankCob read_cob(const AnswerObject& cob, std::string_view other_code_field) {
  auto txid = Txid::parse(cob.required_text("txid"));
  if (!txid || !txid->names_cob()) cob.refuse("txid", "is not 26 to 35 letters and digits");
  const auto value = cob.required(cob.object("valor"), "valor");
  BankCob read{.txid = *std::move(txid),
               .amount = value.required(value.amount("original"), "original"),
               .key = std::string(cob.required_text("chave")),
               .status = named(kCobStatuses, cob.required_text("status"), CobStatus::kOther),
               .location = read_location(cob),
               .pix_code = std::nullopt,
               .created_at = std::nullopt,
               .expires_in_s = std::nullopt,
               .received = read_payments(cob.list("pix", kPaymentsOfCobMax).value_or(Entries()))};
  // A payment listed in a charge belongs to it.
  for (auto& payment : read.received.payments)
    if (!payment.txid) payment.txid = read.txid;
  auto code = cob.text("pixCopiaECola");
  if (!code && !other_code_field.empty()) code = cob.text(other_code_field);
  if (code && !code->empty()) read.pix_code = std::string(*code);
  if (const auto calendar = AnswerObject::if_readable([&] { return cob.object("calendario"); })) {
    read.created_at = AnswerObject::if_readable([&] { return calendar->time("criacao"); });
    read.expires_in_s = calendar->seconds_if_any("expiracao");
  }
  return read;
}

// Reads an answer that is a list, without a page around it. A list of errors is no empty account.
BankPixPage read_bare_list(simdjson::dom::array list) {
  Entries entries;
  for (const auto entry : list) {
    if (entries.size() == kEntriesOfPageMax)
      throw TooManyEntries("the list has over " + std::to_string(kEntriesOfPageMax) + " entries");
    if (has_content(entry)) entries.push_back(entry);
  }
  if (!entries.empty() && std::none_of(entries.begin(), entries.end(), holds_payment)) {
    constexpr const char* kProblem = "the answer is a list without payments";
    if (std::any_of(entries.begin(), entries.end(), is_error)) throw UnusableAnswer(kProblem);
    throw UnreadContent(kProblem);
  }
  BankPixPage read{.found = read_payments(entries), .is_counted = false};
  read.items = items_of(read);
  read.pages = read.items > 0 ? 1 : 0;
  return read;
}

class ContradictoryCounts : public UnusableAnswer {
 public:
  using UnusableAnswer::UnusableAnswer;
};

// Throws if the counts and the list contradict each other.
void check_counts(const AnswerObject& answer, const AnswerObject& paging, const BankPixPage& read) try {
  const auto here = items_of(read);
  if (here == 0 && read.page.value_or(0) < read.pages && read.items > 0)
    answer.refuse("pix", "is empty before the last page");
  if (here > read.items) answer.refuse("pix", "has more entries than quantidadeTotalDeItens");
  if (read.pages > std::max<std::int64_t>(read.items, 1))
    paging.refuse("quantidadeDePaginas", "is more than quantidadeTotalDeItens");
} catch (const UnusableAnswer& bad) {
  throw ContradictoryCounts(bad.what());
}

// The places of an answer's page number and counts; the first is the standard one.
class CountPlaces {
 public:
  // `is_strict`: an unreadable count in the first place throws.
  CountPlaces(const AnswerObject& answer, bool is_strict) : is_strict_(is_strict) {
    const auto object_of = [](const AnswerObject& holder, const char* name) {
      return AnswerObject::if_readable([&] { return holder.object(name); });
    };
    const auto parameters = object_of(answer, "parametros");
    if (parameters) places_[0] = object_of(*parameters, "paginacao");
    places_[1] = object_of(answer, "paginacao");
    places_[2] = parameters;
    places_[3] = answer;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place)
      if (has_all(*place)) whole_ = &*place;
  }

  // nullptr if the first place lacks any of them.
  const AnswerObject* paging() const { return whole_ == &places_[0] ? &**whole_ : nullptr; }
  // From the place that has all of them, else the first place that has this one.
  std::optional<std::int64_t> count(const char* name) const {
    if (whole_ != nullptr) return count(*whole_, name);
    for (const auto& place : places_)
      if (const auto value = count(place, name)) return value;
    return std::nullopt;
  }

 private:
  using Place = std::optional<AnswerObject>;
  std::optional<std::int64_t> count(const Place& place, const char* name) const {
    if (!place) return std::nullopt;
    const auto read = [&] { return place->has(name) ? place->count(name) : std::nullopt; };
    return is_strict_ && &place == &places_[0] ? read() : AnswerObject::if_readable(read);
  }
  bool has_all(const Place& place) const {
    return count(place, kPageCount) && count(place, kPagesCount) && count(place, kItemsCount);
  }

  const bool is_strict_;
  std::array<Place, 4> places_;
  const Place* whole_ = nullptr;
};

BankPixPage read_whole_page(const AnswerObject& answer, simdjson::dom::object fields, std::int64_t number) {
  const auto list = answer.list("pix", kEntriesOfPageMax);
  auto entries = list.value_or(Entries());
  const bool is_empty = std::none_of(entries.begin(), entries.end(), has_content);
  if (is_empty) entries.clear();
  const CountPlaces counts(answer, is_empty);
  const auto* const paging = counts.paging();
  if (is_empty)
    check_nothing({.fields = fields,
                   .is_first = number == 0,
                   .has_list = list.has_value(),
                   .is_counted = paging != nullptr});
  BankPixPage read{.found = read_payments(entries),
                   .page = counts.count(kPageCount),
                   .pages = counts.count(kPagesCount).value_or(0),
                   .items = counts.count(kItemsCount).value_or(0),
                   .page_size = AnswerObject::if_readable([&] { return counts.count("itensPorPagina"); }),
                   .is_counted = paging != nullptr};
  if (is_empty) read.items = std::max(read.items, stated_items(fields));
  if (paging != nullptr) {
    check_counts(answer, *paging, read);
  } else {
    read.items = std::max(read.items, items_of(read));
    read.pages = std::max<std::int64_t>(read.pages, entries.empty() ? 0 : 1);
  }
  for (const auto field : fields)
    if (!is_same_name(field.key, "pix") && holds_payment(field.value))
      read.other_list = shown_name(field.key);
  return read;
}

BankPixPage read_pix_page(simdjson::dom::element root, std::int64_t number) {
  simdjson::dom::array bare;
  simdjson::dom::object fields;
  auto read = root.get(bare) == simdjson::SUCCESS     ? read_bare_list(bare)
              : root.get(fields) == simdjson::SUCCESS ? read_whole_page({root, ""}, fields, number)
                                                      : throw UnusableAnswer("the answer is not an object");
  for (auto& payment : read.found.payments) payment.is_listed = true;
  return read;
}

void add_words(std::vector<std::string>& words, std::string_view text) {
  while (words.size() < kScopesMax) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find(' '));
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
}

// Reads a text as in RFC 6749 §3.3, or a list of such texts.
std::optional<std::vector<std::string>> read_scopes(const AnswerObject& root) {
  std::vector<std::string> scopes;
  if (const auto text = AnswerObject::if_readable([&] { return root.text("scope"); })) {
    add_words(scopes, *text);
    return scopes;
  }
  const auto list = AnswerObject::if_readable([&] { return root.list("scope", kScopesMax); });
  if (!list) return std::nullopt;
  for (const auto element : *list) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return std::nullopt;
    add_words(scopes, text);
  }
  return scopes;
}

BankTokenAnswer read_token(const AnswerObject& root) {
  const auto token = root.required_text("access_token");
  // It becomes part of a header (RFC 6750 §2.1).
  const bool good =
      !token.empty() && token.size() <= kTokenSizeMax &&
      std::all_of(token.begin(), token.end(), [](char c) { return is_ascii_printable(c) && c != ' '; });
  if (!good) root.refuse("access_token", "is not a usable token");
  BankTokenAnswer read{.token = std::string(token),
                       .expires_in_s = root.seconds_if_any("expires_in").value_or(0),
                       .scopes = read_scopes(root)};
  if (read.expires_in_s == 0) read.expires_in_s = kTokenSecondsUntold;
  read.expires_in_s = std::min(read.expires_in_s, kTokenSecondsMax);
  return read;
}

template <class T, class Read>
ParsedAnswer<T> parse(const std::string& body, const Read& read) {
  try {
    const AnswerDocument document(body);
    if constexpr (std::is_invocable_v<const Read&, simdjson::dom::element>)
      return read(document.element());
    else
      return read(document.root());
  } catch (const TooManyEntries& bad) {
    return BadAnswer{.reason = bad.what(), .has_too_many = true, .has_content = true};
  } catch (const UnreadContent& bad) {
    return BadAnswer{.reason = bad.what(), .may_hold_payments = true, .has_content = true};
  } catch (const ContradictoryCounts& bad) {
    return BadAnswer{.reason = bad.what(), .has_content = true};
  } catch (const UnusableAnswer& bad) {
    return BadAnswer{bad.what()};
  }
}

}  // namespace

std::string_view to_string(BankRefundNature nature) {
  for (const auto& [name, value] : kRefundNatures) {
    if (value == nature) return name;
  }
  return "OTHER";
}

std::int64_t items_of(const BankPixPage& page) {
  return static_cast<std::int64_t>(page.found.payments.size() + page.found.unusable.size());
}

bool is_full(const BankPixPage& page) {
  const auto items = items_of(page);
  return items > 0 && items >= std::min<std::int64_t>(page.page_size.value_or(kItemsPerPage), kItemsPerPage);
}

ParsedAnswer<BankCob> parse_cob(const std::string& body, std::string_view other_code_field) {
  return parse<BankCob>(body, [&](const AnswerObject& root) { return read_cob(root, other_code_field); });
}

ParsedAnswer<BankPayment> parse_payment(const std::string& body) {
  return parse<BankPayment>(body, &read_payment);
}

ParsedAnswer<BankRefund> parse_refund(const std::string& body) {
  return parse<BankRefund>(body, &read_refund);
}

ParsedAnswer<BankPixPage> parse_pix_page(const std::string& body, std::int64_t number) {
  return parse<BankPixPage>(body, [&](simdjson::dom::element root) { return read_pix_page(root, number); });
}

ParsedAnswer<BankTokenAnswer> parse_token(const std::string& body) {
  return parse<BankTokenAnswer>(body, &read_token);
}

ParsedAnswer<std::string> parse_callback(const std::string& body) {
  return parse<std::string>(
      body, [](const AnswerObject& root) { return std::string(root.required_text("webhookUrl")); });
}

namespace {

class Named {
 public:
  void add(simdjson::dom::element payment) {
    const auto text = AnswerObject::if_readable([&] { return end_to_end_text(AnswerObject(payment, "")); });
    auto id = domain::EndToEndId::parse(text.value_or(""));
    if (id && seen_.insert(*id).second) ids_.push_back(*std::move(id));
  }
  std::vector<domain::EndToEndId> take() { return std::move(ids_); }

 private:
  std::set<domain::EndToEndId> seen_;
  std::vector<domain::EndToEndId> ids_;
};

}  // namespace

std::optional<std::vector<domain::EndToEndId>> read_callback(const std::string& body) {
  try {
    const AnswerDocument document(body);
    const auto element = document.element();
    Named named;
    simdjson::dom::array bare;
    if (element.get(bare) == simdjson::SUCCESS) {
      for (const auto payment : bare) named.add(payment);
      return named.take();
    }
    const auto root = document.root();
    // Some banks send one payment without its list, or without this nesting.
    const auto payments = AnswerObject::if_readable([&] { return root.list("pix", body.size()); });
    if (payments) {
      for (const auto payment : *payments) named.add(payment);
    } else {
      named.add(element);
    }
    return named.take();
  } catch (const UnusableAnswer&) {
    return std::nullopt;
  }
}

namespace {

using Fields = std::vector<domain::BrCodeField>;

constexpr std::string_view kPixGui = "br.gov.bcb.pix";
constexpr std::string_view kReais = "986";

const domain::BrCodeField* find(const Fields& fields, std::string_view id) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

std::string_view value_of(const Fields& fields, std::string_view id) {
  const auto* const field = find(fields, id);
  return field == nullptr ? std::string_view() : std::string_view(field->value);
}

// Templates 26 to 51 hold accounts of payment systems; the one of Pix names it.
const Fields* pix_account(const Fields& fields) {
  for (const auto& field : fields) {
    if (field.id < "26" || field.id > "51") continue;
    if (equal_without_case(value_of(field.fields, "00"), kPixGui)) return &field.fields;
  }
  return nullptr;
}

// Hosts have no case (RFC 3986 §6.2.2.1), paths do.
bool is_same_location(std::string_view left, std::string_view right) {
  const auto left_host = left.substr(0, left.find('/'));
  const auto right_host = right.substr(0, right.find('/'));
  return equal_without_case(left_host, right_host) &&
         left.substr(left_host.size()) == right.substr(right_host.size());
}

bool fits_into_code(const std::string& location) {
  return location.size() <= domain::kLocationSizeMax &&
         std::all_of(location.begin(), location.end(),
                     [](char c) { return is_ascii_printable(c) && c != ' '; });
}

}  // namespace

std::optional<std::string> problem_of_pix_code(std::string_view code, const BankCob& cob) {
  const auto parsed = domain::parse_br_code(code);
  if (const auto* const fault = std::get_if<domain::BrCodeFault>(&parsed))
    return std::string(to_string(fault->error));
  const auto& fields = std::get<Fields>(parsed);
  if (value_of(fields, "53") != kReais) return "is not in reais";
  const auto* const account = pix_account(fields);
  if (account == nullptr) return "is not of Pix";
  const auto location = value_of(*account, "25");
  if (location.empty()) return "has no location";
  if (cob.location && !is_same_location(location, *cob.location))
    return "has another location than the charge";
  const auto* const amount = find(fields, "54");
  if (amount == nullptr) {
    if (!cob.location) return "has neither an amount nor a location that the bank tells";
    return std::nullopt;
  }
  if (parse_bank_amount(amount->value) != cob.amount) return "has another amount than the charge";
  return std::nullopt;
}

std::variant<CheckedPixCode, BadAnswer> choose_pix_code(const BankCob& cob, const MerchantOfCode& merchant) {
  std::optional<std::string> complaint;
  if (cob.pix_code) {
    complaint = problem_of_pix_code(*cob.pix_code, cob);
    if (!complaint)
      return CheckedPixCode{.code = *cob.pix_code, .complaint = std::nullopt, .composed = false};
  }
  if (!cob.location || !fits_into_code(*cob.location))
    return BadAnswer{complaint ? "pixCopiaECola " + *complaint + ", and there is no location to make one from"
                               : "there is neither pixCopiaECola nor a location to make one from"};
  return CheckedPixCode{.code = domain::write_dynamic_br_code({.location = *cob.location,
                                                               .merchant_name = merchant.name,
                                                               .merchant_city = merchant.city,
                                                               .amount = cob.amount}),
                        .complaint = std::move(complaint),
                        .composed = true};
}

}  // namespace pixledger::workers
