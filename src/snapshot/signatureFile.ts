import { SnapshotError } from './errors.ts'
import { describeVersion } from './otherVersion.ts'

/** Name of the signatures in the folder of a snapshot. */
export const SIGNATURES_FILE = 'signatures.json'

/** Largest file of signatures that is read, in bytes: more signers than anybody has. */
export const MAX_SIGNATURE_BYTES: number = 64 * 1024

const VERSION = 1

/** One signature of several signers. */
export interface SnapshotSignatures {
  /** The signed snapshot: SHA-256 of its manifest, 64 hex digits. */
  readonly snapshot: string
  /** Public keys, 96 hex digits each, ascending. */
  readonly signers: readonly string[]
  /** Aggregate of their signatures, 192 hex digits. */
  readonly signature: string
}

/** Content of the file. */
export function formatSignatures({ snapshot, signers, signature }: SnapshotSignatures): string {
  return `${JSON.stringify({ version: VERSION, snapshot, signers, signature }, null, 1)}\n`
}

/**
 * Parses the file.
 * @throws SnapshotError `SNAPSHOT_SIGNATURE` for a malformed file, and for a duplicate signer
 */
export function parseSignatures(bytes: Buffer): SnapshotSignatures {
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null) throw malformed('an object expected')
  const { version, snapshot, signers, signature } = value as Record<string, unknown>
  if (version !== VERSION) throw malformed(describeVersion(version, VERSION, undefined))
  if (!isHex(snapshot, 64)) throw malformed('snapshot of 64 hex digits expected')
  if (!isHex(signature, 192)) throw malformed('signature of 192 hex digits expected')
  if (!Array.isArray(signers) || signers.length === 0) throw malformed('signers expected')
  const keys = signers.map((signer: unknown) => {
    if (!isHex(signer, 96)) throw malformed('signers of 96 hex digits expected')
    return signer
  })
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw malformed(`it names the signer ${twice} twice`)
  return { snapshot, signers: keys, signature }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new SnapshotError('SNAPSHOT_SIGNATURE', `${SIGNATURES_FILE} is no JSON`, { cause: error })
  }
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value)
}

function malformed(what: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_SIGNATURE', `${SIGNATURES_FILE}: ${what}`)
}
