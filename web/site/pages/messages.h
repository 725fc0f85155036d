#pragma once

#include <string_view>

#include "web/common/payer_session.h"

// All texts that payers read, in both languages.
namespace pixledger::web {

struct Message {
  std::string_view portuguese;
  std::string_view english;

  constexpr std::string_view in(Language language) const {
    return language == Language::kEnglish ? english : portuguese;
  }
};

namespace messages {

// The texts of the values of `data-state`; their wording is fixed.
inline constexpr Message kForm{"Seus dados", "Your details"};
inline constexpr Message kWaiting{"Aguardando pagamento", "Waiting for payment"};
inline constexpr Message kProcessing{"Pagamento em análise", "Payment being checked"};
inline constexpr Message kPaid{"Pago", "Paid"};
inline constexpr Message kReview{"Recebemos; a loja vai confirmar ou devolver",
                                 "We have it; the shop will confirm or return it"};
inline constexpr Message kExpired{"Expirado", "Expired"};
inline constexpr Message kCancelled{"Cancelado", "Cancelled"};
inline constexpr Message kFailed{"Não foi possível concluir", "It could not be completed"};
inline constexpr Message kRefunded{"Devolvido", "Refunded"};
inline constexpr Message kPartiallyRefunded{"Devolvido em parte", "Partly refunded"};
// If no bank moves the refund: what the shop says it did or will do.
inline constexpr Message kRefundRecorded{"Devolução registrada pela loja", "Refund recorded by the shop"};
inline constexpr Message kPartRefundRecorded{"Devolução parcial registrada pela loja",
                                             "Partial refund recorded by the shop"};
inline constexpr Message kGone{"Este link não existe mais", "This link does not exist any more"};

inline constexpr Message kName{"Nome", "Name"};
inline constexpr Message kDocument{"CPF ou CNPJ", "CPF or CNPJ"};
inline constexpr Message kEmail{"E-mail", "E-mail"};
inline constexpr Message kPhone{"Telefone", "Phone"};
inline constexpr Message kToCode{"Continuar para o Pix", "Continue to Pix"};
inline constexpr Message kWrongName{"Confira o nome", "Check the name"};
inline constexpr Message kWrongDocument{"Confira o CPF ou CNPJ", "Check the CPF or CNPJ"};
inline constexpr Message kWrongEmail{"Confira o e-mail", "Check the e-mail"};
inline constexpr Message kWrongPhone{"Confira o telefone, com DDD", "Check the phone, with its area code"};
inline constexpr Message kWrongForm{"Confira o que está marcado abaixo", "Check what is marked below"};

inline constexpr Message kCodeComing{"O código está sendo gerado. Leva alguns segundos.",
                                     "The code is being generated. It takes a few seconds."};
inline constexpr Message kCopy{"Copiar código Pix", "Copy Pix code"};
inline constexpr Message kCopied{"Código copiado", "Code copied"};
inline constexpr Message kNotCopied{
    "O navegador não deixou copiar. O código abaixo está selecionado: toque e segure nele e escolha Copiar.",
    "The browser did not allow copying. The code below is selected: touch and hold it and choose Copy."};
inline constexpr Message kCode{"Código Pix", "Pix code"};
inline constexpr Message kQr{"QR code do Pix", "Pix QR code"};
inline constexpr Message kHow{"Como pagar", "How to pay"};
inline constexpr Message kStepCopy{"Copie o código, ou leia o QR code com outro celular.",
                                   "Copy the code, or scan the QR code with another phone."};
inline constexpr Message kStepPay{"No aplicativo do seu banco, escolha Pix e depois Pix copia e cola.",
                                  "In your bank's app, choose Pix and then Pix copia e cola."};
inline constexpr Message kStepReturn{"Confira o valor, pague e volte: esta página se atualiza sozinha.",
                                     "Check the amount, pay and come back: this page updates itself."};
inline constexpr Message kReceiver{"Quem recebe, como seu banco mostra", "Receiver, as your bank shows it"};
inline constexpr Message kOrder{"Pedido", "Order"};
inline constexpr Message kTimeLeft{"O código expira em", "The code expires in"};
inline constexpr Message kValidUntil{"Válido até", "Valid until"};
inline constexpr Message kAlreadyPaid{"Já paguei", "I have paid"};
inline constexpr Message kLooking{"Verificando…", "Checking…"};
inline constexpr Message kNotLooked{
    "Não conseguimos verificar agora. Se você já pagou, não pague de novo; confira a internet e toque outra "
    "vez.",
    "We could not check right now. If you have paid, do not pay again; check your internet and try again."};
inline constexpr Message kOffline{
    "Você está sem internet. Esta página pode estar desatualizada; se já pagou, não pague de novo.",
    "You are offline. This page may be out of date; if you have paid, do not pay again."};
inline constexpr Message kOutOfReach{
    "Sem contato com a página de pagamento. Tentando de novo; se já pagou, não pague de novo.",
    "The payment page cannot be reached. Trying again; if you have paid, do not pay again."};
inline constexpr Message kBackOnline{"A conexão voltou. Esta página está atualizada.",
                                     "Connected again. This page is up to date."};
inline constexpr Message kNotSeen{
    "Ainda não vimos o pagamento. Costuma levar segundos. Guarde o comprovante do seu banco e não pague de "
    "novo.",
    "We have not seen the payment yet. It usually takes seconds. Keep your bank's receipt and do not pay "
    "again."};
inline constexpr Message kSimulate{"Simular pagamento", "Simulate payment"};
inline constexpr Message kSandbox{"Ambiente de testes: nenhum dinheiro é movido",
                                  "Test environment: no money is moved"};

inline constexpr Message kPaidThanks{"Recebemos seu pagamento.", "We have received your payment."};
inline constexpr Message kProcessingMore{"A loja recebeu seu pagamento e vai confirmá-lo. Não pague de novo.",
                                         "The shop has your payment and will confirm it. Do not pay again."};
inline constexpr Message kReviewMore{
    "O valor ou o horário não era o combinado. Não pague de novo; guarde o comprovante do seu banco.",
    "The amount or the time was not what was agreed. Do not pay again; keep your bank's receipt."};
inline constexpr Message kExpiredMore{"O código não vale mais. Se você já pagou, não pague de novo.",
                                      "The code is no longer valid. If you have paid, do not pay again."};
inline constexpr Message kTimeIsOver{
    "O prazo deste pagamento terminou. Se ainda quer pagar, fale com a loja.",
    "The time for this payment is over. If you still want to pay, contact the shop."};
inline constexpr Message kIfPaid{"Se você já pagou, não pague de novo: fale com a loja.",
                                 "If you have paid, do not pay again: contact the shop."};
inline constexpr Message kNewCode{"Gerar novo código", "New code"};
inline constexpr Message kNoMoreCodes{"Não é possível gerar outro código. Fale com a loja.",
                                      "No other code can be generated. Contact the shop."};
inline constexpr Message kContactShop{"Fale com a loja", "Contact the shop"};
inline constexpr Message kSupport{"Ajuda da loja", "The shop's support"};
inline constexpr Message kCameAmount{"Valor recebido", "Amount received"};
inline constexpr Message kAskedAmount{"Valor da cobrança", "Amount charged"};
inline constexpr Message kRefundedAmount{"Valor devolvido", "Amount refunded"};
inline constexpr Message kRefundMoved{"O dinheiro volta para a conta de onde saiu o Pix.",
                                      "The money goes back to the account that paid."};
inline constexpr Message kRefundNotMoved{
    "Quem envia o dinheiro é a loja, pelo banco dela. Se ele não chegar, fale com a loja.",
    "The shop sends the money itself, from its bank. If it does not arrive, contact the shop."};
inline constexpr Message kRefundedByShop{"Valor registrado", "Amount recorded"};
inline constexpr Message kBack{"Voltar para a loja", "Back to the shop"};
inline constexpr Message kReturning{"Voltando para a loja em", "Returning to the shop in"};
inline constexpr Message kStay{"Ficar nesta página", "Stay on this page"};

inline constexpr Message kReceipt{"Comprovante", "Receipt"};
inline constexpr Message kShare{"Compartilhar", "Share"};
inline constexpr Message kPrint{"Imprimir", "Print"};
inline constexpr Message kProof{"Prova criptográfica (JSON)", "Cryptographic proof (JSON)"};
inline constexpr Message kAmount{"Valor", "Amount"};
inline constexpr Message kPaidAt{"Pago em", "Paid at"};
inline constexpr Message kEndToEndId{"ID da transação", "Transaction ID"};
inline constexpr Message kPaidTo{"Recebido por", "Paid to"};
inline constexpr Message kPayer{"Cliente", "Customer"};
inline constexpr Message kAbout{"Descrição", "Description"};
inline constexpr Message kReference{"Cobrança", "Charge"};
inline constexpr Message kBackToPage{"Voltar", "Back"};

inline constexpr Message kGoneMore{"Confira o endereço, ou peça um novo link à loja.",
                                   "Check the address, or ask the shop for a new link."};
inline constexpr Message kUnavailable{"Não foi possível carregar agora",
                                      "This page cannot be loaded right now"};
inline constexpr Message kUnavailableMore{
    "Tentamos de novo em alguns segundos. Se você já pagou, não pague de novo.",
    "Trying again in a few seconds. If you have paid, do not pay again."};
inline constexpr Message kNotKnownMore{
    "Não sabemos se os seus dados chegaram. Tente de novo; se você já pagou, não pague de novo.",
    "We do not know whether your details arrived. Try again; if you have paid, do not pay again."};
inline constexpr Message kTryAgain{"Tentar de novo", "Try again"};
inline constexpr Message kTooMany{"Muitas tentativas", "Too many attempts"};
inline constexpr Message kTooManyMore{"Espere um minuto e tente de novo.", "Wait a minute and try again."};
inline constexpr Message kRefused{"Esta solicitação veio de outra página",
                                  "This request came from another page"};
inline constexpr Message kRefusedMore{"Abra o link de pagamento e tente de novo.",
                                      "Open the payment link and try again."};
inline constexpr Message kOtherLanguage{"English", "Português"};

}  // namespace messages

// The text for the session's state.
const Message& words_of(const PayerSession& session);

}  // namespace pixledger::web
