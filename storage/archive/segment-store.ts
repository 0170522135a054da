/** Where segments are kept. test/storage/segment-store.conformance.ts says what every implementation must do. */
export interface SegmentStore {
  /** The folder in which segments begin. */
  readonly folder: string;
  /**
   * Whether segments leave the folder when they are closed. Until then only processes that have the folder read them.
   * False: every process has the folder.
   */
  readonly settles: boolean;
  /** Begins a segment. Rejects where one of this name exists: nobody writes to the segment of another process. */
  create(name: string): Promise<SegmentWriter>;
  /** Null: the segment is gone, or ends before that. */
  read(name: string, at: number, length: number): Promise<Buffer | null>;
  /** Removes what follows these bytes. A segment that is gone, or shorter, stays as it is. */
  cut(name: string, length: number): Promise<void>;
  /** Removes a segment, if it is there. */
  remove(name: string): Promise<void>;
  /**
   * Brings a closed segment of so many bytes to where every process reads it and where it stays; readers find it all
   * the while. Does nothing if the segment is there already. After a kill or a failure the next call goes on with it.
   * @param goesOn asked before each step of some seconds
   * @returns false: `goesOn` ended it
   */
  settle(name: string, length: number, goesOn: () => Promise<boolean>): Promise<boolean>;
  /** Gives back what calls of `settle` have begun before this time and nobody will end. */
  tidy(before: Date): Promise<void>;
  /** Bytes that this process may still append. */
  freeBytes(): Promise<number>;
  /** Resolves where so many bytes can be appended and read, and settled segments too. */
  probe(bytes: number): Promise<void>;
}

export interface SegmentWriter {
  /** Bytes that were appended. */
  readonly length: number;
  /** After an append that could not be undone: the end of the segment is not known, and it takes no more. */
  readonly broken: boolean;
  /** Resolves once the bytes are durable and others can read them. Rejects when none of them count. */
  append(parts: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}
