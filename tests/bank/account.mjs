// A customer of the bank: who it is, its cobs, the payments on its key and its webhook.
import { Cobs } from './cobs.mjs';
import { Payments } from './payments.mjs';

export class Account {
  webhook = null; // {webhookUrl, criacao}, of its one key

  // {name, clientId, clientSecret, commonName, chave, merchantName, merchantCity}
  constructor(bank, description) {
    Object.assign(this, description);
    this.bank = bank;
    this.cobs = new Cobs(bank, this);
    this.payments = new Payments(bank, this);
  }
}
