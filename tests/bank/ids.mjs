// Ids that a bank makes: of payments and returns (letter, its ISPB, the minute in UTC, eleven letters and
// digits), and of everything else.
import { randomBytes, randomInt } from 'node:crypto';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
export const ispb = '12345678';

const minuteOf = (ms) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12);
const random = (length) => Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

export const endToEndIdAt = (ms) => `E${ispb}${minuteOf(ms)}${random(11)}`;
export const returnIdAt = (ms) => `D${ispb}${minuteOf(ms)}${random(11)}`;
export const secret = (bytes = 16) => randomBytes(bytes).toString('hex');
