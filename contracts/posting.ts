/** The result of one message to a webhook's receiver: the contract between net/ and its callers. */

export interface Post {
  /** Absolute http(s) URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Milliseconds for the whole exchange, connect to last byte. */
  readonly timeoutMs: number;
}

export type PostResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Lower-case names. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'fault';
      /** One sentence for people; it must tell nothing about our own network. */
      readonly message: string;
      /** The trouble is on our side: the receiver is not to blame. */
      readonly isOurs: boolean;
    };

/** Rejects only if this machine is out of files, sockets or memory. Redirects are answered, not followed. */
export type Poster = (post: Post) => Promise<PostResult>;
