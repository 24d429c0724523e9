import type { SendOutcome } from '../../txpool/interface.ts'

/** Outcomes that are kept (fleet.md §4). */
export const KEPT_OUTCOMES = 65_536

const HASH_LENGTH = 32
/** hash 32 ∥ length of the refusal 2, then the refusal as JSON; length 0 is an acceptance. */
const HEAD_LENGTH = HASH_LENGTH + 2
/** Largest refusal that is taken from elsewhere, bytes of JSON: those of the pool have at most some 200. */
const LONGEST_REFUSAL = 1024

type Refusal = Extract<SendOutcome, { status: 'refused' }>

/** What became of the newest transactions of the log, by hash; the oldest are forgotten. */
export class SendOutcomes {
  readonly #outcomes = new Map<string, SendOutcome>()

  get size(): number {
    return this.#outcomes.size
  }

  get(hashHex: string): SendOutcome | undefined {
    return this.#outcomes.get(hashHex)
  }

  add(hashHex: string, outcome: SendOutcome): void {
    this.#outcomes.set(hashHex, outcome)
    if (this.#outcomes.size <= KEPT_OUTCOMES) return
    const oldest = this.#outcomes.keys().next()
    if (!oldest.done) this.#outcomes.delete(oldest.value)
  }

  /** All of them, oldest first. */
  pack(): Buffer {
    const parts: Buffer[] = []
    for (const [hashHex, outcome] of this.#outcomes) {
      const refusal = outcome.status === 'refused' ? encodeRefusal(outcome) : Buffer.alloc(0)
      const head = Buffer.alloc(HEAD_LENGTH)
      head.write(hashHex, 'hex')
      head.writeUInt16BE(refusal.length, HASH_LENGTH)
      parts.push(head, refusal)
    }
    return Buffer.concat(parts)
  }

  /**
   * Replaces all of them by what {@link pack} gave.
   * @throws RangeError for other bytes: nothing is replaced then
   */
  replace(packed: Buffer): void {
    const outcomes = unpack(packed)
    this.#outcomes.clear()
    for (const [hashHex, outcome] of outcomes) this.add(hashHex, outcome)
  }
}

function unpack(packed: Buffer): [string, SendOutcome][] {
  const outcomes: [string, SendOutcome][] = []
  for (let at = 0; at < packed.length; ) {
    if (outcomes.length === KEPT_OUTCOMES || at + HEAD_LENGTH > packed.length) throw malformed()
    const hash = Buffer.from(packed.subarray(at, at + HASH_LENGTH))
    const start = at + HEAD_LENGTH
    const length = packed.readUInt16BE(at + HASH_LENGTH)
    if (length > LONGEST_REFUSAL || start + length > packed.length) throw malformed()
    at = start + length
    const outcome: SendOutcome =
      length === 0 ? { status: 'accepted', hash } : decodeRefusal(packed.subarray(start, at))
    outcomes.push([hash.toString('hex'), outcome])
  }
  return outcomes
}

function encodeRefusal({ reason, stats }: Refusal): Buffer {
  const numbers = Object.entries(stats).map(([name, value]) => [name, String(value)] as const)
  return Buffer.from(JSON.stringify({ reason, stats: Object.fromEntries(numbers) }))
}

function decodeRefusal(bytes: Buffer): Refusal {
  try {
    const { reason, stats } = JSON.parse(bytes.toString('utf8')) as { reason: unknown; stats: unknown }
    if (typeof reason !== 'string' || typeof stats !== 'object' || stats === null) throw malformed()
    const numbers = Object.entries(stats).map(([name, value]) => [name, BigInt(value as string)] as const)
    return { status: 'refused', reason, stats: Object.fromEntries(numbers) }
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause?: unknown): RangeError {
  return new RangeError('outcomes of transactions are malformed', { cause })
}
