/** Where segments are kept. test/storage/segment-store.conformance.ts says what every implementation must do. */
export interface SegmentStore {
  /** Begins a segment. Rejects where one of this name exists: nobody writes to the segment of another process. */
  create(name: string): Promise<SegmentWriter>;
  /** Null: the segment is gone, or ends before that. */
  read(name: string, at: number, length: number): Promise<Buffer | null>;
  /** Removes what follows these bytes. A segment that is gone, or shorter, stays as it is. */
  cut(name: string, length: number): Promise<void>;
  /** Removes a segment, if it is there. */
  remove(name: string): Promise<void>;
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
