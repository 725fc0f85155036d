// The dashboard's calls of the API, as its sources write them, held against the document.
import { basename } from "node:path";
import { typeOf } from "./api_types.mjs";

const methods = { useGet: "get", "api.get": "get", "api.post": "post", "api.patch": "patch", "api.remove": "delete" };
const call = /(?<![\w.])(useGet|api\.(?:get|post|patch|remove))(?:<((?:[^<>()]|<[^<>]*>)+)>)?\(/g;
const literal = /`([^`]*)`|"([^"]*)"/;
// Where the functions themselves are written.
const own = ["api.ts", "resource.ts"];

// What names of paths stand for: "path" and the like.
const pathsIn = (text) => new Map([...text.matchAll(/const (\w+) = (?:`(\/?[^`]*)`|"(\/api[^"]*)");/g)].map(([, name, template, plain]) => [name, template ?? plain]));

// With a {} in the place of each value.
function pathOf(argument, names) {
  const [, template, plain] = literal.exec(argument) ?? [];
  const name = /\b(\w*[pP]ath)\b/.exec(argument)?.[1];
  const written = template ?? plain ?? names.get(name) ?? "";
  const filled = (path) => path.replace(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g, (_, value) => (names.has(value) ? filled(names.get(value)) : "{}"));
  return filled(written);
}

// Each name that the data of an answer goes by: its type, and those that it is put together from.
function namesOf({ content = {} }) {
  const data = content["application/json"]?.schema?.properties?.data;
  return data ? [typeOf(data), ...(data.allOf ?? []).map((each) => typeOf(each))] : [];
}

const fits = (template, path) => {
  const [parts, given] = [template.split("/"), path.split("/")];
  return parts.length === given.length && parts.every((part, at) => part === given[at] || (/^\{.*\}$/.test(part) && given[at] !== "") || given[at] === "{}");
};

// Returns the number of calls, and a sentence for each whose type is not that of the operation's answer. Calls that
// ignore the answer have the type `unknown`.
export function wrongCalls(document, sources) {
  const wrong = [];
  let calls = 0;
  const shared = new Map(sources.filter(({ file }) => basename(file) === "types.ts").flatMap(({ text }) => [...pathsIn(text)]));
  for (const { file, text } of sources) {
    if (own.includes(basename(file))) continue;
    const names = new Map([...shared, ...pathsIn(text)]);
    for (const { 0: whole, 1: name, 2: type, index } of text.matchAll(call)) {
      calls++;
      const path = pathOf(text.slice(index + whole.length).split(/[,;]|\)\s*=>/)[0], names);
      const known = Object.entries(document.paths).filter(([template, item]) => fits(template, path) && item[methods[name]]);
      const answers = known.flatMap(([, item]) => Object.entries(item[methods[name]].responses).filter(([status]) => status < 300)
        .flatMap(([, answer]) => namesOf(answer)));
      if (known.length === 0) wrong.push(`${file}: ${name} of ${path || "no path that can be read"}`);
      else if (type !== "unknown" && !answers.includes(type)) wrong.push(`${file}: ${name} of ${path} is ${answers.join(" or ")}, not ${type}`);
    }
  }
  return { calls, wrong };
}
