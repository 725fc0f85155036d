// What came to the TLS end: each request with its answer, counters, and what the proxy found wrong. The
// newest requests are kept, the counters count all.
const requestsMax = 100_000;
const harmless = ['inner delay', 'inner pay'];

export class Journal {
  #requests = [];
  #count = 0;
  #violations = [];
  counters = { requests: {}, cobPuts: {}, cobPatches: {}, devolucaoPuts: {}, inFlight: 0, mostInFlight: 0 };

  // The request's record: {number, at, method, path, operation, account, certificate, auth, body, status,
  // faults, ms}. `certificate`: the serial number of the caller's; `status` 0 is a connection that was dropped.
  begin(method, path, now) {
    const at = new Date(now).toISOString();
    const entry = { number: ++this.#count, at, method, path, status: 0, faults: [] };
    this.#requests.push(entry);
    if (this.#requests.length > requestsMax) this.#requests.shift();
    const { counters } = this;
    counters.inFlight += 1;
    counters.mostInFlight = Math.max(counters.mostInFlight, counters.inFlight);
    return entry;
  }

  // The request and its client.
  recognized(entry, { operation, account, certificate }, params) {
    Object.assign(entry, { operation, account, certificate });
    const add = (counter, name) => {
      counter[name] = (counter[name] ?? 0) + 1;
    };
    add(this.counters.requests, operation);
    if (operation === 'cob.put') add(this.counters.cobPuts, params[0]);
    if (operation === 'cob.patch') add(this.counters.cobPatches, params[0]);
    if (operation === 'devolucao.put') add(this.counters.devolucaoPuts, params[1]);
  }

  end(entry, ms) {
    entry.ms = ms;
    this.counters.inFlight -= 1;
  }

  byNumber(number) {
    return this.#requests[number - 1 - (this.#count - this.#requests.length)];
  }

  // Those after the one with this number, oldest first.
  requestsAfter(number) {
    return this.#requests.filter((entry) => entry.number > number);
  }

  // What is wrong with a request that met a fault inside is planted: it was wanted.
  violated(entry, found) {
    const isPlanted = entry.faults.some((kind) => kind.startsWith('inner') && !harmless.includes(kind));
    for (const each of found)
      this.#violations.push({
        number: entry.number,
        method: entry.method,
        path: entry.path,
        isPlanted,
        ...each,
      });
  }

  violations() {
    return this.#violations.filter(({ severity, isPlanted }) => severity === 'Error' && !isPlanted);
  }

  // Planted ones and warnings too.
  allViolations() {
    return this.#violations;
  }
}
