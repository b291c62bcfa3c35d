/** Workflows of more than one plain request: storing, reading over days, hours, and the archive. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";

import { type Item, getAll, putAll, show } from "./dynamo.js";
import {
  TABLE,
  type Key,
  type Latest,
  type Reading,
  devicesOfASite,
  hoursOfAMonth,
  latestItem,
  readingItem,
  readingsOfAPeriod,
  storeAnHour,
} from "./patterns.js";

/** The principal of deletions by time to live, in records of the stream. */
const EXPIRY = "dynamodb.amazonaws.com";

/** Puts readings of a device, in any order; whether one of them is the latest. */
export async function store(
  db: DynamoDBDocumentClient,
  deviceId: string,
  readings: Pick<Reading, "at" | "celsius" | "bar">[],
  expires: number,
): Promise<boolean> {
  const items = readings.map((each) =>
    readingItem({ deviceId, day: each.at.slice(0, 10), expires, ...each }),
  );
  await putAll(db, TABLE, items);
  const newest = readings.reduce((one, other) => (other.at > one.at ? other : one));
  try {
    await db.send(
      new PutCommand({
        TableName: TABLE,
        Item: latestItem({ deviceId, ...newest }),
        ConditionExpression: "attribute_not_exists(#at) OR #at < :at",
        ExpressionAttributeNames: { "#at": "at" },
        ExpressionAttributeValues: { ":at": newest.at },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** The readings of some days, a Query for each, at the same time. */
export async function readingsBetween(
  db: DynamoDBDocumentClient,
  deviceId: string,
  begin: string,
  end: string,
): Promise<(Reading & Key)[]> {
  const queries: Promise<(Reading & Key)[]>[] = [];
  const day = new Date(`${begin.slice(0, 10)}T00:00:00Z`);
  while (day.toISOString().slice(0, 10) <= end.slice(0, 10)) {
    queries.push(readingsOfAPeriod(db, deviceId, day.toISOString().slice(0, 10), begin, end));
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return (await Promise.all(queries)).flat();
}

/** Puts what remains of an hour, as 2026-11-20T10; false if it has no readings. */
export async function rollUp(
  db: DynamoDBDocumentClient,
  deviceId: string,
  hour: string,
): Promise<boolean> {
  const found = await readingsOfAPeriod(db, deviceId, hour.slice(0, 10), hour, `${hour}:59:59Z`);
  if (found.length === 0) return false;
  const values = found.map((each) => each.celsius);
  await storeAnHour(db, {
    deviceId,
    month: hour.slice(0, 7),
    hour,
    readings: values.length,
    low: Math.min(...values),
    high: Math.max(...values),
    sum: values.reduce((sum, each) => sum + each, 0),
  });
  return true;
}

/** The latest readings of all devices of a site, by device. */
export async function dashboard(
  db: DynamoDBDocumentClient,
  siteId: string,
): Promise<(Latest & Key)[]> {
  const devices = await devicesOfASite(db, siteId);
  const keys = devices.map(({ deviceId }) => ({ pk: `DEVICE#${deviceId}`, sk: "LATEST" }));
  const found = await getAll<Latest & Key>(db, TABLE, keys);
  return found.sort((one, other) => one.pk.localeCompare(other.pk));
}

/** Lines of JSON for the archive: readings among records that time to live has deleted. */
export function archived(records: Item[]): string[] {
  return records
    .filter((each) => each["userIdentity"]?.principalId === EXPIRY)
    .map((each) => each["dynamodb"]?.OldImage ?? {})
    .filter((image) => "day" in image)
    .map((image: Record<string, Record<string, unknown>>) => {
      const plain = Object.entries(image).map(([name, value]) => [name, Object.values(value)[0]]);
      return JSON.stringify(Object.fromEntries(plain));
    });
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const readings = [
    { at: "2026-11-20T23:59:55Z", celsius: 18, bar: 3 },
    { at: "2026-11-21T00:00:05Z", celsius: 17, bar: 3 },
  ];
  show("Store readings", await store(db, "d1", readings, 4102444800));
  show("Store them again", await store(db, "d1", readings, 4102444800));
  const found = await readingsBetween(db, "d1", "2026-11-20T23:00:00Z", "2026-11-21T01:00:00Z");
  show("Readings around midnight", found);
  show("Roll an hour up", await rollUp(db, "d1", "2026-11-20T10"));
  show("Hours", await hoursOfAMonth(db, "d1", "2026-11"));
  show("Dashboard", await dashboard(db, "north"));
}
