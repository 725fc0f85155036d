-- The 200,000 payers. people.mjs makes the same ones, so that a create after a
-- preload meets customers it knows, with unchanged details.
local M = { count = 200000 }

local first = { "Ana", "Bruno", "Carla", "Daniel", "Elisa", "Fabio", "Gabriela", "Heitor", "Isabela",
  "Joao", "Karina", "Lucas", "Mariana", "Nelson", "Olivia", "Paulo", "Renata", "Sergio", "Tatiana", "Vitor" }
local last = { "Almeida", "Barbosa", "Cardoso", "Dias", "Esteves", "Ferreira", "Gomes", "Henriques",
  "Lima", "Martins", "Nogueira", "Oliveira", "Pereira", "Queiroz", "Ribeiro", "Silva", "Teixeira",
  "Uchoa", "Vieira", "Xavier", "Araujo", "Batista", "Campos", "Duarte", "Moura" }

local floor = math.floor

local function check_digit(digits)
  local sum, weight = 0, #digits + 1
  for i = 1, #digits do
    sum = sum + (digits:byte(i) - 48) * (weight - i + 1)
  end
  local rest = sum % 11
  return rest < 2 and 0 or 11 - rest
end

function M.cpf(i)
  local digits = string.format("%09d", 100000000 + i * 4327)
  digits = digits .. check_digit(digits)
  return digits .. check_digit(digits)
end

-- i: 0 to count - 1. Returns the customer as JSON.
function M.customer(i)
  local given, family = first[i % 20 + 1], last[floor(i / 20) % 25 + 1]
  return string.format(
    '{"name":"%s %s","document":"%s","email":"%s.%s.%d@example.com","phone":"119%08d","address":' ..
    '{"street":"Rua das Flores","streetNumber":"%d","neighborhood":"Centro","zipCode":"%08d",' ..
    '"city":"Sao Paulo","state":"SP","complement":"Apto %d","country":"BR"}}',
    given, family, M.cpf(i), given:lower(), family:lower(), i, i, i % 2000 + 1, 1000000 + i, i % 200 + 1)
end

function M.name_fragment()
  return last[math.random(#last)]
end

return M
