/** Bytes; pieces of this size or more are kept as they came. */
const largePiece = 4 * 1024;
const tailBytes = 16 * 1024;

/**
 * A body in the pieces it came in. Small ones are put together: a server may send its body byte by byte, and a piece
 * takes more than a hundred bytes besides those in it.
 */
export class Gathered {
  #pieces: Buffer[] = [];
  #tail: Buffer | null = null;
  #tailUsed = 0;

  push(piece: Buffer): void {
    // One piece, the usual case on fast links, is not copied.
    if (piece.length >= largePiece || this.#pieces.length === 0) {
      this.#endTail();
      this.#pieces.push(piece);
      return;
    }
    if (this.#tail !== null && this.#tailUsed + piece.length > tailBytes) this.#endTail();
    this.#tail ??= Buffer.allocUnsafeSlow(tailBytes);
    this.#tailUsed += piece.copy(this.#tail, this.#tailUsed);
  }

  /** The whole body; afterwards nothing is kept here. */
  take(): Buffer {
    this.#endTail();
    const pieces = this.#pieces;
    this.drop();
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  drop(): void {
    this.#pieces = [];
    this.#tail = null;
    this.#tailUsed = 0;
  }

  #endTail(): void {
    if (this.#tail !== null) this.#pieces.push(this.#tail.subarray(0, this.#tailUsed));
    this.#tail = null;
    this.#tailUsed = 0;
  }
}
