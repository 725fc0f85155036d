// A bank, pixledger in front of it, and a merchant whose live charges go through that bank: the set-up of the
// measurements with a bank.
import { startBank } from '../tests/bank/bank.mjs';
import { drive } from '../tests/bank/customer.mjs';
import { openMerchant } from '../tests/bank/merchant.mjs';

// serverOptions: the server's.
export async function openBank(...serverOptions) {
  const bank = await startBank({ document: null });
  const { service, project, connect, startProviders, order } = await openMerchant(
    ...[bank.told, '--max-connections-per-address', '0', ...serverOptions],
  );
  const connectionId = await connect('banco', '--fallback', 'static', '--rate', '1000');

  const world = {
    service,
    project,
    connectionId,
    told: bank.told,
    startProviders,
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
      const { status, body } = await world.send('POST', '/transactions', order(connection));
      if (status !== 201) throw new Error(`${status}: ${body}`);
      const { id, pixCode } = JSON.parse(body).data;
      return { id, pixCode, isDynamic: !pixCode.includes(bank.told.client.pixKey) };
    },
    // Until the worker runs: creations do not wait for a missing one.
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
