// What the bank knows: its customers, and what is unique among all of them.
import { Account } from './account.mjs';
import { secret } from './ids.mjs';
import { Settings } from './settings.mjs';

export class BankState {
  settings;
  accounts;
  locations = []; // by id − 1: {id, location, txid, account, criacao}
  endToEndIds = new Map(); // id → account
  listeners = new Set(); // told of each change of a payment: (account, payment)

  // accounts: what each Account is made of.
  constructor(settings, accounts) {
    this.settings = new Settings(settings);
    this.accounts = accounts.map((each) => new Account(this, each));
  }

  now() {
    return Date.now() + this.settings.clockOffsetMs;
  }

  accountNamed(name) {
    const found = this.accounts.find((each) => each.name === name);
    if (!found) throw new Error(`no account: ${name}`);
    return found;
  }

  accountOfKey(chave) {
    return this.accounts.find((each) => each.chave === chave);
  }

  newLocation(account, txid) {
    const id = this.locations.length + 1;
    const location = {
      id,
      location: `pix.bank.example/qr/v2/${secret()}`,
      txid,
      account,
      criacao: this.now(),
    };
    this.locations.push(location);
    return location;
  }

  changed(account, payment) {
    for (const listener of this.listeners) listener(account, payment);
  }
}
