// What two looks at the capacity of a table tell: rates of partitions, splits, averages of an hour.

/** The units a second that one partition serves at most. */
const READS_MAX = 3000;
const WRITES_MAX = 1000;
const LEVELS = [0, 0.0001, 0.05, 0.2, 0.5, 0.8];
const DIGITS = 12;

/** Where a range of partition hashes begins, from 0 to 1. */
export const startOf = (hex) => Number.parseInt(hex.slice(0, DIGITS).padEnd(DIGITS, "0"), 16) / 16 ** DIGITS;
const endOf = (hex) => (hex === "" ? 1 : startOf(hex));
const perCent = (share) => `${(100 * share).toFixed(share && share < 0.1 ? 1 : 0)} %`;

/** A range of hashes in words. */
export function rangeText({ start, end }) {
  const inside = start.length > 32 || end.length > 32;
  return inside ? "part of one partition key" : `${perCent(startOf(start))} to ${perCent(endOf(end))}`;
}

/** How full a partition is, in steps from 0 to 5. */
export const levelOf = ({ reads, writes }) => LEVELS.findLastIndex((least) => Math.max(reads / READS_MAX, writes / WRITES_MAX) >= least);

const placeName = ({ index }) => index || "the table";

/** The partitions of a place, with rates since an earlier look; rates are undefined without one. */
export function partitionsOf(place, before, seconds) {
  const old = new Map(before?.partitions.map((each) => [each.number, each]));
  return place.partitions.map((each) => {
    const known = old.get(each.number) ?? { ...each, ...(before ? { read_units: 0, write_units: 0, throttled_reads: 0, throttled_writes: 0 } : {}) };
    const grown = (member) => Math.max(0, each[member] - known[member]) / seconds;
    return {
      ...each, width: Math.max(0.004, endOf(each.end) - startOf(each.start)), isNew: Boolean(before) && !old.has(each.number),
      ...(before ? { reads: grown("read_units"), writes: grown("write_units"), throttled: grown("throttled_reads") + grown("throttled_writes") } : { reads: 0, writes: 0, throttled: 0 }),
    };
  });
}

/** The splits between two looks, in words. */
export function splitsOf(places, before) {
  return places.flatMap((place) => {
    const earlier = before.find((each) => each.index === place.index);
    if (!earlier) return [];
    const now = new Set(place.partitions.map((each) => each.number));
    return earlier.partitions.filter((each) => !now.has(each.number)).map((gone) => {
      const children = place.partitions.filter((each) => each.start >= gone.start && (!gone.end || each.start < gone.end));
      return `Partition ${gone.number} of ${placeName(place)} was split into ${children.map((each) => each.number).join(", ")}`;
    });
  });
}

/** The average and the highest load of some minutes. */
export function loadOf(minutes) {
  const seconds = minutes.reduce((sum, each) => sum + each.seconds, 0);
  const average = (member) => (seconds ? minutes.reduce((sum, each) => sum + each[member] * each.seconds, 0) / seconds : 0);
  const peak = (member) => Math.max(0, ...minutes.filter((each) => each.seconds >= 10).map((each) => each[member]));
  const of = (member) => {
    const mean = average(member);
    return [mean, mean ? Math.max(1, peak(member) / mean) : 1];
  };
  const [reads, readPeak] = of("read_units");
  const [writes, writePeak] = of("write_units");
  return { reads, writes, readPeak, writePeak, seconds };
}

/** The share of the hottest key of the table in the sampled requests; 0 if no key is hot. */
export function hotShareOf({ hot_keys: keys = [] }, name) {
  const own = keys.filter((each) => each.table === name || each.table.endsWith(`:${name}`));
  const total = own.reduce((sum, each) => sum + each.count, 0);
  return own[0]?.count > 4 && own[0].count / total >= 0.05 ? own[0].count / total : 0;
}
