#include "stores/accounting/statement_heading.h"

#include <algorithm>

#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {
namespace {

using Names = std::vector<std::string_view>;

// Names of columns, in words_of; the first has precedence.
const Names kIdNames{"endtoendid",
                     "end to end id",
                     "end to end",
                     "e2eid",
                     "e2e id",
                     "e2e",
                     "id e2e",
                     "id end to end",
                     "endtoend",
                     "id endtoend",
                     "identificador end to end",
                     "codigo end to end",
                     "id da transacao pix",
                     "id transacao pix",
                     "id pix"};
const Names kCentsNames{"amountcents", "amount cents", "valor em centavos", "valor centavos", "centavos"};
const Names kAmountNames{"amount",
                         "transaction net amount",
                         "valor",
                         "valor r",
                         "valor rs",
                         "valor brl",
                         "valor pago",
                         "valor recebido",
                         "valor da transacao",
                         "valor transacao",
                         "valor do lancamento",
                         "valor lancamento",
                         "valor do pix",
                         "valor pix",
                         "valor bruto",
                         "quantia",
                         "montante",
                         "value",
                         "gross amount"};
const Names kCreditNames{"credito",  "creditos",  "credito r",     "entrada",
                         "entradas", "entrada r", "valor credito", "credit"};
const Names kDebitNames{"debito", "debitos", "debito r",     "saida",
                        "saidas", "saida r", "valor debito", "debit"};
const Names kTimeNames{"paidat",
                       "release date",
                       "paid at",
                       "data hora",
                       "data e hora",
                       "datahora",
                       "data hora do pagamento",
                       "data hora da transacao",
                       "data hora transacao",
                       "data do pagamento",
                       "data pagamento",
                       "data de pagamento",
                       "data da transacao",
                       "data transacao",
                       "data do lancamento",
                       "data lancamento",
                       "data movimento",
                       "data do movimento",
                       "data mov",
                       "data",
                       "dt lancamento",
                       "date",
                       "datetime",
                       "date time",
                       "paid on",
                       "horario"};
const Names kClockNames{"hora", "horario", "time"};
const Names kTxidNames{"txid", "tx id", "id da cobranca", "id cobranca", "identificador da cobranca"};
const Names kReturnNames{"returnid", "return id", "rtrid", "rtr id", "id devolucao", "id da devolucao"};
const Names kSignNames{"c d",
                       "d c",
                       "dc",
                       "cd",
                       "d ou c",
                       "c ou d",
                       "credito debito",
                       "debito credito",
                       "debito ou credito",
                       "credito ou debito",
                       "deb cred",
                       "cred deb",
                       "debcred",
                       "creddeb",
                       "indicador d c",
                       "indicador dc",
                       "sinal",
                       "sentido",
                       "direcao",
                       "entrada saida",
                       "entrada ou saida",
                       "e s"};
const Names kKindNames{"tipo",
                       "type",
                       "tipo de lancamento",
                       "tipo lancamento",
                       "tipo do lancamento",
                       "tipo de operacao",
                       "tipo operacao",
                       "tipo da operacao",
                       "tipo de movimento",
                       "tipo movimento",
                       "tipo de movimentacao",
                       "tipo movimentacao",
                       "tipo de transacao",
                       "tipo transacao",
                       "tipo da transacao",
                       "operacao",
                       "movimentacao",
                       "movimento",
                       "natureza",
                       "natureza da operacao",
                       "natureza do lancamento"};

const Names kStateNames{"situacao",
                        "status",
                        "state",
                        "estado",
                        "situacao da transacao",
                        "situacao do pagamento",
                        "situacao do lancamento",
                        "situacao do pix",
                        "situacao da operacao",
                        "situacao da cobranca",
                        "status da transacao",
                        "status transacao",
                        "status do pagamento",
                        "status pagamento",
                        "status do lancamento",
                        "status do pix",
                        "status pix",
                        "status da operacao",
                        "status da cobranca",
                        "estado da transacao",
                        "transaction status",
                        "payment status"};
const Names kCurrencyNames{
    "moeda", "currency", "currency id", "codigo da moeda", "transaction currency", "settlement currency"};

// Columns that name a person; a name may contain any word.
const Names kPartyNames{"nome",
                        "nome do pagador",
                        "nome pagador",
                        "pagador",
                        "payer",
                        "payer name",
                        "name",
                        "customer",
                        "customer name",
                        "cliente",
                        "nome do cliente",
                        "nome cliente",
                        "nome completo",
                        "comprador",
                        "devedor",
                        "nome do devedor",
                        "sacado",
                        "remetente",
                        "nome do remetente",
                        "nome remetente",
                        "contraparte",
                        "nome da contraparte",
                        "nome contraparte",
                        "favorecido",
                        "nome do favorecido",
                        "nome favorecido",
                        "beneficiario",
                        "nome do beneficiario",
                        "destinatario",
                        "nome do destinatario",
                        "origem",
                        "origem destino",
                        "remetente destinatario",
                        "pagador recebedor",
                        "titular",
                        "participante",
                        "pessoa",
                        "razao social",
                        "nome razao social",
                        "from",
                        "counterparty"};

bool is_one_of(std::string_view word, const Names& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

// Without control characters.
std::string name_of(std::string_view cell) {
  const auto name = shown(cell);
  return name.substr(1, name.size() - 2);
}

}  // namespace

StatementHeading heading_of(const std::vector<std::string>& cells, std::size_t line, std::string_view text) {
  constexpr std::size_t kWayColumnsMax = 4;  // of each kind
  std::vector<std::string> words;
  for (const auto& cell : cells) words.push_back(words_of(cell));
  // As it is unclear which is meant, no two columns have one name.
  const auto place = [&](const Names& names) {
    for (const auto name : names) {
      const auto found = std::find(words.begin(), words.end(), name);
      if (found == words.end()) continue;
      const auto at = static_cast<std::size_t>(found - words.begin());
      if (std::find(found + 1, words.end(), name) != words.end())
        refuse_line(line, "two columns are called " + name_of(cells[at]) + ": keep one of them", text);
      return at;
    }
    return kAbsent;
  };
  const auto time = place(kTimeNames);
  if (time == kAbsent) return {};
  StatementHeading heading{.id = place(kIdNames),
                           .cents = place(kCentsNames),
                           .amount = place(kAmountNames),
                           .credit = place(kCreditNames),
                           .debit = place(kDebitNames),
                           .time = time,
                           .txid = place(kTxidNames),
                           .return_id = place(kReturnNames)};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_one_of(words[i], kSignNames) && heading.signs.size() < kWayColumnsMax) heading.signs.push_back(i);
    if (is_one_of(words[i], kKindNames) && heading.kinds.size() < kWayColumnsMax) heading.kinds.push_back(i);
    if (is_one_of(words[i], kStateNames) && heading.states.size() < kWayColumnsMax)
      heading.states.push_back(i);
    if (is_one_of(words[i], kCurrencyNames)) heading.currencies.push_back(i);
    heading.names.push_back(name_of(cells[i]));
  }
  heading.clock = place(kClockNames);
  if (heading.clock == heading.time) heading.clock = kAbsent;
  heading.columns = words.size();
  while (heading.columns > 0 && words[heading.columns - 1].empty()) --heading.columns;
  std::size_t known = heading.signs.size() + heading.kinds.size();
  for (const auto at : {heading.id, heading.cents, heading.amount, heading.credit, heading.debit,
                        heading.time, heading.clock, heading.txid, heading.return_id})
    if (at != kAbsent) ++known;
  heading.texts = heading.columns > known ? heading.columns - known : 0;
  for (const auto& name : words) heading.parties.push_back(is_one_of(name, kPartyNames));
  return heading;
}

}  // namespace pixledger::stores
