/** Bytes of all addresses together that a replacement may have. */
const MAX_BYTES = 16 * 1024
/** Words in front of the text: the version, which is odd while it is written, and its bytes. */
const HEAD_WORDS = 2
const HEAD_BYTES = HEAD_WORDS * Int32Array.BYTES_PER_ELEMENT
const VERSION = 0
const LENGTH = 1

/** The addresses of an upstream, which all threads read and one of them replaces. */
export class UpstreamAddresses {
  readonly buffer: SharedArrayBuffer
  readonly #head: Int32Array
  readonly #text: Uint8Array
  #version = -1
  #urls: readonly string[] = []

  /** @param from addresses, or the buffer of another thread's object */
  constructor(from: readonly string[] | SharedArrayBuffer) {
    const isShared = from instanceof SharedArrayBuffer
    this.buffer = isShared
      ? from
      : new SharedArrayBuffer(HEAD_BYTES + Math.max(MAX_BYTES, encoded(from).length))
    this.#head = new Int32Array(this.buffer, 0, HEAD_WORDS)
    this.#text = new Uint8Array(this.buffer, HEAD_BYTES)
    if (!isShared) this.replace(from)
  }

  /** The addresses as they are now: the same array until they are replaced. */
  get urls(): readonly string[] {
    for (let version = this.#load(VERSION); version !== this.#version; version = this.#load(VERSION)) {
      const bytes = this.#text.slice(0, this.#load(LENGTH))
      // Whoever writes is done within microseconds.
      if (version % 2 !== 0 || version !== this.#load(VERSION)) continue
      this.#urls = JSON.parse(Buffer.from(bytes).toString('utf8')) as string[]
      this.#version = version
    }
    return this.#urls
  }

  /** Takes other addresses, in one thread only. @throws RangeError where they are too long */
  replace(urls: readonly string[]): void {
    const bytes = encoded(urls)
    if (bytes.length > this.#text.length)
      throw new RangeError(`addresses have at most ${this.#text.length} bytes`)
    const version = this.#load(VERSION)
    Atomics.store(this.#head, VERSION, version + 1)
    this.#text.set(bytes)
    Atomics.store(this.#head, LENGTH, bytes.length)
    Atomics.store(this.#head, VERSION, version + 2)
  }

  #load(word: number): number {
    return Atomics.load(this.#head, word)
  }
}

function encoded(urls: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(urls), 'utf8')
}
