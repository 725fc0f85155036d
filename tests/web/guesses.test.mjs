// Guessing payment links finds none, from however many addresses.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { send } from "./site.mjs";
import { customer, stateOf, World } from "./world.mjs";

const guessesAll = 100_000, ofAddress = 30, atOnce = 16;

// The statuses of what an address asks for, one after the other on one connection.
function ask(port, address, paths) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress: `127.3.${address >> 8}.${address & 255}` });
    let text = "";
    socket.on("data", (part) => { text += part.toString("latin1"); });
    socket.on("error", reject);
    socket.on("close", () => resolve([...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status))));
    socket.write(paths.map((path, i) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${i + 1 < paths.length ? "" : "Connection: close\r\n"}\r\n`).join(""));
  });
}

test("none of 100,000 guesses finds an existing session, and its link opens it", async (t) => {
  const world = await World.start(t);
  const session = await world.session({ customer });
  const port = new URL(session.url).port;
  let [address, asked] = [0, 0];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (asked < guessesAll) {
      asked += ofAddress;
      const paths = Array.from({ length: ofAddress }, () => `/pay/${session.id}.${randomBytes(16).toString("base64url")}`);
      const statuses = await ask(port, ++address, paths);
      assert.deepEqual(statuses, Array(ofAddress).fill(404));
    }
  }));
  assert.equal(stateOf(await send(session.url)), "waiting");
});
