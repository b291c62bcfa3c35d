/** Workflows of more than one plain request: searches around a point, and vehicles that move. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";

import { show } from "./dynamo.js";
import {
  TABLE,
  type Place,
  type Vehicle,
  freeVehiclesOfACell,
  placesOfACell,
  putAPlace,
  takeAVehicle,
} from "./patterns.js";

const SIGNS = "0123456789bcdefghjkmnpqrstuvwxyz";
const PLACE_SIGNS = 5;
const FREE_SIGNS = 6;
const METERS_PER_DEGREE = 111_320;
const CELLS_MAX = 100;

/** The geohash of a point: its bits are halves of longitude and latitude in turn. */
export function geohash(lat: number, lon: number, signs: number): string {
  const longitudes: [number, number] = [-180, 180];
  const latitudes: [number, number] = [-90, 90];
  let code = "";
  let number = 0;
  for (let bit = 0; bit < 5 * signs; bit += 1) {
    const [bounds, value] = bit % 2 === 0 ? [longitudes, lon] : [latitudes, lat];
    const middle = (bounds[0] + bounds[1]) / 2;
    const upper = value >= middle;
    bounds[upper ? 0 : 1] = middle;
    number = number * 2 + (upper ? 1 : 0);
    if (bit % 5 === 4) {
      code += SIGNS[number];
      number = 0;
    }
  }
  return code;
}

/** The cells that the square around a circle touches; throws for more than 100. */
export function cellsAround(lat: number, lon: number, meters: number, signs: number): string[] {
  const height = 180 / 2 ** Math.floor((5 * signs) / 2);
  const width = 360 / 2 ** Math.ceil((5 * signs) / 2);
  const north = meters / METERS_PER_DEGREE;
  const east = north / Math.max(Math.cos(radians(lat)), 0.01);
  const count = (Math.ceil((2 * north) / height) + 1) * (Math.ceil((2 * east) / width) + 1);
  if (count > CELLS_MAX) throw new Error(`${count} cells of ${signs} signs: take shorter ones`);
  const cells = new Set<string>();
  for (const each of steps(lat - north, lat + north, height)) {
    for (const other of steps(lon - east, lon + east, width)) {
      cells.add(geohash(each, ((((other + 180) % 360) + 360) % 360) - 180, signs));
    }
  }
  return [...cells].sort();
}

/** Values from begin to end that leave out no step. */
function* steps(begin: number, end: number, step: number): Generator<number> {
  for (let each = begin; each < end; each += step) yield each;
  yield end;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

type Point = { lat?: number; lon?: number };

/** Meters on a sphere between a point and an item. */
export function distance(lat: number, lon: number, item: Point): number {
  const [otherLat, otherLon] = [item.lat!, item.lon!];
  const half =
    Math.sin(radians(otherLat - lat) / 2) ** 2 +
    Math.cos(radians(lat)) *
      Math.cos(radians(otherLat)) *
      Math.sin(radians(otherLon - lon) / 2) ** 2;
  return 2 * 6_371_000 * Math.asin(Math.sqrt(half));
}

function nearest<T extends Point>(lat: number, lon: number, meters: number, found: T[]): T[] {
  return found
    .filter((each) => distance(lat, lon, each) <= meters)
    .sort((one, other) => distance(lat, lon, one) - distance(lat, lon, other));
}

/** The places within a distance, the nearest first. */
export async function placesNear(
  db: DynamoDBDocumentClient,
  lat: number,
  lon: number,
  meters: number,
): Promise<Partial<Place>[]> {
  const cells = cellsAround(lat, lon, meters, PLACE_SIGNS);
  const found = await Promise.all(cells.map((cell) => placesOfACell(db, cell, cell, `${cell}~`)));
  return nearest(lat, lon, meters, found.flat());
}

/** The free vehicles within a distance, the nearest first. */
export async function freeNear(
  db: DynamoDBDocumentClient,
  lat: number,
  lon: number,
  meters: number,
): Promise<Partial<Vehicle>[]> {
  const cells = cellsAround(lat, lon, meters, FREE_SIGNS);
  const found = await Promise.all(cells.map((cell) => freeVehiclesOfACell(db, cell)));
  return nearest(lat, lon, meters, found.flat());
}

/** Puts a place with its cell. */
export async function place(
  db: DynamoDBDocumentClient,
  placeId: string,
  name: string,
  lat: number,
  lon: number,
): Promise<void> {
  const code = geohash(lat, lon, 9);
  await putAPlace(db, { placeId, name, lat, lon, cell: code.slice(0, PLACE_SIGNS), geohash: code });
}

/** Notes a position; false if a later one is known. */
export async function report(
  db: DynamoDBDocumentClient,
  vehicle: Omit<Vehicle, "freeCell">,
  free: boolean,
): Promise<boolean> {
  const { vehicleId, lat, lon, seen, expires } = vehicle;
  const cell = free ? { ":cell": geohash(lat, lon, FREE_SIGNS) } : {};
  try {
    await db.send(
      new UpdateCommand({
        TableName: TABLE,
        Key: { pk: `VEHICLE#${vehicleId}` },
        UpdateExpression:
          "SET lat = :lat, lon = :lon, seen = :seen, expires = :expires, vehicleId = :id" +
          (free ? ", freeCell = :cell" : " REMOVE freeCell"),
        ConditionExpression: "attribute_not_exists(seen) OR seen < :seen",
        ExpressionAttributeValues: {
          ":lat": lat,
          ":lon": lon,
          ":seen": seen,
          ":expires": expires,
          ":id": vehicleId,
          ...cell,
        },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Takes the nearest vehicle that is free; undefined if there is none. */
export async function takeNearest(
  db: DynamoDBDocumentClient,
  lat: number,
  lon: number,
  meters: number,
): Promise<string | undefined> {
  for (const { vehicleId } of await freeNear(db, lat, lon, meters)) {
    try {
      await takeAVehicle(db, vehicleId!);
      return vehicleId;
    } catch (error) {
      // Somebody was faster.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
  return undefined;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const [lat, lon] = [52.5163, 13.3777];
  show("Geohash", geohash(lat, lon, 9));
  show("Places within a kilometre", await placesNear(db, lat, lon, 1000));
  const later = { vehicleId: "v1", lat: 52.53, lon: 13.41, seen: 3, expires: 4102444800 };
  show("Move", await report(db, later, true));
  show("Move to an older position", await report(db, { ...later, seen: 2 }, true));
  show("Take the nearest", (await takeNearest(db, lat, lon, 1000)) ?? "none");
  show("Take another", (await takeNearest(db, lat, lon, 1000)) ?? "none");
}
