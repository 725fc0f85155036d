#include "workers/banks/api_pix/novelties.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "base/net/http_status.h"
#include "base/text/ascii.h"
#include "workers/banks/api_pix/answer_object.h"
#include "workers/banks/api_pix/bank_error.h"

namespace pixledger::workers {
namespace {

using namespace std::string_view_literals;
using Names = std::span<const std::string_view>;

constexpr std::size_t kNoveltiesOfAnswerMax = 16;
constexpr std::size_t kNameSizeMax = 60;
constexpr std::size_t kEntriesMax = 1'000;

// The document's schemas, as far as they are read.
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

// No text for people, in which anything may stand, and no number of anything.
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
    return {};  // whoever reads it says so
  }
  return novelties.take();
}

}  // namespace pixledger::workers
