// Merchants who create charges at any node, each under its idempotency key, and read them at another node at once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { pause } from './cluster.mjs';

const order = (number) => JSON.stringify({
  customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
  payment: { amountCents: 1000 + (number % 1000), product: `Pedido ${number}` },
  originDomain: 'loja.example',
});
const patienceMs = 30_000;

const begun = new Set();
// Stops the loads of tests that ended early, too; they would never end.
export const stopLoads = () => Promise.allSettled([...begun].map((load) => load.stop()));

export class Load {
  #stopping = false;
  #merchants = [];
  acknowledged = []; // {key, number, id, body}
  missing = []; // acknowledged charges that another node then did not find
  statuses = {};
  slowestMs = 0; // of all answers

  // random: () → [0, 1). Calls `nodes` with `apiKey`.
  constructor(nodes, apiKey, random) {
    Object.assign(this, { nodes, random, headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' } });
  }

  node() {
    return this.nodes[Math.floor(this.random() * this.nodes.length)];
  }

  // {status, body}; status 0: no answer.
  async ask(node, path, options = {}) {
    const asked = Date.now();
    try {
      const answer = await fetch(node.url(`/api/v1/transactions${path}`), {
        headers: this.headers, signal: AbortSignal.timeout(patienceMs), ...options,
      });
      const body = await answer.text();
      this.slowestMs = Math.max(this.slowestMs, Date.now() - asked);
      return { status: answer.status, body };
    } catch {
      return { status: 0, body: '' };
    }
  }

  create(node, number, key) {
    return this.ask(node, '', { method: 'POST', body: order(number), headers: { ...this.headers, 'Idempotency-Key': key } });
  }

  async #sell(number) {
    const key = randomUUID();
    for (;;) {
      const at = this.node();
      const { status, body } = await this.create(at, number, key);
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      if (status === 201) {
        const { id } = JSON.parse(body).data;
        this.acknowledged.push({ key, number, id, body, at: Date.now(), by: at.name });
        const elsewhere = this.node();
        const read = await this.ask(elsewhere, `/${id}`);
        if (read.status !== 200 && read.status !== 503 && read.status !== 0) this.missing.push({ id, by: at.name, at: elsewhere.name, read });
        return;
      }
      assert.ok([0, 409, 429, 503].includes(status), `${status} ${body}`);
      if (this.#stopping) return; // It was not acknowledged.
      await pause(50);
    }
  }

  start(merchants, restMs) {
    begun.add(this);
    let next = 0;
    this.#merchants = Array.from({ length: merchants }, async () => {
      while (!this.#stopping) {
        await this.#sell(next++);
        await pause(this.random() * 2 * restMs);
      }
    });
    this.done = Promise.all(this.#merchants);
    this.done.catch(() => {}); // awaited in stop()
  }

  // The longest time between two acknowledgements since then, by any node.
  longestSilence(since) {
    const times = [since, ...this.acknowledged.map((one) => one.at).filter((at) => at > since)];
    return Math.max(...times.slice(1).map((at, i) => at - times[i]));
  }

  async stop() {
    this.#stopping = true;
    await this.done;
  }
}
