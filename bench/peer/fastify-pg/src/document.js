// CPF (11 digits) and CNPJ (14 digits) check digits: weighted sums modulo 11.
function checkDigit(digits, length, maxWeight) {
  let sum = 0;
  let weight = 2;
  for (let i = length - 1; i >= 0; i--) {
    sum += (digits.charCodeAt(i) - 48) * weight;
    weight = weight === maxWeight ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

export function isValidDocument(digits) {
  const maxWeight = digits.length === 11 ? 11 : 9;
  const body = digits.length - 2;
  return checkDigit(digits, body, maxWeight) === digits.charCodeAt(body) - 48 &&
    checkDigit(digits, body + 1, maxWeight) === digits.charCodeAt(body + 1) - 48 &&
    !/^(\d)\1*$/.test(digits);
}

export const documentType = (digits) => (digits.length === 11 ? 'CPF' : 'CNPJ');
