// PHP's client against a real server: the life of a charge, the feed, webhooks, receipts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { World, address, order } from '../world.mjs';
import { run } from './php.mjs';

let world;
before(async () => {
  world = await World.open();
  await world.startReceiver();
});
after(() => world.close());

const client = `$client = new PixledgerClient($input['key'], $input['baseUrl']);`;
const php = (program, input = {}) =>
  run(`${client} ${program}`, { key: world.project.testKey, baseUrl: world.baseUrl, order, ...input });
const refusal = (call) => `try { ${call} } catch (ApiError $error) {
  return [$error->status, $error->errorCode, $error->details, $error->requestId];
}`;

test('a charge lives: created once, found, paid, refunded in two parts', async () => {
  const { id, again, statuses, found } = await php(`
    $options = ['idempotencyKey' => 'order-1-1'];
    $charge = $client->transactions->create($input['order'] + ['externalId' => 'order-1'], $options);
    $again = $client->transactions->create($input['order'] + ['externalId' => 'order-1'], $options);
    $statuses = [$charge['status'], $client->sandbox->pay($charge['id'])['status']];
    $statuses[] = $client->transactions->refund($charge['id'], ['amountCents' => 990, 'reason' => 'troca'])['status'];
    $statuses[] = $client->transactions->refund($charge['id'])['status'];
    $found = $client->transactions->list(['search' => 'order-1', 'status' => ['paid', 'refunded']])['data'];
    return ['id' => $charge['id'], 'again' => $again['id'], 'statuses' => $statuses, 'found' => $found];`);
  assert.equal(again, id);
  assert.deepEqual(statuses, ['waiting_payment', 'paid', 'paid', 'refunded']);
  assert.deepEqual(found.map((each) => [each.id, each.product]), [[id, order.payment.product]]);
});

test('a refusal has its code, its fields and its request', async () => {
  const create = `$client->transactions->create([], ['requestId' => 'checkout-7']);`;
  const [status, code, details, requestId] = await php(refusal(create));
  assert.deepEqual([status, code, requestId], [400, 'ERR_VALIDATION_001', 'checkout-7']);
  assert.deepEqual(details.map(({ field }) => field).sort(), ['customer', 'originDomain', 'payment']);
  const remove = `$client->blocklist->remove('c000000000000000000000000');`;
  assert.equal((await php(refusal(remove)))[1], 'ERR_BLOCKLIST_001');
});

test('calls of every group can be made', async () => {
  const made = await php(`
    $id = $client->transactions->create($input['order'])['id'];
    $channel = $client->channels->create(['url' => $input['url'], 'events' => ['transaction.paid']]);
    $from = $client->ledger->checkpoint()['size'];
    $expired = $client->transactions->create($input['order'])['id'];
    $entry = $client->blocklist->add(['type' => 'cidr', 'value' => '203.0.113.0/24']);
    $customer = $client->customers->save($input['order']['customer'] + ['address' => $input['address']]);
    $delivery = $client->channels->test($channel['id']);
    $all = fn (\\Generator $items): array => iterator_to_array($items);
    return [
      [$client->transactions->cancel($id)['status'], 'cancelled'],
      [$client->sandbox->expire($expired)['status'], 'expired'],
      [$client->sandbox->fail($client->transactions->create($input['order'])['id'])['status'], 'failed'],
      [$client->transactions->getAsOf($id, ['asOf' => new \\DateTimeImmutable()])['id'], $id],
      [count($client->transactions->events($id)['data']), 2],
      [in_array($id, array_column($all($client->transactions->listAll(['limit' => 1])), 'id'), true), true],
      [str_starts_with($client->transactions->qrSvg($client->transactions->create($input['order'])['id']), '<'), true],
      [$client->unversioned->transactions->get($id)['id'], $id],
      [count($all($client->unversioned->customers->listAll())) > 0, true],
      [$client->customers->block($customer['id'], ['blockType' => 'fraud', 'reason' => 'x'])['isBlocked'], true],
      [$client->customers->unblock($customer['id'])['isBlocked'], false],
      [$client->channels->update($channel['id'], ['isActive' => false])['isActive'], false],
      [$client->channels->deliveries($channel['id'])['data'][0]['id'], $delivery['id']],
      [$client->deliveries->get($delivery['id'])['channelId'], $channel['id']],
      [count($client->channels->events()) >= 6, true],
      [strlen($client->channels->rotateSecret($channel['id'], ['graceSeconds' => 0])['secret']) > 20, true],
      [$client->channels->delete($channel['id'])['id'], $channel['id']],
      [$all($client->checkout->listAll()), []],
      [$client->blocklist->remove($entry['id'])['id'], $entry['id']],
      [$client->ledger->consistency(['from' => $from])['from'], $from],
      [$client->store->get()['name'], 'Minha Loja'],
      [count($client->overview->search(['q' => $id])['transactions']), 1],
      [$client->service->ready(), ['status' => 'ready']],
      [str_starts_with($client->service->metrics(), '#'), true],
      [$client->service->document()['openapi'], '3.1.0'],
    ];`, { address, url: `${world.receiverUrl}/other` });
  made.forEach(([is, should], i) => assert.deepEqual(is, should, `call ${i}`));
});

test('the feed is read to its end, and waited for', async () => {
  const { all, later } = await php(`
    $all = iterator_to_array($client->events->follow([], ['stopWhenIdle' => true]));
    $last = end($all)['id'];
    $id = $client->transactions->create($input['order'])['id'];
    $later = $client->events->follow(['after' => $last, 'types' => ['transaction.created'], 'wait' => 1])->current();
    return ['all' => array_column($all, 'event'), 'later' => $later['transactionId'] === $id];`);
  assert.ok(all.includes('transaction.paid') && all.includes('transaction.refunded'));
  assert.equal(later, true);
});

test('what the worker sent is verified, in v1, in v2 and as Standard Webhooks', async () => {
  for (const version of ['v1', 'v2']) {
    const url = `${world.receiverUrl}/php-${version}`;
    const add = ['channel', 'add', '--project', world.project.projectId, '--url', url];
    const { secret } = await world.pixledger(...add, '--api-version', version, '--allow-target', '127.0.0.0/8');
    const { id } = await world.client.transactions.create({ ...order, metadata: { order: '1042' } });
    const [{ headers, rawBody }] = await world.arrived(`/php-${version}`, 1);
    const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-')));
    for (const given of version === 'v1' ? [headers] : [headers, standard]) {
      const verify = `return verifyWebhook(base64_decode($input['body']), $input['headers'], $input['secret']);`;
      const { delivery, ...body } = await php(verify, { body: rawBody.toString('base64'), headers: given, secret });
      assert.deepEqual(body, JSON.parse(rawBody.toString()));
      assert.equal(body.data.transactionId, id);
      assert.equal(delivery.version, given === standard ? 'standard' : version);
      assert.equal(delivery.id, headers['x-webhook-id']);
    }
  }
});

test('a receipt is verified as it came, and not after a change', async () => {
  const key = (await world.result('checkpoint', '--public-key')).stdout;
  const { verified, changed, checkpoint } = await php(`
    $id = $client->transactions->create($input['order'] + ['metadata' => ['0' => 'a', 'b' => '']])['id'];
    $client->sandbox->pay($id);
    $receipt = $client->transactions->receiptText($id);
    return [
      'verified' => verifyReceipt($receipt, $input['publicKey'], ['transactionId' => $id]),
      'changed' => verifyReceipt(str_replace('1990', '1991', $receipt), $input['publicKey']),
      'checkpoint' => verifyCheckpoint($client->ledger->checkpoint()['checkpoint'], $input['publicKey']),
    ];`, { publicKey: key });
  assert.deepEqual([verified.ok, verified.status, verified.events.length], [true, 'paid', 2]);
  assert.equal(changed.reason, 'shown_differs');
  assert.equal(checkpoint.ok, true);
  assert.equal(checkpoint.origin, verified.origin);
});
