// The text behind a Pix QR code: EMV tag-length-value fields with a CRC-16/CCITT-FALSE at the end. Written
// and read here from the manual alone, so that it judges the project's own.
import { textOf } from './money.mjs';

const pixDomain = 'br.gov.bcb.pix';
const templates = new Set(['26', '62']);

export function crc16(text) {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

const field = (id, value) => id + String(value.length).padStart(2, '0') + value;

// account: {location} of a dynamic code, {chave} of a static one. Without `cents` the payer chooses.
function write(account, { cents, name, city, txid }) {
  const open = [
    field('00', '01'),
    account.location ? field('01', '12') : '',
    field(
      '26',
      field('00', pixDomain) +
        (account.location ? field('25', account.location) : field('01', account.chave)),
    ),
    field('52', '0000'),
    field('53', '986'),
    cents === undefined ? '' : field('54', textOf(cents)),
    field('58', 'BR'),
    field('59', name),
    field('60', city),
    field('62', field('05', txid)),
    '6304',
  ].join('');
  return open + crc16(open);
}

export const dynamicCode = (location, rest) => write({ location }, { ...rest, txid: '***' });
export const staticCode = (chave, rest) => write({ chave }, rest);

function fieldsOf(text, what) {
  const fields = {};
  for (let at = 0; at < text.length;) {
    const head = /^(\d{2})(\d{2})/.exec(text.slice(at, at + 4));
    if (!head || at + 4 + Number(head[2]) > text.length)
      throw new Error(`no ${what}: broken at character ${at}`);
    const [, id, length] = head;
    if (id in fields) throw new Error(`no ${what}: field ${id} twice`);
    const value = text.slice(at + 4, at + 4 + Number(length));
    fields[id] = templates.has(id) ? fieldsOf(value, `template ${id}`) : value;
    at += 4 + Number(length);
  }
  return fields;
}

// {location, chave, txid, amount}, as the field's texts; what the code does not have is undefined. Throws
// if it is no BR Code, or not one of Pix.
export function readCode(code) {
  if (typeof code !== 'string' || crc16(code.slice(0, -4)) !== code.slice(-4))
    throw new Error('no BR Code: its CRC is wrong');
  const fields = fieldsOf(code, 'BR Code');
  if (fields['00'] !== '01' || fields['26']?.['00']?.toLowerCase() !== pixDomain)
    throw new Error('no BR Code of Pix');
  const txid = fields['62']?.['05'];
  return {
    location: fields['26']['25'],
    chave: fields['26']['01'],
    txid: txid === '***' ? undefined : txid,
    amount: fields['54'],
  };
}
