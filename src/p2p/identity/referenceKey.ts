/** Longest file of a key that is read, bytes. */
export const MAX_KEY_FILE_BYTES = 16 * 1024

const KEY_DIGITS = /^(?:0x)?([0-9a-f]{64})$/i
const PROPERTY = /^\s*(\w+)\s*[=:]\s*(.*?)\s*$/
/** The properties of the reference's file (p2p.md §0). */
const REFERENCE_KEY = 'nodeIdPrivateKey'
const REFERENCE_ID = 'nodeId'

/** A key as a file has it. */
export interface KeyText {
  /** 32 bytes. */
  readonly privateKey: Buffer
  /** The node id that the file names beside it, 128 lower-case hex digits; null where there is none. */
  readonly id: string | null
}

/**
 * Reads the reference's `nodeId.properties`, or 64 hex digits by themselves.
 * @throws RangeError for any other text; it does not repeat the text, which may be a key
 */
export function parseKeyText(text: string): KeyText {
  const plain = KEY_DIGITS.exec(text.trim())?.[1]
  if (plain !== undefined) return { privateKey: Buffer.from(plain, 'hex'), id: null }
  const properties = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*[#!]/.test(line)) continue
    const [, name, value] = PROPERTY.exec(line) ?? []
    if (name !== undefined && value !== undefined) properties.set(name, value)
  }
  const written = properties.get(REFERENCE_KEY)
  if (written === undefined) {
    throw new RangeError(`64 hex digits or a line ${REFERENCE_KEY}=<64 hex digits> expected`)
  }
  const digits = KEY_DIGITS.exec(written)?.[1]
  if (digits === undefined) throw new RangeError(`${REFERENCE_KEY} is not 64 hex digits`)
  return { privateKey: Buffer.from(digits, 'hex'), id: properties.get(REFERENCE_ID)?.toLowerCase() ?? null }
}
