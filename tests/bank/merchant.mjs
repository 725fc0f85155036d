// pixledger before a bank, and a merchant whose live charges go through that bank.
import { Service } from '../oracles/api/service.mjs';

// told: the bank's, as startBank returns it. The caller stops the merchant's service.
export async function openMerchant(told, ...serverOptions) {
  const { client, ca, baseUrl, tokenUrl } = told;
  const service = new Service();
  await service.start(...serverOptions);
  const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
  const merchant = {
    psp: 'generic',
    service,
    project,
    // A connection to the bank's account; its id.
    connect: async (alias, ...options) => {
      const { connectionId } = await service.pixledger(
        ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', alias],
        ...['--provider', 'api-pix', '--psp', merchant.psp, '--base-url', baseUrl, '--token-url', tokenUrl],
        ...['--pix-key', client.pixKey, '--client-id', client.clientId],
        ...['--client-secret-file', client.clientSecretFile, '--cert', client.certificate, '--key', client.key],
        ...options,
      );
      return connectionId;
    },
    startProviders: (...options) => service.startProviders('--ca-file', ca, ...options),
    // {status, text} and the answer's members. `headers`: more of them.
    send: async (method, path, body, headers = {}) => {
      const answer = await service.send({
        method,
        path: `/api/v1/transactions${path}`,
        headers: { Authorization: `Bearer ${project.liveKey}`, 'Content-Type': 'application/json', ...headers },
        body: body && JSON.stringify(body),
      });
      return { status: answer.status, text: answer.body, ...JSON.parse(answer.body) };
    },
    // options: {connectionId}, for one.
    order: (options) => ({
      customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
      payment: { amountCents: 1990, product: 'Pedido' },
      originDomain: 'loja.example',
      ...options,
    }),
    create: (options, headers) => merchant.send('POST', '', merchant.order(options), headers),
    detail: async (id) => (await merchant.send('GET', `/${id}`)).data,
  };
  return merchant;
}
