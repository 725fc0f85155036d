#include "workers/providers/api_pix/bank_answers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "domain/text/ascii.h"
#include "domain/values/alnum_text.h"
#include "workers/providers/api_pix/answer_object.h"
#include "workers/providers/api_pix/bank_error.h"

namespace pixledger::workers {
namespace {

using domain::EndToEndId;
using domain::Txid;

constexpr std::size_t kReturnIdSize = 32;
constexpr std::size_t kTokenSizeMax = 16 * 1024;
constexpr std::size_t kScopesMax = 100;
// A payment is refunded a few times; what has more is no answer.
constexpr std::size_t kRefundsMax = 1'000;
constexpr std::int64_t kTokenSecondsMax = 366 * 24 * 3'600;

template <class Enum, std::size_t size>
Enum named(const std::array<std::pair<std::string_view, Enum>, size>& names, std::string_view text,
           Enum otherwise) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == text; });
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
  auto id = EndToEndId::parse(payment.required_text("endToEndId"));
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
  if (const auto nature = refund.text("natureza"))
    read.nature = named(kRefundNatures, *nature, BankRefundNature::kOther);
  if (const auto rtr_id = refund.text("rtrId"); rtr_id && !rtr_id->empty()) {
    const bool good = rtr_id->size() == kReturnIdSize &&
                      std::all_of(rtr_id->begin(), rtr_id->end(), domain::is_ascii_alnum);
    if (!good) refund.refuse("rtrId", "is not 32 letters and digits");
    read.rtr_id = std::string(*rtr_id);
  }
  if (const auto times = refund.object("horario")) {
    read.requested_at = times->time("solicitacao");
    read.settled_at = times->time("liquidacao");
  }
  return read;
}

BankPayment read_payment(const AnswerObject& payment) {
  BankPayment read{.end_to_end_id = read_end_to_end_id(payment),
                   .amount = payment.required(payment.amount("valor"), "valor"),
                   .paid_at = payment.required(payment.time("horario"), "horario"),
                   .txid = Txid::parse(payment.text("txid").value_or("")),
                   .key = std::nullopt,
                   .refunds = {},
                   .unusable_refunds = {}};
  if (read.amount.value() == 0) payment.refuse("valor", "is zero");
  if (const auto key = payment.text("chave")) read.key = std::string(*key);
  if (const auto refunds = payment.array("devolucoes")) {
    std::size_t index = 0;
    for (const auto element : *refunds) {
      if (index == kRefundsMax) payment.refuse("devolucoes", "has over a thousand entries");
      const auto name = "devolucoes[" + std::to_string(index++) + "].";
      try {
        read.refunds.push_back(read_refund({element, payment.path_of(name)}));
      } catch (const UnusableAnswer& bad) {
        read.unusable_refunds.emplace_back(bad.what());
      }
    }
  }
  return read;
}

// Only to tell which payment cannot be used.
std::optional<EndToEndId> id_if_readable(simdjson::dom::element element) {
  std::string_view text;
  if (element.is_object() && element["endToEndId"].get(text) == simdjson::SUCCESS)
    return EndToEndId::parse(text);
  return std::nullopt;
}

BankPayments read_payments(const AnswerObject& holder) {
  BankPayments read;
  const auto list = holder.array("pix");
  if (!list) return read;
  std::size_t index = 0;
  for (const auto element : *list) {
    try {
      read.payments.push_back(read_payment({element, "pix[" + std::to_string(index) + "]."}));
    } catch (const UnusableAnswer& bad) {
      read.unusable.push_back({id_if_readable(element), bad.what()});
    }
    ++index;
  }
  return read;
}

// Some write the scheme, which the code does not have.
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
               .received = read_payments(cob)};
  auto code = cob.text("pixCopiaECola");
  if (!code && !other_code_field.empty()) code = cob.text(other_code_field);
  if (code && !code->empty()) read.pix_code = std::string(*code);
  if (const auto calendar = cob.object("calendario")) {
    read.created_at = calendar->time("criacao");
    read.expires_in_s = calendar->count("expiracao");
  }
  return read;
}

BankPixPage read_pix_page(const AnswerObject& root) {
  const auto parameters = root.required(root.object("parametros"), "parametros");
  const auto paging = parameters.required(parameters.object("paginacao"), "paginacao");
  const auto number = [&](std::string_view name) { return paging.required(paging.count(name), name); };
  BankPixPage read{.found = read_payments(root),
                   .page = number("paginaAtual"),
                   .pages = number("quantidadeDePaginas"),
                   .items = number("quantidadeTotalDeItens")};
  const auto here = static_cast<std::int64_t>(read.found.payments.size() + read.found.unusable.size());
  if (here == 0 && read.page < read.pages && read.items > 0)
    root.refuse("pix", "is empty before the last page");
  if (here > read.items) root.refuse("pix", "has more entries than quantidadeTotalDeItens");
  return read;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (words.size() < kScopesMax) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find(' '));
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return words;
}

BankTokenAnswer read_token(const AnswerObject& root) {
  const auto token = root.required_text("access_token");
  // It becomes part of a header (RFC 6750 §2.1).
  const bool good = !token.empty() && token.size() <= kTokenSizeMax &&
                    std::all_of(token.begin(), token.end(),
                                [](char c) { return domain::is_ascii_printable(c) && c != ' '; });
  if (!good) root.refuse("access_token", "is no token");
  BankTokenAnswer read{.token = std::string(token),
                       .expires_in_s = root.required(root.count("expires_in"), "expires_in"),
                       .scopes = std::nullopt};
  read.expires_in_s = std::min(read.expires_in_s, kTokenSecondsMax);
  if (const auto scopes = root.text("scope")) read.scopes = words_of(*scopes);
  return read;
}

template <class T, class Read>
ParsedAnswer<T> parse(const std::string& body, const Read& read) {
  try {
    const AnswerDocument document(body);
    return read(document.root());
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

ParsedAnswer<BankCob> parse_cob(const std::string& body, std::string_view other_code_field) {
  return parse<BankCob>(body, [&](const AnswerObject& root) { return read_cob(root, other_code_field); });
}

ParsedAnswer<BankPayment> parse_payment(const std::string& body) {
  return parse<BankPayment>(body, &read_payment);
}

ParsedAnswer<BankRefund> parse_refund(const std::string& body) {
  return parse<BankRefund>(body, &read_refund);
}

ParsedAnswer<BankPixPage> parse_pix_page(const std::string& body) {
  return parse<BankPixPage>(body, &read_pix_page);
}

ParsedAnswer<BankTokenAnswer> parse_token(const std::string& body) {
  return parse<BankTokenAnswer>(body, &read_token);
}

ParsedAnswer<std::string> parse_callback(const std::string& body) {
  return parse<std::string>(
      body, [](const AnswerObject& root) { return std::string(root.required_text("webhookUrl")); });
}

}  // namespace pixledger::workers
