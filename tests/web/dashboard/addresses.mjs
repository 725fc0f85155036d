// Where every page is: [path, how it is opened], of a fake API.
export function pagesOfPayments({ worlds: { live, sandbox } }) {
  const charge = (status) => `/cobrancas/${live.transactions.find((each) => each.status === status).id}`;
  return [
    ["/entrar", { signedIn: false }], ["/#/convite/abc", { signedIn: false }], ["/"], ["/?dias=90"], ["/cobrancas"], ["/cobrancas?status=paid&amountMin=5000&search=zzz"],
    ["/cobrancas/nova"], [charge("waiting_payment")], [charge("paid")], [charge("refunded")], [`${charge("paid")}?asOf=2026-11-20T12:00:00.000Z`],
    [`/cobrancas/${live.transactions[2].id}`], [`/cobrancas/${sandbox.transactions[0].id}`, { environment: "sandbox" }], [`/cobrancas/${sandbox.transactions[0].id}`],
    ["/clientes"], [`/clientes/${live.customers[5].id}`], ["/bloqueios"], ["/conciliacao"], ["/busca?q=ana"], ["/busca?q=nothing-of-this"], ["/seguranca"], ["/nowhere"],
  ];
}

export const pagesOfOperations = ({ channels }) => ["/webhooks", `/webhooks/${channels[0].id}`, `/webhooks/${channels[1].id}?status=failed`, "/eventos", "/requisicoes",
  "/requisicoes?codigo=ERR_TRANSACTION_001", "/conexoes", "/chaves", "/equipe", "/loja", "/exportar", "/auditoria", "/docs", "/docs?busca=cnpj",
  "/docs?operacao=createTransaction", "/docs?operacao=listEvents", "/docs?operacao=onTransactionPaid", "/docs?operacao=none", "/docs?codigo=todos"].map((path) => [path]);
