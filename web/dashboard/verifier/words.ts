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
  receiptHint: "O texto que a API ou “pixledger prove” deu.",
  receiptFile: "Abrir arquivo de recibo",
  key: "Chave pública do livro-razão",
  keyHint: "A linha de “pixledger checkpoint --public-key”. Peça-a uma vez a quem opera o serviço e compare sempre.",
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
    ChargeFailed: "Falhou", ChargeRefunded: "Devolvida", PaymentLeftUnapplied: "Pagamento que não coube", UnappliedPaymentAccepted: "Pagamento aceito", UnappliedPaymentAdded: "Pagamento somado",
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
  receiptHint: "The text that the API or “pixledger prove” gave.",
  receiptFile: "Open a receipt's file",
  key: "Public key of the ledger",
  keyHint: "The line of “pixledger checkpoint --public-key”. Get it once from who operates the service, and always compare it.",
  keyWrong: "This is no public key of a ledger.",
  check: "Verify receipt",
  checking: "Verifying…",
  holds: "The proof holds.",
  fails: "The proof does not hold.",
  unavailable: "This browser does cryptography on pages of https, on localhost and in a saved file alone.",
  transaction: "Charge",
  status: "Status",
  events: "Events",
  ledger: "Ledger",
  treeSize: "Events in the ledger",
  root: "Root of the tree",
  proves: "The ledger that signed this root holds these events of the charge, from its first on without a gap.",
  provesLength: "It also signed that there were no others as of that root. A receipt cannot tell of later ones.",
  lacksLength: "This receipt is of an old release and does not say how many events there are: its last ones may be missing.",
  withoutPersonal: "Events whose personal data were erased",
  when: "When",
  what: "What happened",
  amount: "Amount",
  who: "Who",
  place: "Where:",
  reasons: {
    malformed_receipt: "This is not a receipt: a field is missing, one is too many, or the text is no JSON.",
    not_signed: "The receipt's checkpoint is not signed by this key.",
    not_included: "An event is not what the ledger has at that position.",
    personal_data_differ: "An event was recorded with other personal data.",
    unreadable_event: "An event means nothing to this release.",
    wrong_event: "An event is of another charge or out of order, or there are no events.",
    shown_differs: "A field that is shown is not what the bytes of the event say.",
    incomplete: "Events of the charge are missing: the checkpoint was signed for another number, or for something else.",
  },
  types: {
    ChargeCreated: "Charge created", ChargePaid: "Paid", ChargeProcessingStarted: "Processing", ChargeExpired: "Expired", ChargeCancelled: "Cancelled",
    ChargeFailed: "Failed", ChargeRefunded: "Refunded", PaymentLeftUnapplied: "Payment that did not fit", UnappliedPaymentAccepted: "Payment accepted", UnappliedPaymentAdded: "Payment added",
    UnappliedPaymentReturned: "Payment returned", ChargeCodeSet: "Pix code set", ChargeCancelRequested: "Cancelling requested",
    ChargeCancelDropped: "Cancelling dropped", RefundRequested: "Refund requested", RefundDone: "Refund done", RefundFailed: "Refund failed",
    PaymentReversed: "Payment reversed", UnappliedReturnRequested: "Return requested", UnappliedReturnFailed: "Return failed",
    UnappliedPaymentReversed: "Payment reversed",
  },
  statuses: {
    waiting_payment: "waiting for payment", processing: "processing", paid: "paid", expired: "expired", cancelled: "cancelled", refunded: "refunded", failed: "failed",
  },
};

export const wordsOf = (language: string): Words => (language.startsWith("en") ? en : pt);
