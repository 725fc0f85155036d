// The payers of people.lua, the same ones: so that a create after a preload meets customers it knows, with
// unchanged details.
export const PAYERS = 200_000;

const FIRST = `Ana Bruno Carla Daniel Elisa Fabio Gabriela Heitor Isabela Joao Karina Lucas Mariana Nelson
  Olivia Paulo Renata Sergio Tatiana Vitor`.split(/\s+/);
const LAST = `Almeida Barbosa Cardoso Dias Esteves Ferreira Gomes Henriques Lima Martins Nogueira Oliveira
  Pereira Queiroz Ribeiro Silva Teixeira Uchoa Vieira Xavier Araujo Batista Campos Duarte Moura`.split(/\s+/);

function withCheckDigit(digits) {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (digits.length + 1 - i);
  const rest = sum % 11;
  return digits + (rest < 2 ? 0 : 11 - rest);
}

export const cpf = (i) => withCheckDigit(withCheckDigit(String(100_000_000 + i * 4327)));

// i: 0 to PAYERS - 1. The customer of a create's body.
export function customer(i) {
  const given = FIRST[i % 20];
  const family = LAST[Math.floor(i / 20) % 25];
  return {
    name: `${given} ${family}`,
    document: cpf(i),
    email: `${given}.${family}.${i}@example.com`.toLowerCase(),
    phone: `119${String(i).padStart(8, '0')}`,
    address: {
      street: 'Rua das Flores', streetNumber: String(i % 2000 + 1), neighborhood: 'Centro',
      zipCode: String(1_000_000 + i).padStart(8, '0'), city: 'Sao Paulo', state: 'SP',
      complement: `Apto ${i % 200 + 1}`, country: 'BR',
    },
  };
}
