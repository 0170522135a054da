/**
 * A pool that makes do with the connections it has when the server gives no more: of `max_connections` or of a limit of the
 * role or the database, all may be taken by others. Whoever asks then waits for a connection of this process.
 */
import pg from 'pg';

/** SQLSTATE of a server, a role or a database whose connections are all taken. */
const tooManyConnections = '53300';
/** Milliseconds after which a pool that got fewer connections than it may have asks for more again. */
const askAgainMs = 30_000;

/** Resolves when whoever asks may have a connection, with the function to be called when it is given back. */
export type TakeTurn = () => Promise<() => void>;

type Connected = Parameters<pg.Pool['connect']>[0];

/** Its fields are private to the compiler alone (no `#`): pools stand behind proxies, which have none of their own. */
export class ModestPool extends pg.Pool {
  private readonly size: number;
  private readonly onScarce: (words: string) => void;
  private readonly turn: TakeTurn | undefined;
  /** What ends the turns of the connections that are in use. */
  private readonly ends = new WeakMap<pg.PoolClient, () => void>();
  private asksAgain: NodeJS.Timeout | undefined;

  /**
   * @param onScarce is told in words that the server gives fewer connections than `max`
   * @param turn is waited for before each use of a connection; absent: whoever comes first
   */
  constructor(
    config: pg.PoolConfig & { readonly max: number },
    onScarce: (words: string) => void,
    turn?: TakeTurn,
  ) {
    super(config);
    this.size = config.max;
    this.onScarce = onScarce;
    this.turn = turn;
    this.on('release', (_error: Error, client: pg.PoolClient) => {
      this.ends.get(client)?.();
      this.ends.delete(client);
    });
  }

  /** @throws the server's error (53300) if this pool has no connection at all */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = this.turn === undefined ? this.connected() : this.inTurn(this.turn);
    if (callback === undefined) return connected;
    connected.then(
      (client) => {
        callback(undefined, client, (release) => {
          client.release(release as Error | undefined);
        });
      },
      (error: unknown) => {
        callback(error as Error, undefined, () => undefined);
      },
    );
    return undefined;
  }

  override async end(): Promise<void> {
    clearTimeout(this.asksAgain);
    await super.end();
  }

  private async inTurn(turn: TakeTurn): Promise<pg.PoolClient> {
    const end = await turn();
    try {
      const client = await this.connected();
      this.ends.set(client, end);
      return client;
    } catch (error) {
      end();
      throw error;
    }
  }

  private async connected(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if ((error as { code?: unknown }).code !== tooManyConnections || this.totalCount === 0) throw error;
        this.makeDo();
      }
    }
  }

  /** Asks for no further connection for a while. */
  private makeDo(): void {
    this.options.max = this.totalCount;
    if (this.asksAgain !== undefined) return;
    this.onScarce(
      `Postgres gives no further connection: work goes on with fewer than ${String(this.size)}. Raise max_connections, or the limit of the role (docs/operations.md)`,
    );
    this.asksAgain = setTimeout(() => {
      this.asksAgain = undefined;
      this.options.max = this.size;
    }, askAgainMs).unref();
  }
}
