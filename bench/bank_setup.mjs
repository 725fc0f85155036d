// A bank, pixledger before it, and a merchant whose live charges go through that bank: what the measurements with
// a bank begin with.
import { startBank } from '../tests/bank/bank.mjs';
import { drive } from '../tests/bank/customer.mjs';
import { Service } from '../tests/oracles/api/service.mjs';

// serverOptions: the server's.
export async function openBank(...serverOptions) {
  const bank = await startBank({ document: null });
  const { client, ca, baseUrl, tokenUrl } = bank.told;
  const service = new Service();
  await service.start('--max-connections-per-address', '0', ...serverOptions);
  const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
  const { connectionId } = await service.pixledger(
    ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', 'banco'],
    ...['--provider', 'api-pix', '--psp', 'generic', '--base-url', baseUrl, '--token-url', tokenUrl],
    ...['--pix-key', client.pixKey, '--client-id', client.clientId, '--client-secret-file', client.clientSecretFile],
    ...['--cert', client.certificate, '--key', client.key, '--fallback', 'static', '--rate', '1000'],
  );

  let orders = 0;
  const world = {
    service,
    project,
    connectionId,
    told: bank.told,
    startProviders: (...options) => service.startProviders('--ca-file', ca, ...options),
    drive: (method, path, body) => drive(bank.told, method, path, body),
    send: (method, path, body) =>
      service.send({
        method,
        path: `/api/v1${path}`,
        headers: { Authorization: `Bearer ${project.liveKey}`, 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body),
      }),
    // {id, pixCode, isDynamic}; connection: {} for the project's own.
    create: async (connection = { connectionId }) => {
      const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
      const payment = { amountCents: 1990, product: `Pedido ${++orders}` };
      const order = { customer, payment, originDomain: 'loja.example', ...connection };
      const { status, body } = await world.send('POST', '/transactions', order);
      if (status !== 201) throw new Error(`${status}: ${body}`);
      const { id, pixCode } = JSON.parse(body).data;
      return { id, pixCode, isDynamic: !pixCode.includes(client.pixKey) };
    },
    // Until the worker is there: nobody waits for one that is not.
    awaitWorker: async () => {
      while (!(await world.create()).isDynamic);
    },
    close: async () => {
      await service.stop();
      await bank.close();
    },
  };
  return world;
}
