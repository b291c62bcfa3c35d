/** Workflows of more than one plain request: paths, uploads, versions and moves. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { type Item, show, transact } from "./dynamo.js";
import {
  TABLE,
  type Entry,
  type File,
  type Key,
  type Version,
  entryByName,
  entryItem,
  fileItem,
  fileWithVersionsAndShares,
  listAFolder,
  usedSpace,
  versionItem,
} from "./patterns.js";

const NEW = "attribute_not_exists(pk)";

type Content = Omit<Version, "fileId" | "version">;

/** The entry of a path such as trips/map.png; undefined if a step is missing. */
export async function resolve(
  db: DynamoDBDocumentClient,
  rootId: string,
  path: string,
): Promise<(Entry & Key) | undefined> {
  let entry: (Entry & Key) | undefined;
  let parent = rootId;
  for (const name of path.split("/")) {
    entry = await entryByName(db, parent, name);
    if (entry === undefined) return undefined;
    parent = entry.childId;
  }
  return entry;
}

/** Adds a file with its first version: "added", "exists" if the folder has the name, or "full". */
export async function addAFile(
  db: DynamoDBDocumentClient,
  owner: string,
  entry: Omit<Entry, "isFolder">,
  content: Content,
): Promise<string> {
  const fileId = entry.childId;
  const items = [
    entryItem({ ...entry, isFolder: false }),
    fileItem({ fileId, owner, version: 1 }),
    versionItem({ fileId, version: 1, ...content }),
  ];
  const puts = items.map((each) => ({ Put: put(each) }));
  const codes = await transact(db, [...puts, { Update: await charge(db, owner, content.bytes) }]);
  return outcome(codes, "exists");
}

/** Adds a version after the one that was read: "added", "conflict", or "full". */
export async function addAVersion(
  db: DynamoDBDocumentClient,
  file: File,
  content: Content,
): Promise<string> {
  const { fileId, owner, version: seen } = file;
  const Update = {
    TableName: TABLE,
    Key: { pk: `FILE#${fileId}`, sk: "FILE" },
    UpdateExpression: "SET version = :next",
    ConditionExpression: "version = :seen",
    ExpressionAttributeValues: { ":seen": seen, ":next": seen + 1 },
  };
  const codes = await transact(db, [
    { Update },
    { Put: put(versionItem({ fileId, version: seen + 1, ...content })) },
    { Update: await charge(db, owner, content.bytes) },
  ]);
  return outcome(codes, "conflict");
}

function put(item: Item) {
  return { TableName: TABLE, Item: item, ConditionExpression: NEW };
}

/** The update of a quota. What is allowed changes rarely, what is used is compared. */
async function charge(db: DynamoDBDocumentClient, owner: string, bytes: number) {
  const allowed = (await usedSpace(db, owner))?.allowed ?? 0;
  return {
    TableName: TABLE,
    Key: { pk: `USER#${owner}`, sk: "QUOTA" },
    UpdateExpression: "ADD used :bytes",
    ConditionExpression: "used <= :room",
    ExpressionAttributeValues: { ":bytes": bytes, ":room": allowed - bytes },
  };
}

function outcome(codes: string[], refused: string): string {
  if (codes.length === 0) return "added";
  return codes.slice(0, -1).includes("ConditionalCheckFailed") ? refused : "full";
}

/**
 * Moves and renames an entry; false if it is gone, or the folder has the name. A folder must not be
 * moved below itself: compare the steps of the target's path before.
 */
export async function moveAnEntry(
  db: DynamoDBDocumentClient,
  entry: Entry,
  parentId: string,
  name: string,
): Promise<boolean> {
  const { childId, isFolder } = entry;
  const { pk, sk } = entryItem(entry);
  const Delete = {
    TableName: TABLE,
    Key: { pk, sk },
    ConditionExpression: "childId = :child",
    ExpressionAttributeValues: { ":child": childId },
  };
  const Put = put(entryItem({ parentId, name, childId, isFolder }));
  return (await transact(db, [{ Delete }, { Put }])).length === 0;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  show("Resolve", await resolve(db, "root-ada", "trips/map.png"));
  const written = "2026-11-21T10:00:00Z";
  const content = { sha256: "ff", bytes: 500, object: "ff/ff", written };
  const entry = { parentId: "f-trips", name: "plan.txt", childId: "x-plan" };
  show("Add a file", await addAFile(db, "ada", entry, content));
  show("Add it again", await addAFile(db, "ada", { ...entry, childId: "x-other" }, content));
  const file = (await fileWithVersionsAndShares(db, "x-plan"))[0] as File;
  show("Add a version", await addAVersion(db, file, content));
  show("Add a version to what was read before", await addAVersion(db, file, content));
  const large = { ...content, bytes: 10 ** 9 };
  show("Add what has no room", await addAVersion(db, { ...file, version: 2 }, large));
  const folder = { parentId: "root-ada", name: "trips", childId: "f-trips", isFolder: true };
  show("Move a folder", await moveAnEntry(db, folder, "root-ada", "travel"));
  show("Resolve below it", await resolve(db, "root-ada", "travel/plan.txt"));
  show("Root", await listAFolder(db, "root-ada"));
}
