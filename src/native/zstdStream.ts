import { addon } from './addon.ts'
import { native } from './errors.ts'

/** Largest piece of the native decoder, bytes: a shorter one is the last of its input. */
const PIECE_BYTES = 128 * 1024

/** Decompresses zstd frames that come in pieces, one behind the other. */
export class ZstdStream {
  readonly #decoder = native(() => new addon.ZstdDecoder())

  /** True where the stream may end. */
  get isWhole(): boolean {
    return this.#decoder.isWhole
  }

  /** The contents of the next bytes, in pieces of at most 128 KiB. @throws NativeError for what is no frame */
  *decode(input: Uint8Array): Generator<Buffer, void, void> {
    let from = 0
    for (;;) {
      const { used, bytes } = native(() => this.#decoder.decode(input, from))
      from += used
      if (bytes.length > 0) yield bytes
      if (from >= input.length && bytes.length < PIECE_BYTES) return
    }
  }
}
