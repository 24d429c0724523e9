import { disconnectReasonName } from '../../../../src/p2p/messages/codes.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'

/** A message as the recorded lines write it. */
export type Recorded = Readonly<Record<string, unknown>>

const BIG_NUMBERS: ReadonlySet<string> = new Set(['id', 'totalDifficulty', 'difficulties'])
/** Digits of a node's id, which has the name of a request's. */
const NODE_ID_DIGITS = 128
const TEXTS: ReadonlySet<string> = new Set(['clientId', 'name', 'check', 'host'])
/** What is called otherwise there. */
const RECORDED_NAMES: Readonly<Record<string, string>> = {
  totalDifficulties: 'difficulties',
  client: 'clientId',
}
const OWN_NAMES = Object.fromEntries(Object.entries(RECORDED_NAMES).map(([own, recorded]) => [recorded, own]))

/** A value as recorded: bytes in hex, big numbers as decimal text, nothing for null. */
export function toRecorded(value: object): Recorded {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      inner === null ? [] : [[RECORDED_NAMES[key] ?? key, recordedValue(inner)]],
    ),
  )
}

/** A value of what was recorded; its type says which fields it must have. */
export function fromRecorded<T>(recorded: Recorded): T {
  return Object.fromEntries(
    Object.entries(recorded).map(([key, inner]) => [OWN_NAMES[key] ?? key, ownValue(key, inner)]),
  ) as T
}

/** An RSK message as recorded: its type is the name of the line, not a field. */
export function peerMessageToRecorded(message: PeerMessage): Recorded {
  const { type: _, ...fields } = message
  return toRecorded('status' in fields ? fields.status : fields)
}

/** The RSK message of a line. */
export function peerMessageFromRecorded(name: string, recorded: Recorded): PeerMessage {
  const type = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const fields = fromRecorded<Record<string, unknown>>(recorded)
  switch (type) {
    case 'status':
      return { type, status: { bestParentHash: null, totalDifficulty: null, ...fields } } as PeerMessage
    case 'bodyResponse':
      return { type, extension: null, ...fields } as PeerMessage
    default:
      return { type, ...fields } as PeerMessage
  }
}

/** Name of a reason of DISCONNECT as recorded: that of the enumeration in the reference. */
export function recordedReasonName(reason: number): string {
  const name = disconnectReasonName(reason)
  // The reference spells it with one T.
  if (name === 'peerQuitting') return 'PEER_QUITING'
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

function recordedValue(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(recordedValue)
  return value !== null && typeof value === 'object' ? toRecorded(value) : value
}

function ownValue(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => ownValue(key, inner))
  if (value !== null && typeof value === 'object') return fromRecorded(value as Recorded)
  if (typeof value !== 'string' || TEXTS.has(key)) return value
  return BIG_NUMBERS.has(key) && value.length !== NODE_ID_DIGITS ? BigInt(value) : Buffer.from(value, 'hex')
}
