#pragma once

#include <array>

#include "stores/exports/table.h"

// What the exported tables call the service's own words in Portuguese, by what they are said of.
namespace pixledger::stores {

inline constexpr std::array kEnvironmentWords = {Word{"live", "produção"}};  // and sandbox, in any language

// Of charges; a report has among them what is kept aside.
inline constexpr std::array kChargeWords = {Word{"waiting_payment", "aguardando pagamento"},
                                            Word{"processing", "em análise"},
                                            Word{"paid", "paga"},
                                            Word{"expired", "expirada"},
                                            Word{"cancelled", "cancelada"},
                                            Word{"refunded", "devolvida"},
                                            Word{"failed", "falhou"},
                                            Word{"unapplied", "a acertar"},
                                            Word{"unmatched", "sem cobrança"}};

inline constexpr std::array kSessionWords = {Word{"open", "aberto"}, Word{"complete", "concluído"},
                                             Word{"expired", "expirado"}, Word{"cancelled", "cancelado"}};

inline constexpr std::array kFlagWords = {
    Word{"PAID_AFTER_EXPIRY", "pago depois de expirar"}, Word{"PAID_AFTER_CLOSE", "pago depois de encerrada"},
    Word{"DUPLICATE_PAYMENT", "pagamento repetido"}, Word{"AMOUNT_MISMATCH", "valor diferente do cobrado"},
    Word{"UNMATCHED", "sem cobrança"}};

inline constexpr std::array kOutcomeWords = {Word{"applied", "aplicado à cobrança"},
                                             Word{"unapplied", "a acertar"},
                                             Word{"unmatched", "a acertar"},
                                             Word{"assigned", "atribuído a uma cobrança"},
                                             Word{"closed", "encerrado"},
                                             Word{"returning", "devolução pedida"},
                                             Word{"returned", "devolvido"}};

inline constexpr std::array kOriginWords = {Word{"bank", "banco"}, Word{"merchant", "loja"}};

inline constexpr std::array kDeliveryWords = {Word{"pending", "pendente"}, Word{"delivered", "entregue"},
                                              Word{"failed", "falhou"}, Word{"exhausted", "esgotada"}};

inline constexpr std::array kCustomerWords = {Word{"erased", "(apagado)"}};

}  // namespace pixledger::stores
