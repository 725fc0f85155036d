#include "workers/banks/api_pix/bank_client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/text/ascii.h"
#include "workers/banks/api_pix/answer_object.h"

namespace pixledger::workers {
namespace {

using domain::PixKey;

// Banks state their time in whole seconds, and windows have whole seconds.
constexpr std::int64_t kSecondMs = 1'000;
// The margins for a bank that refuses windows ending in what it thinks is the future: its Date may be that of
// another machine.
constexpr std::array<std::int64_t, 4> kMarginsMs{2'000, 10'000, 60'000, 300'000};

bool is_key(std::string_view written, const PixKey& key) {
  const auto parsed = PixKey::parse(written);
  return parsed ? *parsed == key : equal_without_case(written, key.text());
}

bool is_txid(const domain::Txid& told, const domain::Txid& asked) {
  return equal_without_case(told.text(), asked.text());
}

// Returns what does not match, or nullopt.
std::optional<std::string> misfit(const BankCob& cob, const domain::Txid& txid) {
  if (!is_txid(cob.txid, txid)) return "the charge has another txid";
  return std::nullopt;
}
std::optional<std::string> misfit(const BankCob& cob, const CobOrder& order) {
  if (auto problem = misfit(cob, order.txid)) return problem;
  if (cob.amount != order.amount) return "the charge has another amount";
  if (!is_key(cob.key, order.key)) return "the charge is on another key";
  return std::nullopt;
}
std::optional<std::string> misfit(const BankRefund& refund, const RefundOrder& order) {
  if (!equal_without_case(refund.id, order.id)) return "the refund has another id";
  if (refund.amount != order.amount) return "the refund has another amount";
  return std::nullopt;
}
std::optional<std::string> misfit(const BankPayment& payment, const domain::EndToEndId& id) {
  if (payment.end_to_end_id != id) return "the payment has another end-to-end id";
  return std::nullopt;
}
// How the requested page may call itself.
struct PageLabel {
  std::int64_t number;
  bool may_be_one;
};
std::optional<std::string> misfit(const BankPixPage& page, const PageLabel& label) {
  // A bank that does not count may give each page the same number; then the content distinguishes them.
  const bool is_labelled = page.is_counted || (label.number == 0 && page.page && items_of(page) > 0);
  const bool is_one = label.may_be_one && page.is_counted && page.page == 1;
  if (is_labelled && page.page != label.number && !is_one) return "the answer is another page";
  return std::nullopt;
}

// How banks write "nothing" with a successful status: no body, or one without content.
bool is_nothing(std::string_view body) {
  std::string written;
  for (const char c : body) {
    if (static_cast<unsigned char>(c) > 0x20) written += c;
    if (written.size() > sizeof "null" - 1) return false;
  }
  return written.empty() || written == "{}" || written == "[]" || written == "null";
}

// Returns whether a text that says "not found" counts despite a successful status. As a mistake could send
// money twice, it must name what is missing, and must not be part of a refund or charge, whose description is
// a text, too.
bool is_of_nothing(const std::string& body, const BankError& error) {
  const auto& missing = error.missing;
  if (std::find(missing.begin(), missing.end(), kAnyRecord) != missing.end()) return false;
  const auto has_field = [&] {
    const AnswerDocument document(body);
    for (const auto* name : {"id", "rtrId", "valor", "status", "endToEndId", "txid"})
      if (document.root().has(name)) return true;
    return false;
  };
  return !AnswerObject::if_readable([&] { return std::optional(has_field()); }).value_or(true);
}

// Returns the value of an answer that matches the request.
template <class Done, class Parse, class Asked>
BankResult<Done> read(BankResult<Accepted> answer, const Parse& parse, const Asked& asked,
                      BankOperation operation, const BankProfile& profile) {
  auto* const accepted = std::get_if<Accepted>(&answer);
  if (accepted == nullptr) return failure_of<Done>(std::move(answer));
  const bool is_reading = !changes_something(operation);
  if (is_reading && is_nothing(accepted->body)) return NotFound{.is_told = true};
  ParsedAnswer<Done> parsed = parse(accepted->body);
  if (auto* const bad = std::get_if<BadAnswer>(&parsed)) {
    // It was probably done: read to find out.
    if (!is_reading) return OutcomeUnknown{std::move(bad->reason)};
    const auto error = read_bank_error(0, accepted->body, ErrorText::kLeftOut);
    const bool is_sure = operation == BankOperation::kListPix || is_of_nothing(accepted->body, error);
    const bool is_told_so = is_sure ? means_not_found(profile, operation, error)
                                    : means_not_found(profile, operation, error.type);
    if (is_told_so && !bad->has_content) return NotFound{.is_told = true};
    return Unusable{std::move(bad->reason), bad->has_too_many, bad->may_hold_payments};
  }
  auto& done = std::get<Done>(parsed);
  if (auto problem = misfit(done, asked)) return Unusable{*std::move(problem)};
  return std::move(done);
}

BankResult<DoneWithoutWord> without_word(BankResult<Accepted> answer) {
  if (std::holds_alternative<Accepted>(answer)) return DoneWithoutWord{};
  return failure_of<DoneWithoutWord>(std::move(answer));
}

template <class Done>
bool is_unsure(const BankResult<Done>& result) {
  return std::holds_alternative<OutcomeUnknown>(result) || std::holds_alternative<Duplicate>(result);
}

template <class Done>
bool is_refused_for_its_content(const BankResult<Done>& result) {
  const auto* const refused = std::get_if<Refused>(&result);
  return refused != nullptr && !denies_access(*refused);
}

bool is_refused_for_text(const BankResult<BankCob>& result) {
  return is_refused_for_its_content(result) && std::get<Refused>(result).error.names_text_for_payer;
}

// Returns what the bank has. A refused read does not tell.
template <class Done>
BankResult<Done> as_knowledge(BankResult<Done> there) {
  if (is_refused_for_its_content(there)) return Unusable{to_string(std::get<Refused>(there).error)};
  return there;
}

// Sends a change, and reads before it sends again. `ask_after` says after which results of the first sending
// the bank is read; later results may be about the first sending.
template <class Done, class Put, class Get, class AskAfter>
BankResult<Done> make(SentBefore before, const Put& put, const Get& get, const AskAfter& ask_after) {
  constexpr int kSendsMax = 2;
  bool sent_before = before == SentBefore::kMaybe;
  if (sent_before) {
    auto there = as_knowledge(get());
    if (!std::holds_alternative<NotFound>(there)) return there;
  }
  for (int sends = 1;; ++sends) {
    auto sent = put();
    if (!ask_after(sent) && !(sent_before && is_refused_for_its_content(sent))) return sent;
    sent_before = true;
    auto there = get();
    const bool is_told = std::holds_alternative<Done>(there) || std::holds_alternative<Unusable>(there);
    const bool nothing = std::holds_alternative<NotFound>(there);
    auto* const refused = std::get_if<Refused>(&sent);
    if (refused != nullptr && ask_after(sent) && !is_told && !nothing) {
      refused->is_unread = true;
      return sent;
    }
    there = as_knowledge(std::move(there));
    const bool known = std::holds_alternative<Done>(there) || std::holds_alternative<Unusable>(there);
    if (known) return there;
    if (nothing && is_unsure(sent) && sends < kSendsMax) continue;
    return nothing || is_unsure(sent) ? std::move(sent) : std::move(there);
  }
}

}  // namespace

BankResult<BankCob> BankClient::put_cob(const CobOrder& order, const BankTurn& turn) {
  const auto put = [&](PayerText text) {
    return read<BankCob>(
        exchange_.send(put_cob_request(order, text), turn),
        [&](const std::string& body) { return parse_cob(body, access().profile->other_code_field); }, order,
        BankOperation::kPutCob, *access().profile);
  };
  // The charge matters more than its text; the bank has made nothing from what it refused.
  auto result = put(PayerText::kWhole);
  for (const auto text : {PayerText::kPlain, PayerText::kNone})
    if (!order.text_for_payer.empty() && is_refused_for_text(result)) result = put(text);
  if (const auto* const cob = std::get_if<BankCob>(&result); cob != nullptr && cob->created_at)
    exchange_.note_made(*cob->created_at);
  return result;
}

BankResult<BankCob> BankClient::get_cob(const domain::Txid& txid, const BankTurn& turn) {
  return read<BankCob>(
      exchange_.send(get_cob_request(txid), turn),
      [&](const std::string& body) { return parse_cob(body, access().profile->other_code_field); }, txid,
      BankOperation::kGetCob, *access().profile);
}

BankResult<BankCob> BankClient::remove_cob(const domain::Txid& txid, const BankTurn& turn) {
  auto result = read<BankCob>(
      exchange_.send(remove_cob_request(txid), turn),
      [&](const std::string& body) { return parse_cob(body, access().profile->other_code_field); }, txid,
      BankOperation::kRemoveCob, *access().profile);
  const auto* const cob = std::get_if<BankCob>(&result);
  const bool removed = cob != nullptr && (cob->status == CobStatus::kRemovedByReceiver ||
                                          cob->status == CobStatus::kRemovedByBank);
  if (cob != nullptr && !removed) return OutcomeUnknown{"the bank says yes, but the charge is not removed"};
  return result;
}

BankResult<BankPixPage> BankClient::list_pix(const PixWindow& window, std::int64_t page, const BankTurn& turn,
                                             PageNumbers numbers) {
  const auto asked = numbers == PageNumbers::kFromOne ? page + 1 : page;
  const PageLabel label{.number = numbers == PageNumbers::kFromZero ? page : page + 1,
                        .may_be_one = page == 0 || (page == 1 && numbers == PageNumbers::kToldFromOne)};
  auto result = read<BankPixPage>(
      exchange_.send(list_pix_request(window, asked), turn),
      [&](const std::string& body) { return parse_pix_page(body, page); }, label, BankOperation::kListPix,
      *access().profile);
  const auto* const nothing = std::get_if<NotFound>(&result);
  if (nothing != nullptr && nothing->is_told) return BankPixPage{.found = {}, .page = page};
  return result;
}

namespace {

// Identifies a page's payments, also unreadable ones.
std::set<std::string> marks_of(const BankPixPage& page) {
  std::set<std::string> marks;
  for (const auto& payment : page.found.payments) marks.insert(payment.end_to_end_id.text());
  for (const auto& unusable : page.found.unusable) marks.insert(unusable.mark);
  return marks;
}

}  // namespace

BankResult<BankPixPage> PixPages::ask(std::int64_t page, const BankTurn& turn) {
  const auto has_payments = [](const BankResult<BankPixPage>& answer) {
    const auto* const shown = std::get_if<BankPixPage>(&answer);
    return shown != nullptr && items_of(*shown) > 0;
  };
  const auto may_have_payments = [](const BankResult<BankPixPage>& answer) {
    const auto* const unusable = std::get_if<Unusable>(&answer);
    return std::holds_alternative<Unavailable>(answer) ||
           (unusable != nullptr && (unusable->may_hold_payments || unusable->has_too_many));
  };
  auto answer = client_.list_pix(window_, page, turn, numbers_);
  if (page == 0) {
    const auto* const first = std::get_if<BankPixPage>(&answer);
    if (first != nullptr && first->page == 1) {
      numbers_ = PageNumbers::kFromOne;
      first_ = marks_of(*first);
    }
  } else if (page == 1 && numbers_ == PageNumbers::kFromOne && !has_payments(answer)) {
    auto other = client_.list_pix(window_, page, turn, PageNumbers::kToldFromOne);
    // Called 1, too: only its payments show whether it is the first page again.
    if (const auto* const shown = std::get_if<BankPixPage>(&other); shown != nullptr && shown->page == 1)
      if (const auto marks = marks_of(*shown);
          std::includes(first_.begin(), first_.end(), marks.begin(), marks.end()))
        return answer;
    if (has_payments(other)) numbers_ = PageNumbers::kToldFromOne;
    // A page without an answer is not known to be missing.
    if (has_payments(other) || may_have_payments(other)) return other;
  }
  return answer;
}

Timestamp BankClient::now_there() const {
  const auto there = exchange_.now_there().plus_millis(-margin_ms_);
  return Timestamp(there.millis() - there.millis() % kSecondMs);
}

bool BankClient::ask_about_less() {
  const auto now = margin_ms_.load();
  const auto* const next = std::upper_bound(kMarginsMs.begin(), kMarginsMs.end(), now);
  if (next == kMarginsMs.end()) return false;
  margin_ms_ = *next;
  return true;
}

BankResult<BankPayment> BankClient::get_pix(const domain::EndToEndId& id, const BankTurn& turn) {
  return read<BankPayment>(exchange_.send(get_pix_request(id), turn), &parse_payment, id,
                           BankOperation::kGetPix, *access().profile);
}

BankResult<BankRefund> BankClient::put_refund(const RefundOrder& order, const BankTurn& turn) {
  return read<BankRefund>(exchange_.send(put_refund_request(order), turn), &parse_refund, order,
                          BankOperation::kPutRefund, *access().profile);
}

BankResult<BankRefund> BankClient::get_refund(const RefundOrder& order, const BankTurn& turn) {
  return read<BankRefund>(exchange_.send(get_refund_request(order.payment, order.id), turn), &parse_refund,
                          order, BankOperation::kGetRefund, *access().profile);
}

BankResult<DoneWithoutWord> BankClient::register_callback(std::string_view url, const BankTurn& turn) {
  return without_word(exchange_.send(put_callback_request(access().pix_key, url), turn));
}

BankResult<std::string> BankClient::show_callback(const BankTurn& turn) {
  auto answer = exchange_.send(get_callback_request(access().pix_key), turn);
  const auto* const accepted = std::get_if<Accepted>(&answer);
  if (accepted == nullptr) return failure_of<std::string>(std::move(answer));
  if (is_nothing(accepted->body)) return NotFound{.is_told = true};
  auto parsed = parse_callback(accepted->body);
  if (auto* const bad = std::get_if<BadAnswer>(&parsed)) return Unusable{std::move(bad->reason)};
  return std::get<std::string>(std::move(parsed));
}

BankResult<DoneWithoutWord> BankClient::remove_callback(const BankTurn& turn) {
  return without_word(exchange_.send(delete_callback_request(access().pix_key), turn));
}

BankResult<BankCob> BankClient::make_cob(const CobOrder& order, SentBefore before, const BankTurn& turn) {
  const auto get = [&] {
    auto there = get_cob(order.txid, turn);
    if (const auto* const cob = std::get_if<BankCob>(&there)) {
      if (auto problem = misfit(*cob, order)) return BankResult<BankCob>(Unusable{*std::move(problem)});
    }
    return there;
  };
  return make<BankCob>(
      before, [&] { return put_cob(order, turn); }, get,
      [](const BankResult<BankCob>& sent) { return is_unsure(sent); });
}

BankResult<BankRefund> BankClient::make_refund(const RefundOrder& order, SentBefore before,
                                               const BankTurn& turn, std::function<void()> before_sending) {
  auto turn_to_send = turn;
  turn_to_send.before_sending = std::move(before_sending);
  return make<BankRefund>(
      before, [&] { return put_refund(order, turn_to_send); }, [&] { return get_refund(order, turn); },
      [](const BankResult<BankRefund>& sent) { return is_unsure(sent) || is_refused_for_its_content(sent); });
}

WindowFault judge_window(const BankResult<BankPixPage>& answer) {
  if (const auto* const refused = std::get_if<Refused>(&answer))
    return denies_access(*refused) ? WindowFault::kNone : WindowFault::kRefused;
  if (const auto* const unavailable = std::get_if<Unavailable>(&answer))
    return unavailable->was_sent ? WindowFault::kTooMuch : WindowFault::kNone;
  const auto* const unusable = std::get_if<Unusable>(&answer);
  if (unusable == nullptr) return WindowFault::kNone;
  return unusable->has_too_many ? WindowFault::kTooMany : WindowFault::kTooMuch;
}

}  // namespace pixledger::workers
