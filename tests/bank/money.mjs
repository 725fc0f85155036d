// Money as the API Pix writes it: reais with two decimals, at most ten digits before the point. Counted in
// cents.
const form = /^\d{1,10}\.\d{2}$/;

// Cents, or null where the text is no amount.
export const centsOf = (text) =>
  typeof text === 'string' && form.test(text) ? Number(text.replace('.', '')) : null;

export const textOf = (cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
