// A merchant who calls the API by the document's operation ids. Every answer is checked against the document.
import assert from 'node:assert/strict';
import http from 'node:http';
import { Document, isJson } from './document.mjs';
import { Service } from './service.mjs';

// The day of a moment where a store is unless it says otherwise.
export const dayOfStore = (moment) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(new Date(moment));

// Matches the pattern of ids and names nothing.
export const unknownId = 'c000000000000000000000000';

export class Merchant {
  service = new Service();
  document;
  project; // {projectId, liveKey, testKey}: what calls use unless they name another key, see keyFor
  other; // another project
  hooks; // the URL of a receiver that takes every webhook
  #receiver;
  #narrowKeys = []; // of the project, each with one scope: {scope, key}
  #count = 0;

  static async open() {
    const merchant = new Merchant();
    const options = ['--pay-url', 'https://pay.example.com', '--trusted-proxy', '127.0.0.0/8'];
    await merchant.service.start(...Service.mayTargetItself, ...options);
    await merchant.#receive();
    const create = (...options) =>
      merchant.service.pixledger('project', 'create', '--pix-key', 'loja@example.com', ...options);
    merchant.project = await create('--name', 'Minha Loja');
    merchant.other = await create('--name', 'Outra Loja');
    const issue = ['key', 'issue', '--project', merchant.project.projectId, '--env', 'test', '--scopes'];
    for (const scope of ['events:read', 'store:read']) {
      const { key } = await merchant.service.pixledger(...issue, scope);
      merchant.#narrowKeys.push({ scope, key });
    }
    const { body } = await merchant.service.send({ method: 'GET', path: '/openapi.json' });
    merchant.document = new Document(JSON.parse(body));
    merchant.service.startWorker();
    return merchant;
  }

  async close() {
    await this.service.stop();
    this.#receiver.close();
  }

  #receive() {
    this.#receiver = http.createServer((request, response) => {
      request.resume().once('end', () => response.end());
    });
    return new Promise((resolve) => {
      this.#receiver.listen(0, '127.0.0.1', () => {
        this.hooks = `http://127.0.0.1:${this.#receiver.address().port}/hooks`;
        resolve();
      });
    });
  }

  // A key that the operation will not have.
  keyWithoutScopeOf(operation) {
    return this.#narrowKeys.find(({ scope }) => scope !== operation.scope).key;
  }

  // A test key does not change the store, its feed has the sandbox alone, and so have its channels.
  keyFor(operationId) {
    const { liveKey, testKey } = this.project;
    const isOfBoth = /^(channels|events|store):/.test(this.operation(operationId).scope);
    return isOfBoth ? liveKey : testKey;
  }

  operation(operationId) {
    const operation = this.document.operations.get(operationId);
    assert.ok(operation, `the document has no operation ${operationId}`);
    return operation;
  }

  // With what the query must have, as the document has it, unless it is given.
  path(operation, id = unknownId, query = {}) {
    const required = operation.parameters.filter((one) => one.in === 'query' && one.required);
    const all = { ...Object.fromEntries(required.map(({ name, example }) => [name, example])), ...query };
    const flat = Object.entries(all).flatMap(([name, value]) =>
      typeof value === 'object' ? Object.entries(value).map(([key, text]) => [`${name}[${key}]`, text]) : [[name, value]],
    );
    const search = new URLSearchParams(flat).toString();
    return operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + (search && `?${search}`);
  }

  // Sends a request and checks its answer; resolves to {status, headers, body, json}. `key: null` sends none;
  // a body that is a text is sent as it is.
  async call(operationId, { id, query, body, key = this.keyFor(operationId), headers = {}, method } = {}) {
    const operation = this.operation(operationId);
    const sent = { ...headers };
    if (key !== null && !operation.isPublic) sent.Authorization = `Bearer ${key}`;
    if (body !== undefined) sent['Content-Type'] ??= 'application/json';
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const reply = await this.service.send({
      method: method ?? operation.method,
      path: this.path(operation, id, query),
      headers: sent,
      body: text,
    });
    this.document.checkReply(operation, reply, { isHead: method === 'HEAD' });
    if (reply.status < 300 && !headers.Prefer) this.document.checkRequest(operation, { query, body });
    const hasJson = reply.body !== '' && isJson(reply.headers['content-type'].split(';')[0]);
    return { ...reply, json: hasJson ? JSON.parse(reply.body) : undefined };
  }

  // Expects a status, or an error's code. Resolves to the answer's `data`, or to the error.
  async expect(expected, operationId, request) {
    const { status, json, body } = await this.call(operationId, request);
    const found = typeof expected === 'number' ? status : json.code;
    assert.equal(found, expected, `${operationId}: ${body}`);
    return status < 300 ? json.data : json;
  }

  // --- things to work on ---

  // A document that no customer has yet.
  newDocument() {
    this.#count += 1;
    return String(10_000_000_000 + this.#count);
  }

  // A body of createTransaction with a customer of its own.
  newCharge(change = {}) {
    const [, full] = this.document.bodies(this.operation('createTransaction'));
    return { ...full, customer: { ...full.customer, document: this.newDocument() }, ...change };
  }

  // The examples of createCheckoutSession, with a receiver and a customer of their own where they name any.
  checkoutBodies() {
    return this.document.bodies(this.operation('createCheckoutSession')).map((body) => ({
      ...body,
      ...(body.webhookUrl && { webhookUrl: this.hooks }),
      ...(body.customer && { customer: { ...body.customer, document: this.newDocument() } }),
    }));
  }

  newCustomer() {
    const [customer] = this.document.bodies(this.operation('saveCustomer'));
    return { ...customer, document: this.newDocument() };
  }

  async createCharge({ key, ...change } = {}) {
    const { id } = await this.expect(201, 'createTransaction', { key, body: this.newCharge(change) });
    return id;
  }

  async createPaidCharge(change) {
    const id = await this.createCharge(change);
    await this.expect(200, 'simulatePayment', { id });
    return id;
  }

  async createCustomer() {
    const { id } = await this.expect(201, 'saveCustomer', { body: this.newCustomer() });
    return id;
  }

  async addBlocklistEntry() {
    const { id } = await this.expect(201, 'addBlocklistEntry', {
      body: { type: 'document', value: this.newDocument() },
    });
    return id;
  }

  // A project has ten channels at most: the oldest makes room.
  async makeRoomForChannel() {
    const channels = await this.expect(200, 'listChannels', { query: { limit: 100 } });
    if (channels.length < 10) return;
    await this.expect(200, 'deleteChannel', { id: channels.at(-1).id });
  }

  async addChannel(change = {}) {
    await this.makeRoomForChannel();
    const { id } = await this.expect(201, 'addChannel', { body: { url: this.hooks, ...change } });
    return id;
  }

  // The first delivery of a channel of its own, once it has come to this status.
  async createDelivery(id, status = 'delivered') {
    const channel = id ?? (await this.addChannel());
    await this.createCharge();
    for (;;) {
      const [found] = await this.expect(200, 'listDeliveries', { id: channel, query: { status } });
      if (found) return found.id;
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  }

  // The id of something new that the operation can be done to; undefined when its path has none.
  async subjectOf(operation) {
    if (operation.id === 'addChannel') await this.makeRoomForChannel();
    if (operation.path.includes('{what}')) return 'charges';
    if (!operation.path.includes('{id}')) return undefined;
    if (operation.path.includes('/checkout/')) {
      const [body] = this.checkoutBodies();
      return (await this.expect(201, 'createCheckoutSession', { body })).id;
    }
    if (operation.path.includes('/notification-channels/')) return this.addChannel();
    if (operation.path.includes('/deliveries/')) return this.createDelivery();
    if (operation.id === 'refundTransaction') return this.createPaidCharge();
    if (operation.path.includes('/transactions/')) return this.createCharge();
    if (operation.path.includes('/customers/')) return this.createCustomer();
    return this.addBlocklistEntry();
  }

  // A body with which the operation succeeds, new where it has to be; undefined when it has none.
  bodyFor(operation) {
    if (operation.id === 'createTransaction') return this.newCharge();
    if (operation.id.startsWith('saveCustomer')) return this.newCustomer();
    if (operation.id === 'addBlocklistEntry') return { type: 'document', value: this.newDocument() };
    if (operation.id === 'addChannel') return { url: this.hooks };
    return this.document.bodies(operation)[0];
  }
}
