/** Workflows of more than one plain request. Times are seconds since 1970, given by the caller. */

import { createHash } from "node:crypto";

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { deleteAll, show } from "./dynamo.js";
import {
  TABLE,
  type Session,
  countAnAttempt,
  extendASession,
  sessionById,
  sessionsOfAUser,
  startASession,
} from "./patterns.js";

const LIFE_SECONDS = 24 * 3600;
const WINDOW_SECONDS = 300;
const TRIES_MAX = 5;

/** The key of the session of a token. */
export function idOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Starts a session; make the token of its cookie with randomBytes(32). */
export async function signIn(
  db: DynamoDBDocumentClient,
  token: string,
  userId: string,
  device: string,
  now: number,
): Promise<void> {
  const created = new Date(now * 1000).toISOString().replace(".000", "");
  const expires = now + LIFE_SECONDS;
  await startASession(db, { id: idOf(token), userId, created, device, expires, data: {} });
}

/** The session of a request, which lives on; undefined if there is none or it has expired. */
export async function sessionOf(
  db: DynamoDBDocumentClient,
  token: string,
  now: number,
): Promise<Session | undefined> {
  const session = await sessionById(db, idOf(token));
  if (session === undefined || session.expires <= now) return undefined;
  if (session.expires - now >= LIFE_SECONDS / 2) return session;
  try {
    return await extendASession(db, session.id, now + LIFE_SECONDS);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Ends all sessions of a user; their number. */
export async function signOutEverywhere(
  db: DynamoDBDocumentClient,
  userId: string,
): Promise<number> {
  const found = await sessionsOfAUser(db, userId);
  await deleteAll(
    db,
    TABLE,
    found.map(({ id }) => ({ id })),
  );
  return found.length;
}

/** Counts an attempt to sign in; false if there were too many. */
export async function mayTry(
  db: DynamoDBDocumentClient,
  login: string,
  now: number,
): Promise<boolean> {
  const window = Math.floor(now / WINDOW_SECONDS);
  const counted = await countAnAttempt(db, login, window, (window + 2) * WINDOW_SECONDS);
  return counted.tries <= TRIES_MAX;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const now = 4_000_000_000;
  await signIn(db, "token", "cem", "phone", now);
  show("Session", (await sessionOf(db, "token", now + 60))?.userId ?? "none");
  const later = await sessionOf(db, "token", now + 2 * LIFE_SECONDS);
  show("Session after two days", later !== undefined);
  show("Sessions that are ended", await signOutEverywhere(db, "cem"));
  show("Session after that", (await sessionOf(db, "token", now + 60)) !== undefined);
  let allowed = 0;
  for (let each = 0; each < 7; each += 1) {
    if (await mayTry(db, "cem@example.com", now)) allowed += 1;
  }
  show("Attempts that are allowed", allowed);
}
