// The bank's callbacks to its customers: POST WEBHOOK/pix, with a client certificate of its own. By
// itself where a webhook is registered, and as a test orders it: repeated, shuffled, with another certificate
// or none, with any body.
import https from 'node:https';
import { pair } from './certificates.mjs';

const timeoutMs = 10_000;
const keptMax = 10_000;

function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [list[i], list[other]] = [list[other], list[i]];
  }
}

export class Callbacks {
  sent = []; // {url, account?, endToEndId?, status | error}, the newest
  #bank;
  #ca;
  #identities;

  // certificates: it trusts servers of its own authority, as those that it made itself.
  constructor(bank, certificates) {
    this.#bank = bank;
    this.#ca = certificates.read('ca.pem');
    this.#identities = {
      bank: pair(certificates, 'callback'),
      other: pair(certificates, 'other'), // good, but another customer's
      stranger: pair(certificates, 'stranger'), // of an unknown authority
      none: {},
    };
    bank.listeners.add((account, payment) => this.#tell(account, payment));
  }

  // As the document has it: only payments with a txid are told.
  #tell(account, payment) {
    if (!this.#bank.settings.callbacks || !account.webhook || payment.txid === undefined) return;
    this.#send(account.webhook.webhookUrl, [account.payments.shown(payment)]);
  }

  // Resolves to one result a POST, in the order in which they were sent. order: account (whose payments),
  // endToEndIds or pix (as the API shows them) or body (text); url (else the registered one); times; inOne,
  // all in one POST; shuffle; certificate: bank, other, stranger or none.
  async order({
    account,
    endToEndIds = [],
    pix,
    body,
    url,
    times = 1,
    inOne = false,
    shuffle: mixed = false,
    certificate = 'bank',
  }) {
    const target = url ?? account.webhook?.webhookUrl;
    if (!target) throw new Error('url: no webhook is registered');
    if (!(certificate in this.#identities)) throw new Error(`certificate: ${certificate} is not known`);
    if (!Number.isSafeInteger(times) || times < 1 || times > 1000) throw new Error('times: 1 to 1000');
    const found = pix ?? endToEndIds.map((id) => this.#shown(account, id));
    const bodies = body !== undefined ? [body] : inOne ? [found] : found.map((each) => [each]);
    const posts = Array.from({ length: times }, () => bodies).flat();
    if (mixed) shuffle(posts);
    return Promise.all(posts.map((each) => this.#send(target, each, certificate)));
  }

  // Why a bank that tries webhooks would not take this one; null where it would.
  async refusalOf(webhookUrl) {
    const open = await this.#send(webhookUrl, [], 'none');
    if (open.status !== undefined) return 'O webhook aceita quem não mostra certificado.';
    const proper = await this.#send(webhookUrl, [], 'bank');
    return proper.status >= 200 && proper.status < 300
      ? null
      : 'O webhook não aceita as notificações do banco.';
  }

  #shown(account, endToEndId) {
    const payment = account.payments.find(endToEndId);
    if (!payment) throw new Error(`no payment ${endToEndId} of ${account.name}`);
    return account.payments.shown(payment);
  }

  async #send(webhookUrl, pix, certificate = 'bank') {
    const text = typeof pix === 'string' ? pix : this.#bank.settings.ways.tell(pix, this.#bank);
    const ids = Array.isArray(pix) ? pix.map(({ endToEndId }) => endToEndId) : [];
    // Appended as text, whatever the URL ends with: a registered `?ignorar=` swallows it.
    const url = `${webhookUrl}/pix`;
    const result = { url, endToEndIds: ids, certificate, ...(await this.#post(url, text, certificate)) };
    this.sent.push(result);
    if (this.sent.length > keptMax) this.sent.shift();
    return result;
  }

  // {status} or {error}; never rejects.
  #post(url, body, certificate) {
    return new Promise((resolve) => {
      const fail = (error) => resolve({ error: error.code ?? error.message });
      try {
        const request = https.request(
          url,
          {
            ...this.#identities[certificate],
            ca: this.#ca,
            agent: false,
            method: 'POST',
            headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
            timeout: timeoutMs,
          },
          (response) => {
            response.resume();
            response.once('error', fail);
            response.once('end', () => resolve({ status: response.statusCode }));
          },
        );
        request.once('timeout', () => request.destroy(new Error('timeout')));
        request.once('error', fail);
        request.end(body);
      } catch (error) {
        fail(error);
      }
    });
  }
}
