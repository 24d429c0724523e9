import type { Transaction } from 'lmdb'
import { asBuffer } from '../../util/bytes.ts'
import type { AccessTable } from './accessTables.ts'
import { AccessError } from './errors.ts'

const MARK_KEY = Buffer.from('fleet')
const FORMAT = 1

/** What an access store knows of the fleet that its node belongs to. */
export interface FleetMark {
  /** Name of the fleet. */
  readonly fleet: string
  /** Id of the member, 16 hex digits. */
  readonly member: string
  /** Under which this store numbers its deltas, 16 hex digits. */
  readonly epoch: string
  /** Last sequence that a delta got. */
  readonly sealed: number
  /** Identity of the stream of usage: when it was made; empty before the first delta. */
  readonly stream: string
  /** Last sequence of the stream that is in the sum. */
  readonly position: number
  /** When the stream stored that one, as the stream says. */
  readonly storedAt: string
}

/**
 * @param transaction whose view is read; the present one unless given
 * @throws AccessError `ACCESS_DAMAGED`
 */
export function readFleetMark(metadata: AccessTable, transaction?: Transaction): FleetMark | null {
  const bytes = metadata.get(MARK_KEY, transaction === undefined ? {} : { transaction })
  if (bytes === undefined) return null
  try {
    const { format, ...mark } = JSON.parse(asBuffer(bytes).toString('utf8')) as FleetMark & {
      format: unknown
    }
    const texts = [mark.fleet, mark.member, mark.epoch, mark.stream, mark.storedAt]
    const numbers = [mark.sealed, mark.position]
    if (format === FORMAT && texts.every(isText) && numbers.every(Number.isSafeInteger)) return mark
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new AccessError('ACCESS_DAMAGED', 'what the access store knows of its fleet is unreadable')
}

export function writeFleetMark(metadata: AccessTable, mark: FleetMark): void {
  metadata.putSync(MARK_KEY, Buffer.from(JSON.stringify({ format: FORMAT, ...mark })))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
