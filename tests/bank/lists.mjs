// What the lists have in common: the window, filters and pages.
import { Violations } from './problems.mjs';

const withZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const timeOf = (text) => (withZone.test(text ?? '') ? Date.parse(text) : NaN);
const parties = { cpf: /^\d{11}$/, cnpj: /^[0-9A-Z]{14}$/ };

const rules = {
  boolean: (text) => ({ true: true, false: false })[text],
  text: (text) => text,
};

// others: names of more filters, each 'boolean', 'text' or a pattern. Throws a Problem of the kind. Returns
// {filters, parametros, page}: page(found, shown) cuts the page that was asked for and completes
// `parametros`.
export function readList(query, bank, kind, others) {
  const violations = new Violations();
  const demand = (holds, name) =>
    violations.unless(
      holds,
      name,
      `O parâmetro ${name} não respeita o _schema_ ou não faz sentido semanticamente.`,
    );

  const filters = { from: timeOf(query.get('inicio')), to: timeOf(query.get('fim')) };
  const parametros = { inicio: query.get('inicio'), fim: query.get('fim') };
  demand(!Number.isNaN(filters.from), 'inicio');
  if (demand(!Number.isNaN(filters.to), 'fim')) {
    demand(!(filters.to < filters.from), 'fim');
    demand(!bank.settings.refuseFutureFim || filters.to <= bank.now(), 'fim');
  }
  for (const [name, rule] of Object.entries({ ...parties, ...others })) {
    if (!query.has(name)) continue;
    const text = query.get(name);
    const value = rule instanceof RegExp ? (rule.test(text) ? text : undefined) : rules[rule](text);
    if (!demand(value !== undefined, name)) continue;
    filters[name] = value;
    parametros[name] = value;
  }
  demand(!(query.has('cpf') && query.has('cnpj')), 'cpf');

  const wholeNumber = (name, usual, least, most) => {
    const text = query.get(name) ?? String(usual);
    demand(/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, name);
    return Number(text);
  };
  const number = wholeNumber('paginacao.paginaAtual', 0, 0, Infinity);
  const wanted = wholeNumber('paginacao.itensPorPagina', 100, 1, 1000);
  violations.throwAs(kind);
  const size = Math.min(wanted, bank.settings.itemsMax);

  const page = (found, shown) => {
    parametros.paginacao = {
      paginaAtual: number,
      itensPorPagina: size,
      quantidadeDePaginas: Math.max(1, Math.ceil(found.length / size)),
      quantidadeTotalDeItens: found.length,
    };
    return found.slice(number * size, (number + 1) * size).map(shown);
  };
  return { filters, parametros, page };
}
