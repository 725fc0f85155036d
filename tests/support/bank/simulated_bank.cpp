#include "tests/support/bank/simulated_bank.h"

#include <algorithm>
#include <simdjson.h>

#include "base/platform/json.h"

namespace pixledger::tests {
namespace {

using workers::Answered;
using workers::CallResult;
using workers::HttpCall;

constexpr std::int64_t kLateMsMax = 30'000;
constexpr std::int64_t kSettlingMsMax = 120'000;
constexpr std::string_view kBase = "/v2";

std::string text_at(const std::string& json, const std::string& pointer) {
  simdjson::dom::parser parser;
  std::string_view text;
  if (parser.parse(json).at_pointer(pointer).get(text) != simdjson::SUCCESS) return "";
  return std::string(text);
}

domain::Cents cents_of(std::string decimal) {
  std::erase(decimal, '.');
  return domain::Cents(std::stoll(decimal));
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string parameter(const std::string& query, const std::string& name) {
  const auto at = ("&" + query).find("&" + name + "=");
  if (at == std::string::npos) return "";
  const auto begin = at + name.size() + 1;
  return unescaped(std::string_view(query).substr(begin, query.find('&', begin) - begin));
}

void write_devolucao(Json& json, const SimulatedBank::Devolucao& devolucao) {
  json.begin_object()
      .field("id", devolucao.id)
      .field("valor", domain::to_decimal(devolucao.amount))
      .field("natureza", devolucao.is_ours || devolucao.is_by_hand ? "ORIGINAL" : "MED_FRAUDE")
      .field("status", devolucao.status);
  if (!devolucao.rtr_id.empty()) json.field("rtrId", devolucao.rtr_id);
  json.key("horario").begin_object().field("solicitacao", devolucao.requested_at);
  if (devolucao.status == "DEVOLVIDO") json.field("liquidacao", devolucao.requested_at);
  json.end_object().end_object();
}

std::int64_t gone_back(const SimulatedBank::Payment& payment) {
  std::int64_t sum = 0;
  for (const auto& devolucao : payment.devolucoes)
    if (devolucao.status != "NAO_REALIZADO") sum += devolucao.amount.value();
  return sum;
}

}  // namespace

SimulatedBank::SimulatedBank(const Clock& clock, std::uint64_t seed, std::int64_t skew_ms, bool names_keys)
    : clock_(clock), skew_ms_(skew_ms), names_keys_(names_keys), random_(seed) {}

void SimulatedBank::write(Json& json, const Payment& payment) const {
  json.begin_object().field("endToEndId", payment.end_to_end_id);
  if (payment.txid) json.field("txid", *payment.txid);
  if (names_keys_) json.field("chave", payment.key);
  json.field("valor", domain::to_decimal(payment.amount)).field("horario", payment.at);
  json.field("infoPagador", "Ana Lima");
  json.key("devolucoes").begin_array();
  for (const auto& devolucao : payment.devolucoes) write_devolucao(json, devolucao);
  json.end_array().end_object();
}

std::string SimulatedBank::fresh_id(char first, std::size_t size) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string id(1, first);
  while (id.size() < size) id += kLetters[draw(kLetters.size())];
  return id;
}

// --- payers, the bank, time ---

bool SimulatedBank::takes_payments_for(const std::string& txid) const {
  const auto found = cobs_.find(txid);
  return found != cobs_.end() && found->second.status == "ATIVA" &&
         now() < found->second.created_at.plus_millis(found->second.expires_in_s * 1'000);
}

const SimulatedBank::Payment& SimulatedBank::pay(std::optional<std::string> txid, const std::string& key,
                                                 domain::Cents amount, std::int64_t lag_ms) {
  auto id = fresh_id('E', 32);
  if (txid) {
    const auto cob = cobs_.find(*txid);
    if (cob != cobs_.end()) cob->second.status = "CONCLUIDA";
  }
  Payment payment{.end_to_end_id = id,
                  .amount = amount,
                  .at = now(),
                  .txid = std::move(txid),
                  .key = key,
                  .shown_from_ms = clock_.now().millis() + lag_ms,
                  .devolucoes = {}};
  return payments_.emplace(std::move(id), std::move(payment)).first->second;
}

void SimulatedBank::reverse() {
  if (payments_.empty()) return;
  auto& payment = std::next(payments_.begin(), static_cast<std::ptrdiff_t>(draw(payments_.size())))->second;
  const auto left = payment.amount.value() - gone_back(payment);
  if (left <= 0) return;
  const auto cents =
      draw(2) == 0 ? left : 1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(left)));
  payment.devolucoes.push_back({.id = fresh_id('m', 12),
                                .rtr_id = draw(4) == 0 ? "" : fresh_id('D', 32),
                                .amount = domain::Cents(cents),
                                .is_ours = false,
                                .status = "DEVOLVIDO",
                                .requested_at = now()});
}

bool SimulatedBank::send_back_by_hand(const std::string& end_to_end_id, domain::Cents amount) {
  auto& payment = payments_.at(end_to_end_id);
  if (amount.value() > payment.amount.value() - gone_back(payment)) return false;
  payment.devolucoes.push_back({.id = fresh_id('h', 12),
                                .rtr_id = fresh_id('D', 32),
                                .amount = amount,
                                .is_ours = false,
                                .is_by_hand = true,
                                .status = "DEVOLVIDO",
                                .requested_at = now()});
  return true;
}

void SimulatedBank::settle() {
  const auto now_ms = clock_.now().millis();
  while (!late_.empty() && late_.front().at_ms <= now_ms) {
    const auto call = std::move(late_.front().call);
    late_.pop_front();
    answer(call);
  }
  for (auto& [id, payment] : payments_)
    for (auto& devolucao : payment.devolucoes)
      if (devolucao.status == "EM_PROCESSAMENTO" && devolucao.settles_at_ms <= now_ms)
        devolucao.status = devolucao.will_settle ? "DEVOLVIDO" : "NAO_REALIZADO";
}

// --- the API ---

CallResult SimulatedBank::call(const HttpCall& call) {
  settle();
  if (happens(faults_.kills)) {
    if (draw(2) == 0) answer(call);
    throw Killed();
  }
  if (happens(faults_.lost_request)) {
    if (draw(2) == 0) return workers::NotSent{"no way there"};
    return workers::OutcomeUnknown{"lost"};
  }
  if (happens(faults_.lost_answer)) {
    answer(call);
    return workers::OutcomeUnknown{"no answer"};
  }
  if (happens(faults_.late_effect)) {
    const auto at = clock_.now().millis() + 1 + static_cast<std::int64_t>(draw(kLateMsMax));
    ever_late_.insert(call.url);
    late_.push_back({late_.empty() ? at : std::max(at, late_.back().at_ms), call});
    return workers::OutcomeUnknown{"no answer in time"};
  }
  if (happens(faults_.too_many)) {
    auto answered = said(429, "");
    answered.retry_after = std::to_string(30 + draw(60));
    return answered;
  }
  if (happens(faults_.broken)) return said(draw(2) == 0 ? 500 : 502, "<html>Ana Lima</html>");
  if (happens(faults_.unauthorized)) return said(401, "");
  return answer(call);
}

void SimulatedBank::note_repeat(const HttpCall& call) {
  if (!ever_late_.contains(call.url)) unasked_repeats_.push_back(call.url);
}

Answered SimulatedBank::said(int status, std::string body) const {
  return {.status = status, .body = std::move(body), .retry_after = "", .date = now()};
}

Answered SimulatedBank::answer(const HttpCall& call) {
  const auto host = call.url.find("://") + 3;
  const auto path_and_query = call.url.substr(call.url.find('/', host));
  const auto path = path_and_query.substr(0, path_and_query.find('?'));
  if (path == "/token") return said(200, R"({"access_token":"t","expires_in":3600,"scope":"cob.write"})");
  const auto asked = std::string_view(path).substr(kBase.size());
  if (asked == "/pix") return list(path_and_query.substr(path.size() + 1));
  if (asked.starts_with("/cob/")) return answer_cob(call, std::string(asked.substr(5)));
  if (asked.starts_with("/pix/")) return answer_payment(call, asked.substr(5));
  return said(404, "");
}

Answered SimulatedBank::answer_cob(const HttpCall& call, const std::string& txid) {
  const auto found = cobs_.find(txid);
  if (call.method == "PUT") {
    if (found != cobs_.end()) {
      note_repeat(call);
      return said(409, R"({"nome":"txid_duplicado"})");
    }
    simdjson::dom::parser parser;
    std::int64_t expires_in_s = 0;
    if (parser.parse(call.body).at_pointer("/calendario/expiracao").get(expires_in_s) != simdjson::SUCCESS)
      return said(400, "");
    cobs_.emplace(txid, Cob{.amount = cents_of(text_at(call.body, "/valor/original")),
                            .created_at = now(),
                            .expires_in_s = expires_in_s,
                            .key = text_at(call.body, "/chave")});
  } else if (found == cobs_.end()) {
    return said(404, "");
  } else if (call.method == "PATCH") {
    if (found->second.status != "ATIVA") return said(400, R"({"title":"CobOperacaoInvalida"})");
    found->second.status = text_at(call.body, "/status");
  }
  const auto& cob = cobs_.at(txid);
  Json json;
  json.begin_object().field("txid", txid).field("status", cob.status).field("chave", cob.key);
  json.field("location", "pix.example/v2/" + txid);
  json.key("valor").begin_object().field("original", domain::to_decimal(cob.amount)).end_object();
  json.key("calendario").begin_object().field("criacao", cob.created_at);
  json.field("expiracao", cob.expires_in_s).end_object();
  json.key("pix").begin_array();
  for (const auto& [id, payment] : payments_)
    if (payment.txid == txid && payment.shown_from_ms <= clock_.now().millis()) write(json, payment);
  json.end_array().end_object();
  return said(call.method == "PUT" ? 201 : 200, json.take());
}

Answered SimulatedBank::answer_payment(const HttpCall& call, std::string_view path) {
  const auto found = payments_.find(std::string(path.substr(0, path.find('/'))));
  if (found == payments_.end() || found->second.shown_from_ms > clock_.now().millis()) return said(404, "");
  auto& payment = found->second;
  constexpr std::string_view kPart = "/devolucao/";
  const auto part = path.find(kPart);
  if (part == std::string_view::npos) {
    Json json;
    write(json, payment);
    return said(200, json.take());
  }
  const std::string id(path.substr(part + kPart.size()));
  if (call.method == "PUT") return put_devolucao(payment, id, call);
  for (const auto& devolucao : payment.devolucoes) {
    if (devolucao.id != id) continue;
    Json json;
    write_devolucao(json, devolucao);
    return said(200, json.take());
  }
  return said(404, "");
}

Answered SimulatedBank::put_devolucao(Payment& payment, const std::string& id, const HttpCall& call) {
  const auto is_it = [&](const Devolucao& devolucao) { return devolucao.id == id; };
  if (std::any_of(payment.devolucoes.begin(), payment.devolucoes.end(), is_it)) {
    note_repeat(call);
    return said(409, R"({"nome":"devolucao_id_duplicado"})");
  }
  const auto amount = cents_of(text_at(call.body, "/valor"));
  if (amount.value() <= 0 || amount.value() > payment.amount.value() - gone_back(payment))
    return said(400, R"({"title":"PixDevolucaoInvalida"})");
  const auto takes = static_cast<std::int64_t>(draw(3) == 0 ? draw(kSettlingMsMax) : 0);
  payment.devolucoes.push_back({.id = id,
                                .rtr_id = fresh_id('D', 32),
                                .amount = amount,
                                .is_ours = true,
                                .status = "EM_PROCESSAMENTO",
                                .requested_at = now(),
                                .settles_at_ms = clock_.now().millis() + takes,
                                .will_settle = draw(8) != 0});
  Json json;
  write_devolucao(json, payment.devolucoes.back());
  return said(201, json.take());
}

Answered SimulatedBank::list(const std::string& query) const {
  const auto begin = parse_iso8601(parameter(query, "inicio"));
  const auto end = parse_iso8601(parameter(query, "fim"));
  if (!begin || !end) return said(400, "");
  const auto page = std::stoull(parameter(query, "paginacao.paginaAtual"));
  const auto of_page = std::stoull(parameter(query, "paginacao.itensPorPagina"));
  std::vector<const Payment*> found;
  for (const auto& [id, payment] : payments_)
    if (payment.at >= *begin && payment.at <= *end && payment.shown_from_ms <= clock_.now().millis())
      found.push_back(&payment);
  Json json;
  json.begin_object().key("parametros").begin_object();
  json.field("inicio", *begin).field("fim", *end).key("paginacao").begin_object();
  json.field("paginaAtual", page).field("itensPorPagina", of_page);
  json.field("quantidadeDePaginas", (found.size() + of_page - 1) / of_page);
  json.field("quantidadeTotalDeItens", found.size()).end_object().end_object();
  json.key("pix").begin_array();
  for (auto i = page * of_page; i < std::min<std::size_t>(found.size(), (page + 1) * of_page); ++i)
    write(json, *found[i]);
  json.end_array().end_object();
  return said(200, json.take());
}

// --- the way there ---

class SimulatedBanks::Way final : public workers::BankTransport {
 public:
  explicit Way(const SimulatedBanks& banks) : banks_(banks) {}

  CallResult call(const HttpCall& call) override {
    const auto begin = call.url.find("://") + 3;
    auto& bank = *banks_.banks_.at(call.url.substr(begin, call.url.find('/', begin) - begin));
    return banks_.detour_ ? banks_.detour_(bank, call) : bank.call(call);
  }

 private:
  const SimulatedBanks& banks_;
};

std::unique_ptr<workers::BankTransport> SimulatedBanks::connect(const std::string&, const std::string&) {
  return std::make_unique<Way>(*this);
}

}  // namespace pixledger::tests
