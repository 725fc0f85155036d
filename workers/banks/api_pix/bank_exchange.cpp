#include "workers/banks/api_pix/bank_exchange.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/net/http_status.h"
#include "base/text/ascii.h"
#include "workers/banks/api_pix/answer_object.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::workers {
namespace {

bool is_good(int status) { return status == 200 || status == 201; }

}  // namespace

BankToken::Result BankToken::get() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto now = boot_time(clock_);
    if (auto result = known(now)) return *std::move(result);
    if (!asking_) break;
    asked_.wait(lock);
  }
  asking_ = true;
  const auto now = boot_time(clock_);
  asked_at_ = now;
  lock.unlock();
  auto answer = ask();
  lock.lock();
  asking_ = false;
  auto result = judge(std::move(answer), now);
  if (std::holds_alternative<TokenGrant>(result))
    failure_.reset();
  else
    failure_ = result;
  // A valid token stays in use while the bank gives no new one.
  if (failure_ && held_ && boot_time(clock_) < held_->ends_at) result = held_->grant;
  lock.unlock();
  asked_.notify_all();
  return result;
}

// Never throws: waiting threads must not wait for ever.
CallResult BankToken::ask() const {
  try {
    return ask_();
  } catch (const std::exception& error) {
    return OutcomeUnknown{error.what()};
  }
}

// Returns what is known without a request, or nullopt if a thread has to request it, or is doing so.
std::optional<BankToken::Result> BankToken::known(BootTime now) const {
  const bool may_ask = !asked_at_ || now >= *asked_at_ + kAskEvery;
  if (held_ && now < held_->ends_at && (now < held_->renew_at || asking_ || !may_ask)) return held_->grant;
  if (asking_ || may_ask) return std::nullopt;
  const auto until = *asked_at_ + kAskEvery;
  if (!failure_) return Unavailable{until, "the bank has just given a token that it does not take"};
  if (const auto* const unavailable = std::get_if<Unavailable>(&*failure_))
    return Unavailable{std::max(unavailable->until, until), unavailable->reason};
  return failure_;
}

BankToken::Result BankToken::judge(CallResult answer, BootTime asked_at) {
  const auto until = asked_at + kAskEvery;
  if (const auto* const unsent = std::get_if<NotSent>(&answer))
    return Unavailable{until, "token: " + unsent->reason};
  if (const auto* const unknown = std::get_if<OutcomeUnknown>(&answer))
    return Unavailable{until, "token: " + unknown->reason};
  const auto& answered = std::get<Answered>(answer);
  if (!is_good(answered.status)) {
    auto error = read_bank_error(answered.status, answered.body, ErrorText::kRead);
    if (answered.status == kTooManyRequests || answered.status >= kFirstServerError)
      return Unavailable{until, "token: " + to_string(error)};
    return Refused{.error = std::move(error), .of_token = true};
  }
  auto parsed = parse_token(answered.body);
  if (const auto* const bad = std::get_if<BadAnswer>(&parsed))
    return Unavailable{until, "token: " + bad->reason};
  return hold(std::get<BankTokenAnswer>(std::move(parsed)), asked_at);
}

BankToken::Result BankToken::hold(BankTokenAnswer answer, BootTime asked_at) {
  const BootTime life = std::chrono::seconds(answer.expires_in_s);
  // A short life is used by half.
  const auto renew_after = std::max<BootTime>(life - kRenewBefore, life / 2);
  held_ = Held{.grant = {std::move(answer.token), std::move(answer.scopes)},
               .renew_at = asked_at + renew_after,
               .ends_at = asked_at + life};
  return held_->grant;
}

void BankToken::go_on_from(const BankToken& other) {
  const std::scoped_lock lock(mutex_, other.mutex_);
  held_ = other.held_;
  asked_at_ = other.held_ ? other.asked_at_ : std::nullopt;
}

void BankToken::reject(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (held_ && held_->grant.token == token) held_.reset();
}

namespace {

using namespace std::string_view_literals;
using Names = std::span<const std::string_view>;

constexpr std::size_t kNoveltiesOfAnswerMax = 16;
constexpr std::size_t kNameSizeMax = 60;
constexpr std::size_t kEntriesMax = 1'000;

// The document's schemas, as far as they are read here.
constexpr std::array kCobFields{
    "calendario"sv,    "txid"sv,      "revisao"sv, "loc"sv,   "location"sv,           "status"sv,
    "devedor"sv,       "recebedor"sv, "valor"sv,   "chave"sv, "solicitacaoPagador"sv, "infoAdicionais"sv,
    "pixCopiaECola"sv, "pix"sv};
constexpr std::array kPaymentFields{"endToEndId"sv,       "txid"sv,        "valor"sv,
                                    "componentesValor"sv, "chave"sv,       "horario"sv,
                                    "pagador"sv,          "infoPagador"sv, "devolucoes"sv};
constexpr std::array kReturnFields{"id"sv,        "rtrId"sv,   "valor"sv,  "natureza"sv,
                                   "descricao"sv, "horario"sv, "status"sv, "motivo"sv};
constexpr std::array kPageFields{"parametros"sv, "pix"sv};
constexpr std::array kKnownCobStatuses{"ATIVA"sv, "CONCLUIDA"sv, "REMOVIDA_PELO_USUARIO_RECEBEDOR"sv,
                                       "REMOVIDA_PELO_PSP"sv};
constexpr std::array kReturnStatuses{"EM_PROCESSAMENTO"sv, "DEVOLVIDO"sv, "NAO_REALIZADO"sv};
constexpr std::array kNatures{"ORIGINAL"sv, "RETIRADA"sv, "MED_OPERACIONAL"sv, "MED_FRAUDE"sv,
                              "MED_PIX_AUTOMATICO"sv};
constexpr std::array kErrorTypes{"RequisicaoInvalida"sv,
                                 "AcessoNegado"sv,
                                 "NaoEncontrado"sv,
                                 "PermanentementeRemovido"sv,
                                 "ErroInternoDoServidor"sv,
                                 "ServicoIndisponivel"sv,
                                 "IndisponibilidadePorTempoEsgotado"sv,
                                 "CobNaoEncontrado"sv,
                                 "CobOperacaoInvalida"sv,
                                 "CobConsultaInvalida"sv,
                                 "PixNaoEncontrado"sv,
                                 "PixDevolucaoNaoEncontrada"sv,
                                 "PixConsultaInvalida"sv,
                                 "PixDevolucaoInvalida"sv,
                                 "WebhookOperacaoInvalida"sv,
                                 "WebhookNaoEncontrado"sv,
                                 "WebhookConsultaInvalida"sv};

bool is_among(Names names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view known) { return is_same_name(name, known); });
}

// Excludes texts for people, which may contain anything, and long numbers.
bool looks_like_code(std::string_view text) {
  constexpr std::ptrdiff_t kDigitsMax = 4;
  return !text.empty() && text.size() <= kNameSizeMax && std::all_of(text.begin(), text.end(), [](char c) {
    return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.';
  }) && std::count_if(text.begin(), text.end(), is_ascii_digit) <= kDigitsMax;
}

class Novelties {
 public:
  void look_at_page(simdjson::dom::element root) {
    look_at_fields("", root, kPageFields);
    each_in(root, "pix", [&](auto payment) { look_at_payment(payment); });
  }
  void look_at_cob(simdjson::dom::element cob) {
    look_at_fields("cob.", cob, kCobFields);
    look_at_code("cob.", cob, "status", kKnownCobStatuses);
    each_in(cob, "pix", [&](auto payment) { look_at_payment(payment); });
  }
  void look_at_payment(simdjson::dom::element payment) {
    look_at_fields("pix.", payment, kPaymentFields);
    each_in(payment, "devolucoes", [&](auto back) { look_at_return(back); });
  }
  void look_at_return(simdjson::dom::element back) {
    look_at_fields("devolucao.", back, kReturnFields);
    look_at_code("devolucao.", back, "status", kReturnStatuses);
    look_at_code("devolucao.", back, "natureza", kNatures);
  }
  void add(std::string novelty) {
    if (found_.size() < kNoveltiesOfAnswerMax) found_.insert(std::move(novelty));
  }
  std::vector<std::string> take() const { return {found_.begin(), found_.end()}; }

 private:
  void look_at_fields(const std::string& where, simdjson::dom::element element, Names known) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return;
    for (const auto field : object)
      if (!is_among(known, field.key) && looks_like_code(field.key)) add(where + std::string(field.key));
  }
  void look_at_code(const std::string& where, simdjson::dom::element element, const char* name, Names known) {
    const auto text = AnswerObject::if_readable([&] { return AnswerObject(element, "").text(name); });
    if (text && looks_like_code(*text) && !is_among(known, *text))
      add(where + name + " " + std::string(*text));
  }
  template <class Look>
  void each_in(simdjson::dom::element element, const char* name, const Look& look) {
    const auto list =
        AnswerObject::if_readable([&] { return AnswerObject(element, "").list(name, kEntriesMax); });
    if (!list) return;
    for (const auto entry : *list) look(entry);
  }

  std::set<std::string> found_;
};

void look_at(BankOperation operation, simdjson::dom::element root, Novelties& novelties) {
  switch (operation) {
    case BankOperation::kPutCob:
    case BankOperation::kGetCob:
    case BankOperation::kRemoveCob:
      return novelties.look_at_cob(root);
    case BankOperation::kListPix:
      return novelties.look_at_page(root);
    case BankOperation::kGetPix:
      return novelties.look_at_payment(root);
    case BankOperation::kPutRefund:
    case BankOperation::kGetRefund:
      return novelties.look_at_return(root);
    case BankOperation::kToken:
    case BankOperation::kPutCallback:
    case BankOperation::kGetCallback:
    case BankOperation::kDeleteCallback:
      return;
  }
}

}  // namespace

std::vector<std::string> novelties_in(BankOperation operation, const Answered& answer) {
  Novelties novelties;
  if (answer.status >= kFirstServerError || operation == BankOperation::kToken) return {};
  if (answer.status >= kBadRequest) {
    const auto error = read_bank_error(answer.status, answer.body, ErrorText::kLeftOut);
    if (looks_like_code(error.type) && !is_among(kErrorTypes, error.type))
      novelties.add("error " + error.type);
    return novelties.take();
  }
  try {
    const AnswerDocument document(answer.body);
    look_at(operation, document.element(), novelties);
  } catch (const UnusableAnswer&) {
    return {};  // the reader of the answer reports that
  }
  return novelties.take();
}

namespace {

bool ends_so(std::string_view type, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return type.ends_with(ending); });
}

}  // namespace

BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer) {
  const int status = answer.status;
  if (status >= kOk && status < kFirstRedirect) return Accepted{std::move(answer.body)};
  auto error = read_bank_error(status, answer.body,
                               is_about_a_payer(operation) ? ErrorText::kLeftOut : ErrorText::kRead);
  if (status == kTooManyRequests) return Unavailable{BootTime(0), to_string(error), true};
  if (status >= kFirstServerError) {
    if (changes_something(operation)) return OutcomeUnknown{to_string(error)};
    return Unavailable{BootTime(0), to_string(error), true};
  }
  // A client without access learns nothing about payments, whatever the error is called.
  const bool is_denied = status == kUnauthorized || status == kForbidden;
  const bool is_told = !is_denied && status >= kBadRequest && means_not_found(profile, operation, error);
  if (is_told || status == kNotFound) return NotFound{is_told};
  if (status == kConflict) return Duplicate{};
  if (status >= kBadRequest && ends_so(error.type, profile.duplicate_endings)) return Duplicate{};
  return Refused{std::move(error)};
}

bool is_fault(const CallResult& result) {
  const auto* const answer = std::get_if<Answered>(&result);
  return answer == nullptr || answer->status >= kFirstServerError;
}

bool asks_for_less(const Answered& answer) {
  return answer.status == kTooManyRequests || answer.status == kServiceUnavailable;
}

namespace {

constexpr std::chrono::seconds kUsualWait{1};
constexpr std::int64_t kClockApartMsMax = 30 * 60'000LL;

bool wants_another_token(const BankResult<Accepted>& result) {
  const auto* const refused = std::get_if<Refused>(&result);
  return refused != nullptr && refused->error.status == kUnauthorized;
}

BankResult<Accepted> as_failure(BankToken::Result result) {
  if (auto* const refused = std::get_if<Refused>(&result)) return std::move(*refused);
  return std::move(std::get<Unavailable>(result));
}

// Returns whether a token of one is valid for the other.
bool is_same_client(const BankAccess& one, const BankAccess& other) {
  const auto terms = [](const BankAccess& access) {
    return std::tie(access.profile, access.token_url, access.token_auth, access.scopes, access.client_id,
                    access.client_secret, access.certificate_pem, access.private_key_pem);
  };
  return terms(one) == terms(other);
}

}  // namespace

// A probe that does not finish, for whatever reason, passes its turn on.
class BankExchange::Admission {
 public:
  Admission(BankExchange& exchange, Breaker::Pass pass) : exchange_(exchange), pass_(pass) {}
  ~Admission() {
    const std::lock_guard lock(exchange_.mutex_);
    exchange_.breaker_.cancelled(pass_);
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

 private:
  BankExchange& exchange_;
  const Breaker::Pass pass_;
};

BankExchange::BankExchange(BankAccess access, BankDependencies dependencies, const BankExchange* before)
    : access_(std::move(access)),
      dependencies_(std::move(dependencies)),
      http_(dependencies_.network.connect(access_.certificate_pem, access_.private_key_pem)),
      gate_(dependencies_.clock, access_.rate, dependencies_.is_stopping),
      token_(dependencies_.clock, [this] { return ask_for_token(); }) {
  if (before == nullptr) return;
  ahead_ms_ = before->ahead_ms_.load();
  has_date_ = before->has_date_.load();
  if (is_same_client(access_, before->access_)) token_.go_on_from(before->token_);
}

BankResult<Accepted> BankExchange::send(const BankRequest& request, const BankTurn& turn) {
  auto admitted = admit();
  if (auto* const unavailable = std::get_if<Unavailable>(&admitted)) return std::move(*unavailable);
  const auto pass = std::get<Breaker::Pass>(admitted);
  const Admission admission(*this, pass);
  auto first = token_.get();
  const auto* const grant = std::get_if<TokenGrant>(&first);
  if (grant == nullptr) return as_failure(std::move(first));
  auto result = send_once(request, turn, pass, grant->token);
  if (!wants_another_token(result)) return result;
  if (is_stopping()) return to_stop();
  token_.reject(grant->token);
  auto second = token_.get();
  const auto* const other = std::get_if<TokenGrant>(&second);
  if (other == nullptr) return as_failure(std::move(second));
  return send_once(request, turn, Breaker::Pass::kGo, other->token);
}

BankToken::Result BankExchange::token() { return token_.get(); }

CallResult BankExchange::reach(const std::string& url, const BankTurn& turn) {
  const auto entered =
      gate_.enter(turn.priority, dependencies_.may_wait ? turn.begin_by : boot_time(dependencies_.clock));
  if (std::holds_alternative<BootTime>(entered))
    return NotSent{"too many requests for the connection's rate"};
  return http_->call({.method = "GET", .url = url, .headers = {}});
}

bool BankExchange::is_open() const {
  const std::lock_guard lock(mutex_);
  return breaker_.is_open();
}

std::optional<BootTime> BankExchange::probe_at() const {
  const std::lock_guard lock(mutex_);
  if (!breaker_.is_open()) return std::nullopt;
  return breaker_.probe_at();
}

Unavailable BankExchange::to_stop() const {
  return {boot_time(dependencies_.clock) + kUsualWait, "the worker is to stop"};
}

std::variant<Breaker::Pass, Unavailable> BankExchange::admit() {
  const auto now = boot_time(dependencies_.clock);
  if (is_stopping()) return to_stop();
  const std::lock_guard lock(mutex_);
  const auto pass = breaker_.admit(now);
  if (pass != Breaker::Pass::kNo) return pass;
  // At its time the probe is under way, and will not take long.
  return Unavailable{std::max<BootTime>(breaker_.probe_at(), now + kUsualWait), "the bank does not work"};
}

BankResult<Accepted> BankExchange::send_once(const BankRequest& request, const BankTurn& turn,
                                             Breaker::Pass pass, const std::string& token) {
  auto entered =
      gate_.enter(turn.priority, dependencies_.may_wait ? turn.begin_by : boot_time(dependencies_.clock));
  if (is_stopping()) return to_stop();
  if (const auto* const later = std::get_if<BootTime>(&entered))
    return Unavailable{*later, "too many requests for the connection's rate"};
  const auto leaves_at = boot_time(dependencies_.clock);
  if (turn.change_by && leaves_at >= *turn.change_by && changes_something(request.operation))
    return Unavailable{leaves_at, "its time has passed"};
  if (turn.before_sending) turn.before_sending();
  const auto began = boot_time(dependencies_.clock);
  auto call = to_http(access_, request, token, new_correlation_id());
  std::optional<stores::AttemptSpan> span;
  if (turn.trace && dependencies_.traces) {
    span = dependencies_.traces->begin(*turn.trace);
    for (auto& header : span->headers()) call.headers.push_back(std::move(header));
  }
  auto result = http_->call(call);
  count(pass, result);
  if (const auto* const answer = std::get_if<Answered>(&result); answer != nullptr && asks_for_less(*answer))
    gate_.slow_down(retry_after(result));
  auto judged = judge(request.operation, result);
  report(request.operation, outcome_name(judged), began, result, span ? &*span : nullptr);
  return judged;
}

BankResult<Accepted> BankExchange::judge(BankOperation operation, CallResult result) const {
  const auto until = boot_time(dependencies_.clock) + retry_after(result).value_or(kUsualWait);
  if (auto* const unsent = std::get_if<NotSent>(&result))
    return Unavailable{until, std::move(unsent->reason)};
  if (auto* const unknown = std::get_if<OutcomeUnknown>(&result)) {
    if (changes_something(operation)) return std::move(*unknown);
    return Unavailable{until, std::move(unknown->reason), true};
  }
  auto judged = judge_answer(*access_.profile, operation, std::get<Answered>(std::move(result)));
  if (auto* const unavailable = std::get_if<Unavailable>(&judged)) unavailable->until = until;
  return judged;
}

CallResult BankExchange::ask_for_token() {
  const auto began = boot_time(dependencies_.clock);
  auto result = http_->call(token_call(access_));
  const bool probing = is_open();  // otherwise no request would leave
  if (is_fault(result)) count(probing ? Breaker::Pass::kProbe : Breaker::Pass::kGo, result);
  report(BankOperation::kToken, outcome_name(judge(BankOperation::kToken, result)), began, result);
  return result;
}

void BankExchange::count(Breaker::Pass pass, const CallResult& result) {
  const std::lock_guard lock(mutex_);
  if (is_fault(result))
    breaker_.failed(pass, boot_time(dependencies_.clock));
  else
    breaker_.succeeded(pass);
}

std::optional<std::chrono::milliseconds> BankExchange::retry_after(const CallResult& result) const {
  const auto* const answer = std::get_if<Answered>(&result);
  if (answer == nullptr || answer->retry_after.empty()) return std::nullopt;
  const auto asked = parse_retry_after(answer->retry_after, dependencies_.clock.now());
  if (!asked) return std::nullopt;
  return std::min<std::chrono::milliseconds>(*asked, RatePlan::kRetryAfterMax);
}

void BankExchange::report(BankOperation operation, std::string_view outcome, BootTime began,
                          const CallResult& result, const stores::AttemptSpan* span) {
  BankCallReport report{.operation = operation,
                        .outcome = outcome,
                        .duration_ms = (boot_time(dependencies_.clock) - began).count(),
                        .ahead_ms = std::nullopt,
                        .is_open = is_open(),
                        .span = span};
  const auto* const answer = std::get_if<Answered>(&result);
  if (answer != nullptr) report.http_status = answer->status;
  if (answer != nullptr && answer->date) {
    ahead_ms_ = answer->date->millis() + kHalfASecondMs - dependencies_.clock.now().millis();
    has_date_ = true;
  }
  if (answer != nullptr && (has_date_ || ahead_ms_ != 0)) report.ahead_ms = ahead_ms_;
  if (answer != nullptr) report.novelties = novelties_in(operation, *answer);
  if (dependencies_.observer) dependencies_.observer(report);
}

void BankExchange::note_made(Timestamp at) {
  const auto ahead_ms = at.millis() - dependencies_.clock.now().millis();
  // A larger difference is another zone: Itaú's `criacao` is local time with a Z ([B573]).
  if (!has_date_ && std::abs(ahead_ms) < kClockApartMsMax) ahead_ms_ = ahead_ms;
}

// A UUID (RFC 9562 §5.4).
std::string BankExchange::new_correlation_id() {
  std::array<std::byte, 16> bytes{};
  dependencies_.entropy.fill(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace pixledger::workers
