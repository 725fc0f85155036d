// The API's document as a judge of what the fake API is asked and answers.
import assert from "node:assert/strict";
import { Document } from "../../oracles/api/document.mjs";
import { documentOf } from "./api_types.mjs";

const isOf = (template, path) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
// As the API does: without a value it is not there, and name[key] is a part of name.
function queryOf(search) {
  const query = {};
  for (const [name, value] of search) {
    const [, whole, key] = /^(\w+)\[(.*)\]$/.exec(name) ?? [];
    if (key !== undefined) (query[whole] ??= {})[key] = value;
    else if (value) query[name] = value;
  }
  return query;
}

// What people are refused with by any operation, as the security scheme userToken says, and an operation that lists it.
const ofPeople = { ERR_AUTH_011: "getCurrentSignIn", ERR_AUTH_012: "listMembers", ERR_AUTH_013: "setPassword" };

const document = new Document(documentOf());
const promises = new Set(document.promises());

export class Contract {
  document = document;
  promises = promises;
  wrong = []; // sentences

  operationOf(method, path) {
    const all = [...this.document.operations.values()].filter((each) => each.method === method && isOf(each.path, path));
    return all.find((each) => each.path === path) ?? all[0];
  }

  // Notes what the document has against an answer and, where it is no refusal, against its request.
  judge({ method, path, query, body }, status, answer) {
    try {
      const operation = this.document.operations.get(ofPeople[answer.code]) ?? this.operationOf(method, path);
      assert.ok(operation || status >= 400, `${method} ${path} is no operation`);
      if (!operation) return;
      // The dashboard's process keeps the token of a sign-in to itself.
      const whole = operation.id === "createSignIn" && status < 300 ? { ...answer, data: { ...answer.data, token: `us_${"a".repeat(43)}` } } : answer;
      this.document.checkBody(operation, status, "application/json", whole);
      const promise = status < 300 ? `${operation.id} ${status}` : `${operation.id} ${status} ${answer.code}`;
      assert.ok(this.promises.has(promise), `the document promises no ${promise}`);
      // Where none is taken it may be {}.
      const given = operation.body || (body && Object.keys(body).length) ? body : undefined;
      if (status < 300) this.document.checkRequest(operation, { query: queryOf(query), body: given });
    } catch (problem) {
      this.wrong.push(problem.message);
    }
  }

  judgeEvent(event) {
    this.judge({ method: "GET", path: "/api/v1/events", query: [] }, 200, { success: true, data: [event], meta: { next: event.id } });
  }
}
