#include "stores/exports/export_rows.h"

#include <algorithm>
#include <array>

#include "domain/aggregates/charge.h"
#include "domain/values/names.h"
#include "eventstore/reading/erasure.h"
#include "stores/exports/table.h"

namespace pixledger::stores {
namespace {

// Portuguese words for the service's codes in exported tables, by subject.

constexpr std::array kEnvironmentWords = {Word{"live", "produção"}};  // sandbox is the same in both languages

// For charges; a report also lists payments set aside.
constexpr std::array kChargeWords = {Word{"waiting_payment", "aguardando pagamento"},
                                     Word{"processing", "em análise"},
                                     Word{"paid", "paga"},
                                     Word{"expired", "expirada"},
                                     Word{"cancelled", "cancelada"},
                                     Word{"refunded", "devolvida"},
                                     Word{"failed", "falhou"},
                                     Word{"unapplied", "a acertar"},
                                     Word{"unmatched", "sem cobrança"}};

constexpr std::array kSessionWords = {Word{"open", "aberto"}, Word{"complete", "concluído"},
                                      Word{"expired", "expirado"}, Word{"cancelled", "cancelado"}};

constexpr std::array kFlagWords = {
    Word{"PAID_AFTER_EXPIRY", "pago depois de expirar"}, Word{"PAID_AFTER_CLOSE", "pago depois de encerrada"},
    Word{"DUPLICATE_PAYMENT", "pagamento repetido"}, Word{"AMOUNT_MISMATCH", "valor diferente do cobrado"},
    Word{"UNMATCHED", "sem cobrança"}};

constexpr std::array kOutcomeWords = {Word{"applied", "aplicado à cobrança"},
                                      Word{"unapplied", "a acertar"},
                                      Word{"unmatched", "a acertar"},
                                      Word{"assigned", "atribuído a uma cobrança"},
                                      Word{"closed", "encerrado"},
                                      Word{"returning", "devolução pedida"},
                                      Word{"returned", "devolvido"}};

constexpr std::array kOriginWords = {Word{"bank", "banco"}, Word{"merchant", "loja"}};

constexpr std::array kDeliveryWords = {Word{"pending", "pendente"}, Word{"delivered", "entregue"},
                                       Word{"failed", "falhou"}, Word{"exhausted", "esgotada"}};

constexpr std::array kCustomerWords = {Word{"erased", "(apagado)"}};

using domain::Charge;
using domain::CheckoutSession;
using domain::RecordedEvent;

Cell time_cell(const TimeZone& zone, const std::optional<Timestamp>& moment) {
  return moment ? Cell(LocalTime{*moment, zone}) : Cell();
}
Cell text_cell(std::string_view text) { return std::string(text); }
Cell number_cell(std::uint64_t number) { return static_cast<std::int64_t>(number); }
Cell cents_cell(const std::optional<domain::Cents>& amount) {
  return amount ? Cell(amount->value()) : Cell();
}
template <class Text>
Cell optional_text(const std::optional<Text>& text) {
  return text ? Cell(text->text()) : Cell();
}

// Null once the customer is erased: the merchant's own texts about the charge are personal data too.
const domain::CustomerDetails* details_of(const RowContext& context, const Charge& charge) {
  const auto* customer = context.customers.find(charge.customer);
  return customer && customer->details ? &*customer->details : nullptr;
}

Cells charge_row(const RowContext& context, const RecordedEvent&, const Charge& charge) {
  const auto& zone = context.zone;
  const auto* details = details_of(context, charge);
  const auto& payment = charge.payment;
  return {charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          text_cell(domain::to_string(charge.status)),
          charge.external_id ? charge.external_id->text() : charge.id.text(),
          charge.amount.value(),
          charge.product.text(),
          std::int64_t{charge.quantity},
          charge.origin_host.text(),
          charge.connection.text(),
          charge.customer.text(),
          details ? Cell(details->name.text()) : text_cell(domain::kErasedName),
          details ? Cell(details->document.text()) : Cell(),
          details ? Cell(details->email.text()) : Cell(),
          details ? Cell(details->phone.text()) : Cell(),
          time_cell(zone, charge.created_at),
          time_cell(zone, charge.expires_at),
          time_cell(zone, charge.updated_at),
          payment ? Cell(payment->end_to_end_id.text()) : Cell(),
          payment ? time_cell(zone, payment->paid_at) : Cell(),
          payment ? Cell(payment->amount.value()) : Cell(),
          payment ? cents_cell(payment->fee) : Cell(),
          charge.refunded.value(),
          time_cell(zone, charge.refunded_at),
          number_cell(charge.unapplied.size()),
          payment ? Cell(payment->amount.value()) : Cell(),
          details && !charge.metadata.empty() ? Cell(charge.metadata) : Cell(),
          charge.checkout_session ? Cell(charge.checkout_session->text()) : Cell()};
}

// The outcome of a reported payment.
struct PaymentFate {
  std::string_view outcome;
  std::optional<domain::Cents> fee{};
  std::optional<domain::Cents> gone_back{};  // the part that did not pay the charge and was returned through
                                             // its bank
};

PaymentFate fate_of(const Charge& charge, const domain::EndToEndId& id) {
  for (const auto& payment : charge.unapplied)
    if (payment.end_to_end_id == id) return {.outcome = "unapplied", .gone_back = domain::gone_back(payment)};
  for (const auto& payment : charge.returned)
    if (payment.end_to_end_id == id) return {.outcome = "returned", .gone_back = domain::gone_back(payment)};
  const auto counted = domain::counted_payment(charge, id);
  return {.outcome = "applied", .fee = counted ? counted->payment.fee : std::nullopt};
}

Cells payment_row(const RowContext& context, const RecordedEvent& event, const Charge& charge) {
  const auto& zone = context.zone;
  const auto* paid = fact_of<domain::ChargePaid>(event);
  const auto* unapplied = fact_of<domain::PaymentLeftUnapplied>(event);
  const auto& id = paid ? paid->end_to_end_id : unapplied->end_to_end_id;
  const auto fate = fate_of(charge, id);
  return {id.text(),
          charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          (paid ? paid->amount : unapplied->amount).value(),
          cents_cell(fate.fee),
          time_cell(zone, paid ? paid->paid_at : unapplied->paid_at),
          time_cell(zone, event.recorded_at),
          unapplied ? text_cell(domain::to_string(unapplied->flag)) : Cell(),
          text_cell(fate.outcome),
          cents_cell(fate.gone_back)};
}

// Null for a refund of release 0.1.0, which has no id.
const domain::Refund* refund_told_by(const RecordedEvent& event, const Charge& charge) {
  std::optional<domain::RefundId> id;
  const auto* reversed = fact_of<domain::PaymentReversed>(event);
  if (const auto* refunded = fact_of<domain::ChargeRefunded>(event)) id = refunded->id;
  if (const auto* done = fact_of<domain::RefundDone>(event)) id = done->id;
  if (reversed) id = reversed->id;
  const auto found =
      std::find_if(charge.refund_list.begin(), charge.refund_list.end(), [&](const domain::Refund& refund) {
        return refund.id == id && refund.status == domain::RefundStatus::kDone &&
               (!reversed || refund.payment == reversed->end_to_end_id);
      });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

Cells refund_row(const RowContext& context, const RecordedEvent& event, const Charge& charge) {
  const auto& zone = context.zone;
  const auto* named = refund_told_by(event, charge);
  const auto of_payment = named ? named->payment : std::nullopt;
  const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(event.event), charge).value();
  return {charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          charge.payment ? Cell(domain::payment_of(charge, of_payment).text()) : Cell(),
          refund.amount.value(),
          details_of(context, charge) ? optional_text(refund.reason) : Cell(),
          time_cell(zone, event.recorded_at),
          event.actor,
          event.request_id.empty() ? Cell() : Cell(event.request_id),
          charge.refunded.value(),
          named ? Cell(named->id.text()) : Cell(),
          named ? text_cell(domain::to_string(named->origin)) : text_cell("merchant"),
          named ? time_cell(zone, named->settled_at) : time_cell(zone, event.recorded_at)};
}

bool is_creation(const RecordedEvent& event) { return fact_of<domain::ChargeCreated>(event) != nullptr; }

bool is_payment(const RecordedEvent& event) {
  return fact_of<domain::ChargePaid>(event) || fact_of<domain::PaymentLeftUnapplied>(event);
}

// The payment time of the charge, for the event that records its payment.
std::optional<Timestamp> charge_paid_at(const RecordedEvent& event, const Charge& charge) {
  const auto* paid = fact_of<domain::ChargePaid>(event);
  const auto* accepted = fact_of<domain::UnappliedPaymentAccepted>(event);
  if ((!paid && !accepted) || !charge.payment) return std::nullopt;
  const auto& id = paid ? paid->end_to_end_id : accepted->end_to_end_id;
  return id == charge.payment->end_to_end_id ? std::optional(charge.payment->paid_at) : std::nullopt;
}

std::optional<Timestamp> payment_paid_at(const RecordedEvent& event, const Charge&) {
  if (const auto* paid = fact_of<domain::ChargePaid>(event)) return paid->paid_at;
  if (const auto* unapplied = fact_of<domain::PaymentLeftUnapplied>(event)) return unapplied->paid_at;
  return std::nullopt;
}

using enum Column::Kind;

// Titles of columns in several tables.
constexpr Title kChargeId{"Cobrança (ID)", "Charge (ID)"};
constexpr Title kProjectId{"Projeto (ID)", "Project (ID)"};
constexpr Title kAmount{"Valor (R$)", "Amount (R$)"};
constexpr Title kEnvironment{"Ambiente", "Environment"};
constexpr Title kStatus{"Situação", "Status"};
constexpr Title kReference{"Referência", "Reference"};
constexpr Title kProduct{"Produto", "Product"};
constexpr Title kQuantity{"Quantidade", "Quantity"};
constexpr Title kOriginDomain{"Domínio de origem", "Origin domain"};
constexpr Title kEndToEndId{"ID da transação Pix (end-to-end)", "End-to-end ID"};
constexpr Title kFee{"Tarifa (R$)", "Fee (R$)"};
constexpr Title kRefunded{"Devolvido (R$)", "Refunded (R$)"};
constexpr Title kCreatedAt{"Criação", "Created at"};
constexpr Title kExpiresAt{"Validade", "Expires at"};
constexpr Title kUpdatedAt{"Última mudança", "Changed at"};
constexpr Title kPaidAt{"Pagamento", "Paid at"};
constexpr Title kRecordedAt{"Registro", "Recorded at"};
constexpr Title kMetadata{"Metadados", "Metadata"};
constexpr Title kSession{"Link de pagamento (ID)", "Payment link (ID)"};

constexpr std::string_view kUnmatched = "UNMATCHED";  // shown in the flag's column

constexpr Title kDay{"Dia", "Day"};
constexpr Title kReportEnvironment{"Ambiente", "Environment"};
constexpr Title kConnection{"Conexão", "Connection"};
constexpr Title kConnectionId{"Conexão (ID)", "Connection (ID)"};

constexpr std::size_t kCustomersKnownMax = 4096;

}  // namespace

bool may_be_refund(const RecordedEvent& event) {
  return fact_of<domain::ChargeRefunded>(event) || fact_of<domain::RefundDone>(event) ||
         fact_of<domain::PaymentReversed>(event);
}

bool may_be_payment(const RecordedEvent& event) {
  return is_payment(event) || fact_of<domain::UnappliedPaymentAccepted>(event);
}

const ChargeTable& charge_table() {
  static const ChargeTable kTable{
      .table = {.title = {"Cobranças", "Charges"},
                .columns = {{"transactionId", kText, kChargeId},
                            {"projectId", kText, kProjectId},
                            {"environment", kText, kEnvironment, kEnvironmentWords},
                            {"status", kText, kStatus, kChargeWords},
                            {"externalId", kText, kReference},
                            {"amountCents", kCents, kAmount},
                            {"product", kText, kProduct},
                            {"quantity", kNumber, kQuantity},
                            {"originDomain", kText, kOriginDomain},
                            {"connectionId", kText, {"Conexão (ID)", "Connection (ID)"}},
                            {"customerId", kText, {"Cliente (ID)", "Customer (ID)"}},
                            {"customerName", kText, {"Cliente", "Customer"}, kCustomerWords},
                            {"document", Column::Kind::kDocument, {"CPF/CNPJ", "CPF/CNPJ"}},
                            {"email", kText, {"E-mail", "E-mail"}},
                            {"phone", kText, {"Telefone", "Phone"}},
                            {"createdAt", kTime, kCreatedAt},
                            {"expiresAt", kTime, kExpiresAt},
                            {"updatedAt", kTime, kUpdatedAt},
                            {"endToEndId", kText, kEndToEndId},
                            {"paidAt", kTime, kPaidAt},
                            {"paidCents", kCents, {"Pago (R$)", "Paid (R$)"}},
                            {"feeCents", kCents, kFee},
                            {"refundedCents", kCents, kRefunded},
                            {"refundedAt", kTime, {"Devolvida em", "Refunded at"}},
                            {"unappliedPayments", kNumber, {"Pagamentos a acertar", "Payments to settle"}},
                            {"paidAmountCents", kCents},  // the API's name; paidCents is the older one
                            {"metadata", kText, kMetadata},
                            {"checkoutSessionId", kText, kSession}}},
      .has_row = is_creation,
      .paid_at = charge_paid_at,
      .row = charge_row};
  return kTable;
}

const ChargeTable& payment_table() {
  static const ChargeTable kTable{
      .table = {.title = {"Pagamentos", "Payments"},
                .columns = {{"endToEndId", kText, kEndToEndId},
                            {"transactionId", kText, kChargeId},
                            {"projectId", kText, kProjectId},
                            {"environment", kText, kEnvironment, kEnvironmentWords},
                            {"amountCents", kCents, kAmount},
                            {"feeCents", kCents, kFee},
                            {"paidAt", kTime, kPaidAt},
                            {"recordedAt", kTime, kRecordedAt},
                            {"flag", kText, {"Ressalva", "Flag"}, kFlagWords},
                            {"outcome", kText, {"Destino", "Outcome"}, kOutcomeWords},
                            {"returnedCents",
                             kCents,
                             {"Devolvido pelo banco (R$)", "Returned by the bank (R$)"}}}},
      .has_row = is_payment,
      .paid_at = payment_paid_at,
      .row = payment_row};
  return kTable;
}

const ChargeTable& refund_table() {
  static const ChargeTable kTable{
      .table = {.title = {"Devoluções", "Refunds"},
                .columns = {{"transactionId", kText, kChargeId},
                            {"projectId", kText, kProjectId},
                            {"environment", kText, kEnvironment, kEnvironmentWords},
                            {"endToEndId", kText, kEndToEndId},
                            {"amountCents", kCents, kAmount},
                            {"reason", kText, {"Motivo", "Reason"}},
                            {"recordedAt", kTime, kRecordedAt},
                            {"actor", kText, {"Quem", "Actor"}},
                            {"requestId", kText, {"Chamada (ID)", "Request (ID)"}},
                            {"refundedCents",
                             kCents,
                             {"Devolvido da cobrança (R$)", "Refunded of the charge (R$)"}},
                            {"refundId", kText, {"Devolução (ID)", "Refund (ID)"}},
                            {"origin", kText, {"Por quem", "Origin"}, kOriginWords},
                            {"settledAt", kTime, {"Concluída em", "Settled at"}}}},
      .has_row = may_be_refund,
      .paid_at = nullptr,
      .row = refund_row};
  return kTable;
}

Cells unmatched_row(const TimeZone& zone, const domain::UnmatchedPayment& payment) {
  return {payment.end_to_end_id.text(),
          Cell(),
          payment.project.text(),
          text_cell(domain::to_string(payment.environment)),
          payment.amount.value(),
          Cell(),
          time_cell(zone, payment.paid_at),
          time_cell(zone, payment.recorded_at),
          text_cell(kUnmatched),
          text_cell(domain::is_open(payment) ? "unmatched" : domain::to_string(payment.state)),
          domain::gone_back(payment).value()};
}

const Table& session_table() {
  static const Table kTable{
      .title = {"Links de pagamento", "Payment links"},
      .columns = {{"checkoutSessionId", kText, kSession},
                  {"projectId", kText, kProjectId},
                  {"environment", kText, kEnvironment, kEnvironmentWords},
                  {"status", kText, kStatus, kSessionWords},
                  {"externalId", kText, kReference},
                  {"amountCents", kCents, kAmount},
                  {"product", kText, kProduct},
                  {"quantity", kNumber, kQuantity},
                  {"originDomain", kText, kOriginDomain},
                  {"transactionId", kText, {"Última cobrança (ID)", "Newest charge (ID)"}},
                  {"paidTransactionId", kText, {"Cobrança paga (ID)", "Paid charge (ID)"}},
                  {"transactions", kNumber, {"Cobranças", "Charges"}},
                  {"createdAt", kTime, kCreatedAt},
                  {"expiresAt", kTime, kExpiresAt},
                  {"updatedAt", kTime, kUpdatedAt},
                  {"metadata", kText, kMetadata}}};
  return kTable;
}

Cells session_row(const TimeZone& zone, const CheckoutSession& session) {
  const auto* newest = domain::newest_charge(session);
  return {session.id.text(),
          session.project.text(),
          text_cell(domain::to_string(session.environment)),
          text_cell(domain::to_string(session.status)),
          session.external_id ? session.external_id->text() : session.id.text(),
          session.amount.value(),
          session.product.text(),
          std::int64_t{session.quantity},
          session.origin_host.text(),
          newest ? Cell(newest->id.text()) : Cell(),
          optional_text(session.paid),
          number_cell(session.charges.size()),
          time_cell(zone, session.created_at),
          time_cell(zone, session.expires_at),
          time_cell(zone, session.updated_at),
          session.metadata.empty() ? Cell() : Cell(session.metadata)};
}

const Table& delivery_table() {
  static const Table kTable{
      .title = {"Entregas de webhooks", "Webhook deliveries"},
      .columns = {{"deliveryId", kText, {"Entrega (ID)", "Delivery (ID)"}},
                  {"channelId", kText, {"Canal (ID)", "Channel (ID)"}},
                  {"projectId", kText, kProjectId},
                  {"transactionId", kText, kChargeId},
                  {"environment", kText, kEnvironment, kEnvironmentWords},
                  {"event", kText, {"Evento", "Event"}},
                  {"apiVersion", kText, {"Versão", "Version"}},
                  {"sequence", kNumber, {"Sequência", "Sequence"}},
                  {"position", kNumber, {"Posição no registro", "Position in the ledger"}},
                  {"status", kText, kStatus, kDeliveryWords},
                  {"attempts", kNumber, {"Tentativas", "Attempts"}},
                  {"createdAt", kTime, kCreatedAt},
                  {"nextAttemptAt", kTime, {"Próxima tentativa", "Next attempt"}}}};
  return kTable;
}

Cells delivery_row(const TimeZone& zone, const Delivery& delivery) {
  return {delivery.id.text(),
          delivery.channel.text(),
          delivery.project.text(),
          optional_text(delivery.charge),
          text_cell(domain::to_string(delivery.environment)),
          text_cell(event_name(delivery)),
          text_cell(domain::to_string(delivery.version)),
          std::int64_t{delivery.sequence},
          number_cell(delivery.position.value()),
          text_cell(to_string(delivery.status)),
          number_cell(delivery.attempts),
          time_cell(zone, delivery.created_at),
          time_cell(zone, delivery.next_attempt_at)};
}

const Table& report_table() {
  static const Table kTable{.title = {"Relatório", "Report"},
                            .columns = {{"day", kTime, kDay},
                                        {"environment", kText, kReportEnvironment, kEnvironmentWords},
                                        {"connection", kText, kConnection},
                                        {"connectionId", kText, kConnectionId},
                                        {"status", kText, {"Situação", "Status"}, kChargeWords},
                                        {"count", kNumber, {"Quantidade", "Count"}},
                                        {"amountCents", kCents, {"Valor (R$)", "Amount (R$)"}},
                                        {"paidCents", kCents, {"Pago (R$)", "Paid (R$)"}},
                                        {"refundedCents", kCents, {"Devolvido (R$)", "Refunded (R$)"}},
                                        {"feeCents", kCents, {"Tarifa (R$)", "Fee (R$)"}},
                                        {"asideCents", kCents, {"A acertar (R$)", "To settle (R$)"}}}};
  return kTable;
}

const Table& statement_table() {
  static const Table kTable{
      .title = {"Extrato", "Statement"},
      .columns = {{"day", kTime, kDay},
                  {"environment", kText, kReportEnvironment, kEnvironmentWords},
                  {"connection", kText, kConnection},
                  {"connectionId", kText, kConnectionId},
                  {"openingCents", kCents, {"Saldo inicial (R$)", "Opening (R$)"}},
                  {"inCents", kCents, {"Entradas (R$)", "In (R$)"}},
                  {"feeCents", kCents, {"Tarifas (R$)", "Fees (R$)"}},
                  {"refundedCents", kCents, {"Devoluções (R$)", "Refunds (R$)"}},
                  {"returnedCents", kCents, {"Devolvido sem cobrança (R$)", "Returned unapplied (R$)"}},
                  {"closingCents", kCents, {"Saldo final (R$)", "Closing (R$)"}}}};
  return kTable;
}

const domain::Customer* CustomerDirectory::find(const domain::CustomerId& id) {
  auto found = known_.find(id.text());
  if (found == known_.end()) {
    auto stream = log_.claim_holder(domain::customer_claim(id));
    if (!stream) return nullptr;
    if (known_.size() >= kCustomersKnownMax) known_.clear();
    found = known_.emplace(id.text(), Known{.stream = *std::move(stream), .customer = std::nullopt}).first;
  }
  auto& known = found->second;
  // An erasure is an event of the stream, so it changes the version.
  if (const auto version = log_.version_of(known.stream); version != known.version) {
    known.customer = eventstore::find_customer(log_, id, as_of_);
    known.version = version;
  }
  return known.customer ? &*known.customer : nullptr;
}

}  // namespace pixledger::stores
