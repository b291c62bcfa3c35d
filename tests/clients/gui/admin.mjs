// A person with dynamodb-admin in a browser: makes a table, puts, edits, queries and deletes items.
// Arguments: the address of dynamodb-admin, the path of the browser, a folder for pictures.
import { chromium } from "playwright-core";

const [address, executablePath, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
page.setDefaultTimeout(20_000);
page.on("dialog", (dialog) => dialog.accept());
const seen = {};
const picture = (name) => page.screenshot({ path: `${folder}/${name}.png` });
const fill = (name, value) => page.fill(`input[name="${name}"]`, value);
const choose = (name, value) => page.selectOption(`select[name="${name}"]`, value);
const shown = async () => {
  await page.waitForSelector("#table-placeholder", { state: "hidden" });
  return page.locator("#items-container tr").allInnerTexts();
};
const write = async (item) => {
  await page.evaluate((text) => editor.setValue(text), JSON.stringify(item));
  const saved = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.click("#saveButton");
  return (await saved).status();
};

await page.goto(`${address}/create-table`);
await fill("TableName", "Music");
await fill("HashAttributeName", "artist");
await choose("HashAttributeType", "S");
await fill("RangeAttributeName", "song");
await choose("RangeAttributeType", "S");
await page.click("#new-index");
const index = await page.locator('input[name$="-IndexName"]').last().getAttribute("name");
const prefix = index.slice(0, -"IndexName".length);
await fill(index, "by-year");
await fill(`${prefix}HashAttributeName`, "year");
await choose(`${prefix}HashAttributeType`, "N");
await Promise.all([
  page.waitForURL(`${address}/`),
  page.locator('form button[type="submit"], form input[type="submit"]').last().click(),
]);
const list = page.locator("#table-list li");
seen.tables = await list.evaluateAll((rows) => rows.map((row) => row.dataset.tableName));
await picture("tables");

seen.saved = [];
for (const [artist, song, year] of [
  ["Nina Simone", "Sinnerman", 1965],
  ["Nina Simone", "Feeling Good", 1965],
  ["Björk", "Jóga", 1997],
]) {
  await page.goto(`${address}/tables/Music/add-item`);
  const opened = page.waitForURL(/\/items\//);
  seen.saved.push(await write({ artist, song, year, tags: ["live", { deep: null }] }));
  await opened;
}
await page.goto(`${address}/tables/Music`);
seen.all = await shown();
await picture("items");

const filters = { year: { type: "N", operator: "=", value: "1965" } };
const query = new URLSearchParams({
  operationType: "query", queryableSelection: "by-year", filters: JSON.stringify(filters),
});
await page.goto(`${address}/tables/Music?${query}`);
seen.queried = await shown();
await picture("query");

await page.goto(`${address}/tables/Music`);
await shown();
await page.locator("#items-container tr", { hasText: "Sinnerman" }).locator("a").first().click();
await page.waitForSelector("#saveButton");
const item = JSON.parse(await page.evaluate(() => editor.getValue()));
seen.opened = item;
seen.saved.push(await write({ ...item, year: 2003 }));
await picture("edited");
await page.goto(page.url());
seen.edited = JSON.parse(await page.evaluate(() => editor.getValue()));

await Promise.all([page.waitForURL(`${address}/tables/Music`), page.click("text=Delete")]);
seen.left = await shown();

await page.goto(`${address}/tables/Music/meta`);
seen.meta = (await page.content()).includes("by-year");
await page.goto(`${address}/tables/Music/ttl`);
seen.ttl = (await page.content()).includes("DISABLED");

await page.goto(address);
const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
const loaded = page.waitForEvent("load"); // the page loads itself again
await page.locator('li[data-table-name="Music"]').getByText("Delete").click();
seen.deleted = (await deleted).status();
await loaded;
seen.gone = await list.count();
await browser.close();
process.stdout.write(JSON.stringify(seen));
