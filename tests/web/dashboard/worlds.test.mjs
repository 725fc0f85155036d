// Production and sandbox in one page: nothing is shown as if it were of the page's environment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { eventsOf } from "./sample_data.mjs";

const marked = (rows) => rows.evaluateAll((all) => all.map((row) => row.textContent.includes("Sandbox")));

test("live events are those of the environment, and of what has none", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const { live, sandbox } = desk.api.worlds;
  for (const [environment, own, other] of [["live", live, sandbox], ["sandbox", sandbox, live]]) {
    const page = await desk.open("/eventos", { environment });
    await eventually(() => desk.api.streams.size === 1);
    const [created] = eventsOf(own.transactions[0]);
    desk.api.tell({ ...eventsOf(other.transactions[0])[0], id: "1".padStart(32, "0") });
    desk.api.tell({ id: "2".padStart(32, "0"), event: "connection.added", environment: null, transactionId: null, customerId: null, occurredAt: created.occurredAt,
      data: { connectionId: created.data.connectionId, alias: "pix", providerId: "pix", providerName: "PIX BR Code", environment: "live" } });
    desk.api.tell({ ...created, id: "3".padStart(32, "0") });
    await page.locator(`[data-event="${"3".padStart(32, "0")}"]`).waitFor();
    assert.deepEqual(await page.locator("[data-event]").evaluateAll((all) => all.map((each) => Number(each.dataset.event))), [3, 2]);
    await page.context().close();
    await eventually(() => desk.api.streams.size === 0);
  }
});

test("deliveries and failed requests of the other environment are marked", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open(`/webhooks/${desk.api.channels[0].id}`);
  await page.getByText("Este webhook recebe avisos da Produção e do Sandbox").waitFor();
  await page.getByRole("table", { name: "Registro de entregas" }).locator("tbody tr").nth(1).getByRole("link").click();
  await page.getByRole("dialog").getByText("Sandbox", { exact: true }).waitFor();
  await page.goto(`${desk.api.url}/requisicoes`);
  await desk.settled(page);
  for (const name of ["Por código e campo", "As mais recentes"]) {
    const rows = await marked(page.getByRole("table", { name }).locator("tbody tr"));
    assert.deepEqual(rows.filter(Boolean).length, 1, name);
  }
});
