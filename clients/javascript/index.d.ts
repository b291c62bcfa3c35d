export interface Server {
  endpoint: string;
  stop(): Promise<void>;
}

/** Options of AWS's clients: `new DynamoDBClient(account())`. */
export interface Account {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** Starts a server, or connects to the one at TEST_HASHRANGE_ENDPOINT; `settings` are options of it. */
export function start(options?: { settings?: string[] }): Promise<Server>;
/** Variables with which each AWS SDK uses the server. */
export function environment(endpoint: string): Record<string, string>;
/** An account without tables. */
export function account(): Account;
