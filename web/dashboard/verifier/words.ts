// The verifier's texts, which it contains itself, since it also runs alone in a file.
import type { Reason } from "./receipt";

export interface Words {
  title: string;
  lead: string;
  receipt: string;
  receiptHint: string;
  receiptFile: string;
  key: string;
  keyHint: string;
  keyWrong: string;
  check: string;
  checking: string;
  holds: string;
  fails: string;
  unavailable: string;
  transaction: string;
  status: string;
  events: string;
  ledger: string;
  treeSize: string;
  root: string;
  proves: string;
  provesLength: string;
  lacksLength: string;
  withoutPersonal: string;
  when: string;
  what: string;
  amount: string;
  who: string;
  place: string;
  reasons: Record<Reason, string>;
  types: Record<string, string>;
  statuses: Record<string, string>;
}

const pt: Words = {
  title: "Verificador de recibos",
  lead: "Confere um recibo com a chave pública do livro-razão. Nada sai deste navegador.",
  receipt: "Recibo",
  receiptHint: "O texto que a API ou “pixledger prove” gerou.",
  receiptFile: "Abrir arquivo de recibo",
  key: "Chave pública do livro-razão",
  keyHint: "A linha de “pixledger checkpoint --public-key”. Peça-a uma vez ao operador do serviço e compare sempre.",
  keyWrong: "Isto não é uma chave pública do livro-razão.",
  check: "Verificar recibo",
  checking: "Verificando…",
  holds: "A prova confere.",
  fails: "A prova não confere.",
  unavailable: "Este navegador só faz contas de criptografia em páginas https, em localhost ou num arquivo salvo.",
  transaction: "Cobrança",
  status: "Situação",
  events: "Eventos",
  ledger: "Livro-razão",
  treeSize: "Eventos no livro-razão",
  root: "Raiz da árvore",
  proves: "O livro-razão que assinou esta raiz contém estes eventos da cobrança, do primeiro em diante, sem lacuna.",
  provesLength: "Ele também assinou que não havia outros até ali. Um recibo nada diz de eventos posteriores.",
  lacksLength: "Este recibo é de uma versão antiga e não diz quantos eventos há: os últimos podem faltar.",
  withoutPersonal: "Eventos cujos dados pessoais foram apagados",
  when: "Quando",
  what: "O que aconteceu",
  amount: "Valor",
  who: "Quem",
  place: "Onde:",
  reasons: {
    malformed_receipt: "Isto não é um recibo: falta um campo, sobra um, ou o texto não é JSON.",
    not_signed: "O checkpoint do recibo não foi assinado por esta chave.",
    not_included: "Um evento não é o que o livro-razão tem nessa posição.",
    personal_data_differ: "Um evento foi registrado com outros dados pessoais.",
    unreadable_event: "Um evento não pode ser lido por esta versão.",
    wrong_event: "Um evento é de outra cobrança, está fora de ordem ou não há nenhum.",
    shown_differs: "Um campo mostrado não é o que os bytes do evento dizem.",
    incomplete: "Faltam eventos da cobrança: o checkpoint foi assinado para outro número, ou para outra coisa.",
  },
  types: {
    ChargeCreated: "Cobrança criada", ChargePaid: "Paga", ChargeProcessingStarted: "Em análise", ChargeExpired: "Expirada", ChargeCancelled: "Cancelada",
    ChargeFailed: "Falhou", ChargeRefunded: "Devolvida", PaymentLeftUnapplied: "Pagamento fora do esperado", UnappliedPaymentAccepted: "Pagamento aceito", UnappliedPaymentAdded: "Pagamento somado",
    UnappliedPaymentReturned: "Pagamento devolvido", ChargeCodeSet: "Código Pix definido", ChargeCancelRequested: "Cancelamento pedido",
    ChargeCancelDropped: "Cancelamento desfeito", RefundRequested: "Devolução pedida", RefundDone: "Devolução feita", RefundFailed: "Devolução falhou",
    PaymentReversed: "Pagamento estornado", UnappliedReturnRequested: "Devolução pedida", UnappliedReturnFailed: "Devolução falhou",
    UnappliedPaymentReversed: "Pagamento estornado",
  },
  statuses: {
    waiting_payment: "aguardando pagamento", processing: "em análise", paid: "paga", expired: "expirada", cancelled: "cancelada", refunded: "devolvida", failed: "falhou",
  },
};

const en: Words = {
  title: "Receipt verifier",
  lead: "Checks a receipt with the ledger's public key. Nothing leaves this browser.",
  receipt: "Receipt",
  receiptHint: "The text from the API or from “pixledger prove”.",
  receiptFile: "Open a receipt file",
  key: "Public key of the ledger",
  keyHint: "The line of “pixledger checkpoint --public-key”. Get it once from the service operator, and always compare it.",
  keyWrong: "This is not a ledger public key.",
  check: "Verify receipt",
  checking: "Verifying…",
  holds: "The proof holds.",
  fails: "The proof does not hold.",
  unavailable: "This browser allows cryptography only on https pages, on localhost or in a saved file.",
  transaction: "Charge",
  status: "Status",
  events: "Events",
  ledger: "Ledger",
  treeSize: "Events in the ledger",
  root: "Tree root",
  proves: "The ledger that signed this root contains these events of the charge, from the first one on, without gaps.",
  provesLength: "It also signed that there were no other events up to that root. A receipt says nothing about later ones.",
  lacksLength: "This receipt comes from an old release and does not say how many events there are: the last ones may be missing.",
  withoutPersonal: "Events whose personal data was erased",
  when: "When",
  what: "What happened",
  amount: "Amount",
  who: "Who",
  place: "Where:",
  reasons: {
    malformed_receipt: "This is not a receipt: a field is missing or unknown, or the text is not JSON.",
    not_signed: "The receipt's checkpoint is not signed by this key.",
    not_included: "An event is not what the ledger has at that position.",
    personal_data_differ: "An event was recorded with other personal data.",
    unreadable_event: "This release cannot read an event.",
    wrong_event: "An event belongs to another charge or is out of order, or there are no events.",
    shown_differs: "A field shown is not what the bytes of the event say.",
    incomplete: "Events of the charge are missing: the checkpoint was signed for another number, or for something else.",
  },
  types: {
    ChargeCreated: "Charge created", ChargePaid: "Paid", ChargeProcessingStarted: "Processing", ChargeExpired: "Expired", ChargeCancelled: "Cancelled",
    ChargeFailed: "Failed", ChargeRefunded: "Refunded", PaymentLeftUnapplied: "Unexpected payment", UnappliedPaymentAccepted: "Payment accepted", UnappliedPaymentAdded: "Payment added",
    UnappliedPaymentReturned: "Payment returned", ChargeCodeSet: "Pix code set", ChargeCancelRequested: "Cancellation requested",
    ChargeCancelDropped: "Cancellation dropped", RefundRequested: "Refund requested", RefundDone: "Refund done", RefundFailed: "Refund failed",
    PaymentReversed: "Payment reversed", UnappliedReturnRequested: "Return requested", UnappliedReturnFailed: "Return failed",
    UnappliedPaymentReversed: "Payment reversed",
  },
  statuses: {
    waiting_payment: "waiting for payment", processing: "processing", paid: "paid", expired: "expired", cancelled: "cancelled", refunded: "refunded", failed: "failed",
  },
};

export const wordsOf = (language: string): Words => (language.startsWith("en") ? en : pt);
