/** Code as a compiler wrote it, in which a deployment fills in addresses and constants. */
export interface CodePattern {
  /** Zero where something is filled in. */
  readonly code: Buffer
  /** First byte and end of each part that is filled in, ascending. */
  readonly gaps: readonly (readonly [start: number, end: number])[]
}

/** `__$…$__` and, of older compilers, `__Name____`: 20 bytes for the address of a library. */
const LIBRARY = /__.{38}/g
const HEX = /^(?:[0-9a-fA-F]{2})*$/
/** PUSH32 of zero stands for an immutable, and PUSH20 of zero at the first byte for a library's own address. */
const IMMUTABLE = Buffer.concat([Buffer.from([0x7f]), Buffer.alloc(32)])
const OWN_ADDRESS = Buffer.concat([Buffer.from([0x73]), Buffer.alloc(20)])
/** First bytes of a CBOR map of one to four members, which compilers put behind the code. */
const FIRST_MAP = 0xa1
const LAST_MAP = 0xa4

/**
 * Reads code of an artifact.
 * @param text hex digits with or without 0x, in which names of libraries may stand
 * @returns null where there is no code
 */
export function readCode(text: unknown): CodePattern | null {
  if (typeof text !== 'string') return null
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const linked = digits.replaceAll(LIBRARY, '0'.repeat(40))
  if (linked === '' || !HEX.test(linked)) return null
  const libraries = [...digits.matchAll(LIBRARY)].map(({ index }) => [index / 2, index / 2 + 20] as const)
  return { code: Buffer.from(linked, 'hex'), gaps: libraries }
}

/** The same for code of an account, in which immutables are filled in as well. */
export function readRuntimeCode(text: unknown): CodePattern | null {
  const pattern = readCode(text)
  if (pattern === null) return null
  const { code } = pattern
  const gaps = [...pattern.gaps]
  if (code.subarray(0, OWN_ADDRESS.length).equals(OWN_ADDRESS)) gaps.push([1, OWN_ADDRESS.length])
  for (let at = code.indexOf(IMMUTABLE); at >= 0; at = code.indexOf(IMMUTABLE, at + IMMUTABLE.length))
    gaps.push([at + 1, at + IMMUTABLE.length])
  gaps.sort(([a], [b]) => a - b)
  const end = withoutMetadata(code)
  return { code: code.subarray(0, end), gaps: gaps.filter(([, last]) => last <= end) }
}

/**
 * Where the code ends and the compiler's metadata begin, which change with a comment. Code without metadata ends where
 * its bytes do.
 */
export function withoutMetadata(code: Buffer): number {
  if (code.length < 2) return code.length
  const start = code.length - 2 - code.readUInt16BE(code.length - 2)
  const first = code[start] ?? 0
  return start > 0 && first >= FIRST_MAP && first <= LAST_MAP ? start : code.length
}

/** True when code begins with a pattern, whatever is in its gaps. */
export function beginsWith(code: Buffer, { code: pattern, gaps }: CodePattern): boolean {
  if (code.length < pattern.length) return false
  let position = 0
  for (const [start, end] of [...gaps, [pattern.length, pattern.length] as const]) {
    if (start > position && code.compare(pattern, position, start, position, start) !== 0) return false
    position = Math.max(position, end)
  }
  return true
}
