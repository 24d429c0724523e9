const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const SPACE = 0x20
const LAST_ASCII = 0x7e

const KEYS = ['jsonrpc', 'id', 'method', 'params'].map((name) => ({ name, bytes: Buffer.from(name) }))

const NO_BYTES = Buffer.alloc(0)

/** Digits of an id that every JSON reader takes for the same number. */
const MAX_ID_DIGITS = 15
/** Structures in each other that the scan follows; deeper ones are left to the full parser. */
const MAX_DEPTH = 64

/**
 * Finds method, id and parameters of an ordinary single request without parsing it. The result lies in
 * the fields and is valid until the next scan. Anything unusual — escapes, other members, duplicates,
 * odd ids — is refused, and the full parser decides (`parseBody`). Parameters are only found, not
 * checked: whoever reads them parses them.
 */
export class RequestScanner {
  method = ''
  idStart = 0
  idEnd = 0
  paramsStart = 0
  paramsEnd = 0
  /** Position after the request. */
  end = 0
  #bytes: Buffer = NO_BYTES
  #position = 0

  /** Whether the bytes from `start` on begin with an ordinary request. */
  scan(bytes: Buffer, start = 0): boolean {
    this.#bytes = bytes
    this.#position = start
    this.method = ''
    this.idStart = this.idEnd = this.paramsStart = this.paramsEnd = 0
    const found = this.#scanObject()
    this.#bytes = NO_BYTES
    this.end = this.#position
    return found
  }

  #scanObject(): boolean {
    if (this.#next() !== OPEN_BRACE) return false
    let hasVersion = false
    for (;;) {
      if (this.#next() !== QUOTE) return false
      const keyStart = this.#position
      if (!this.#skipPlainString()) return false
      const key = this.#keyAt(keyStart, this.#position - 1)
      if (this.#next() !== COLON) return false
      const first = this.#next()
      const start = this.#position - 1
      switch (key) {
        case 'jsonrpc':
          if (hasVersion || first !== QUOTE || !this.#skipPlainString()) return false
          hasVersion = true
          break
        case 'method':
          if (this.method !== '' || first !== QUOTE || !this.#skipPlainString()) return false
          this.method = this.#bytes.toString('latin1', start + 1, this.#position - 1)
          break
        case 'id':
          if (this.idEnd !== 0 || !this.#skipId(first)) return false
          this.idStart = start
          this.idEnd = this.#position
          break
        case 'params':
          if (this.paramsEnd !== 0 || first !== OPEN_BRACKET || !this.#skipArray()) return false
          this.paramsStart = start
          this.paramsEnd = this.#position
          break
        default:
          return false
      }
      const after = this.#next()
      // Whatever follows the object is ignored, as the reference does (rpc.md §11).
      if (after === CLOSE_BRACE) return this.method !== '' && this.idEnd !== 0
      if (after !== COMMA) return false
    }
  }

  /** The member name between two positions; null for one that ordinary requests do not have. */
  #keyAt(start: number, end: number): string | null {
    // Making a string of it would take longer than the rest of the scan.
    for (const { name, bytes } of KEYS) {
      if (bytes.length !== end - start || bytes[0] !== this.#bytes[start]) continue
      let same = 1
      while (same < bytes.length && bytes[same] === this.#bytes[start + same]) same += 1
      return same === bytes.length ? name : null
    }
    return null
  }

  /** The next byte that is no white space; -1 at the end. */
  #next(): number {
    const bytes = this.#bytes
    while (this.#position < bytes.length) {
      const byte = bytes[this.#position++] ?? -1
      if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
    return -1
  }

  /** Over the rest of a string of printable ASCII without escapes. */
  #skipPlainString(): boolean {
    const bytes = this.#bytes
    while (this.#position < bytes.length) {
      const byte = bytes[this.#position++] ?? 0
      if (byte === QUOTE) return true
      if (byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH) return false
    }
    return false
  }

  /** Over a plain string or a small integer. */
  #skipId(first: number): boolean {
    if (first === QUOTE) return this.#skipPlainString()
    const bytes = this.#bytes
    let digit = first
    if (digit === MINUS) digit = bytes[this.#position++] ?? -1
    if (digit < ZERO || digit > NINE) return false
    const start = this.#position
    while ((bytes[this.#position] ?? -1) >= ZERO && (bytes[this.#position] ?? -1) <= NINE) this.#position += 1
    const more = this.#position - start
    return more < MAX_ID_DIGITS && (digit !== ZERO || more === 0)
  }

  /** Over the rest of an array, counting brackets outside strings. */
  #skipArray(): boolean {
    const bytes = this.#bytes
    let depth = 1
    while (this.#position < bytes.length) {
      const byte = bytes[this.#position++] ?? 0
      if (byte === QUOTE) {
        if (!this.#skipPlainString()) return false
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        depth += 1
        if (depth > MAX_DEPTH) return false
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        depth -= 1
        if (depth === 0) return byte === CLOSE_BRACKET
      }
    }
    return false
  }
}
