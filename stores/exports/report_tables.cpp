#include "stores/exports/report_tables.h"

#include "stores/exports/words.h"

namespace pixledger::stores {
namespace {

using enum Column::Kind;

constexpr Title kDay{"Dia", "Day"};
constexpr Title kReportEnvironment{"Ambiente", "Environment"};
constexpr Title kConnection{"Conexão", "Connection"};
constexpr Title kConnectionId{"Conexão (ID)", "Connection (ID)"};

}  // namespace

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

}  // namespace pixledger::stores
