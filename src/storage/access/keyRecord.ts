import { type BeyondHead, isBeyondHead } from '../../config/beyondHead.ts'
import { isRevertForm, type RevertForm } from '../../config/revertForm.ts'
import { AccessError } from './errors.ts'

/** Names of the limits, in the order in which they are listed. */
export const LIMIT_NAMES = ['rate', 'burst', 'dailyQuota', 'concurrency', 'sockets', 'subscriptions'] as const

/** Name of a limit. */
export type LimitName = (typeof LIMIT_NAMES)[number]

/**
 * Limits of a key: cost units a second, cost units at once, cost units a day, requests at once, WebSockets
 * and subscriptions. 0 means unlimited, null the node's default for keys.
 */
export type KeyLimits = Readonly<Record<LimitName, number | null>>

/** No limits of its own. */
export const NO_OWN_LIMITS: KeyLimits = {
  rate: null,
  burst: null,
  dailyQuota: null,
  concurrency: null,
  sockets: null,
  subscriptions: null,
}

/** An API key: what it may access, and its limits. The secret is not stored, only its hash. */
export interface KeyRecord {
  /** Identifies the key in lists, logs and metrics. */
  readonly id: string
  /** Free text of the operator, such as the name of the client. */
  readonly name: string
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Buffer
  /** Milliseconds since 1970. */
  readonly created: number
  readonly disabled: boolean
  /** True when the key is defined in a file of keys, where it has to be changed. */
  readonly fromFile: boolean
  /** True when the key is one of the fleet, where it has to be changed; its table says so, not its record. */
  readonly fromFleet: boolean
  /** The secret before the last rotation, while it is still valid. */
  readonly previous: PreviousSecret | null
  /** Methods it may call; null for all of its modules. */
  readonly methods: ReadonlySet<string> | null
  /** Modules it may call; null for all, unless methods are named. */
  readonly modules: ReadonlySet<string> | null
  /** Origins of web pages that may use it; null is any. */
  readonly origins: ReadonlySet<string> | null
  /** Form of revert errors for its callers; null for the node's default. */
  readonly revertErrors: RevertForm | null
  /** The wish of its callers for ranges of logs that end beyond the head; null for the node's default. */
  readonly beyondHead: BeyondHead | null
  readonly limits: KeyLimits
}

/** A secret that was replaced. */
export interface PreviousSecret {
  /** SHA-256, 32 bytes. */
  readonly hash: Buffer
  /** Milliseconds since 1970 after which it is refused. */
  readonly until: number
}

/** Ids that are easy to type, and to read in a log. */
export const KEY_ID = /^[A-Za-z0-9._@-]{1,64}$/

const HASH = /^[0-9a-f]{64}$/

/** The stored form of a key. */
export function encodeKey(key: KeyRecord): Buffer {
  const list = (names: ReadonlySet<string> | null) => (names === null ? null : [...names])
  const { hash, previous, methods, modules, origins, fromFleet: _, ...plain } = key
  const text = JSON.stringify({
    ...plain,
    hash: hash.toString('hex'),
    previous: previous && { hash: previous.hash.toString('hex'), until: previous.until },
    methods: list(methods),
    modules: list(modules),
    origins: list(origins),
  })
  return Buffer.from(text)
}

/**
 * A key out of its stored form.
 * @throws AccessError `ACCESS_DAMAGED`
 */
export function decodeKey(id: string, bytes: Buffer): KeyRecord {
  const damaged = (cause?: unknown) =>
    new AccessError('ACCESS_DAMAGED', `the record of the key ${id} in the access store is unreadable`, {
      cause,
    })
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw damaged(error)
  }
  const key = isRecord(value) ? readKey(value) : null
  if (key === null || key.id !== id) throw damaged()
  return key
}

function readKey(value: Readonly<Record<string, unknown>>): KeyRecord | null {
  const { id, name, created, disabled, fromFile } = value
  const hash = readHash(value['hash'])
  const previous = readPrevious(value['previous'])
  const [methods, modules, origins] = ['methods', 'modules', 'origins'].map((list) => readNames(value[list]))
  const limits = readLimits(value['limits'])
  // Records of earlier releases do not have them.
  const revertErrors = value['revertErrors'] ?? null
  const beyondHead = value['beyondHead'] ?? null
  if (typeof id !== 'string' || typeof name !== 'string' || typeof created !== 'number') return null
  if (typeof disabled !== 'boolean' || typeof fromFile !== 'boolean' || hash === null) return null
  if (previous === undefined || methods === undefined || modules === undefined) return null
  if (origins === undefined || limits === null) return null
  if (revertErrors !== null && !isRevertForm(revertErrors)) return null
  if (beyondHead !== null && !isBeyondHead(beyondHead)) return null
  const opens = { methods, modules, origins, revertErrors, beyondHead }
  return { id, name, hash, created, disabled, fromFile, fromFleet: false, previous, ...opens, limits }
}

function readHash(value: unknown): Buffer | null {
  return typeof value === 'string' && HASH.test(value) ? Buffer.from(value, 'hex') : null
}

function readPrevious(value: unknown): PreviousSecret | null | undefined {
  if (value === null) return null
  if (!isRecord(value)) return undefined
  const hash = readHash(value['hash'])
  const until = value['until']
  return hash === null || typeof until !== 'number' ? undefined : { hash, until }
}

function readNames(value: unknown): ReadonlySet<string> | null | undefined {
  if (value === null) return null
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? new Set(value) : undefined
}

function readLimits(value: unknown): KeyLimits | null {
  if (!isRecord(value)) return null
  const limits: Record<LimitName, number | null> = { ...NO_OWN_LIMITS }
  for (const name of LIMIT_NAMES) {
    const limit = value[name] ?? null
    if (limit !== null && !Number.isSafeInteger(limit)) return null
    limits[name] = limit as number | null
  }
  return limits
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
