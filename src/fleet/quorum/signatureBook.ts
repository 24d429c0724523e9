import type { FleetBlock, HeadSignature } from '../interface.ts'
import { headContent, MOST_SIGNATURES, type SignedFleet } from './headSignature.ts'

/** Blocks whose signatures are kept; with what waits to be checked some 60 KB each at most. */
const MOST_BLOCKS = 64
/** Signatures of one key for one block that wait to be checked: one that is not valid may come first. */
const WAITING_OF_KEY = 2
/** After so many signatures of a key for a block that are not valid no more are taken. */
const MOST_REFUSED = 8

/** Signs blocks as this member's operator. */
export interface HeadSigner {
  /** 96 hex digits. */
  readonly key: string
  /** @param content as {@link headContent} makes it */
  sign(content: Buffer): Buffer
}

/** What a member has to do with signatures of heads (fleet.md §12). */
export interface SignatureBookOptions extends SignedFleet {
  /** Signatures that a block needs before this member serves it; 0 for none. */
  readonly quorum: number
  /** Keys whose signatures count, 96 hex digits each; null where none are configured. */
  readonly trusted: ReadonlySet<string> | null
  readonly signer: HeadSigner | null
  /** Whether each of these signed the content; asked for trusted keys only. */
  areValid(content: Buffer, signatures: readonly HeadSignature[]): boolean
}

/** What is kept of a block. */
interface Entry {
  readonly totalDifficulty: bigint
  /** By key: valid ones, or, without configured keys, those that were heard last. */
  readonly counted: Map<string, HeadSignature>
  /** That of this member, which counts when its key does. */
  own: Buffer | null
  waiting: HeadSignature[]
  /** How many of a key were not valid. */
  readonly refused: Map<string, number>
}

/**
 * Signatures of blocks that this member made and heard of, within bounds. They are checked when somebody asks whether
 * there are enough, all at once where that goes well (fleet.md §12).
 */
export class SignatureBook {
  readonly quorum: number
  readonly #options: SignatureBookOptions
  readonly #entries = new Map<string, Entry>()
  /** That of the fleet head, which is kept. */
  #pinned = ''

  constructor(options: SignatureBookOptions) {
    this.#options = options
    this.quorum = options.quorum
  }

  /** Key with which this member signs, 96 hex digits; null for none. */
  get signerKey(): string | null {
    return this.#options.signer?.key ?? null
  }

  /** Takes signatures that others tell of. @returns whether one of them was not known */
  hear(block: FleetBlock, signatures: readonly HeadSignature[]): boolean {
    let isNew = false
    for (const signature of signatures) if (this.#take(block, signature)) isNew = true
    return isNew
  }

  /** Signatures of a block that count, at most 64. */
  of(block: FleetBlock): readonly HeadSignature[] {
    const content = headContent(this.#options, block)
    const entry = this.#entries.get(content.toString('latin1'))
    if (entry === undefined) return []
    this.#check(content, entry)
    return [...entry.counted.values()].slice(0, MOST_SIGNATURES)
  }

  /** Whether a block has at least so many. Nothing is checked where no more are claimed. */
  has(block: FleetBlock, count: number): boolean {
    if (count === 0) return true
    const entry = this.#entry(block)
    if (entry === undefined) return false
    const claimed = new Set([...entry.counted.keys(), ...entry.waiting.map(({ key }) => key)])
    return claimed.size >= count && this.of(block).length >= count
  }

  /** Whether a block has the signatures that this member needs. */
  suffices(block: FleetBlock): boolean {
    return this.has(block, this.quorum)
  }

  /** Whether somebody else is said to have signed a block. */
  isSignedByOther(block: FleetBlock): boolean {
    const entry = this.#entry(block)
    if (entry === undefined) return false
    const own = this.signerKey
    return entry.waiting.length > 0 || [...entry.counted.keys()].some((key) => key !== own)
  }

  /** What this member signed of a block; null when it did not. */
  own(block: FleetBlock): Buffer | null {
    const { signer } = this.#options
    return signer === null ? null : (this.#entry(block)?.own ?? null)
  }

  /** Signs a block that this member has executed, once; null without a key. */
  sign(block: FleetBlock): Buffer | null {
    const { signer, trusted } = this.#options
    if (signer === null) return null
    const known = this.own(block)
    if (known !== null) return known
    const content = headContent(this.#options, block)
    const signature = signer.sign(content)
    const entry = this.#open(content, block)
    entry.own = signature
    if (trusted?.has(signer.key) ?? true) entry.counted.set(signer.key, { key: signer.key, signature })
    return signature
  }

  /** Forgets what cannot become the head any more, and keeps what is known of the head. */
  headChanged(head: FleetBlock): void {
    this.#pinned = headContent(this.#options, head).toString('latin1')
    for (const [name, { totalDifficulty }] of this.#entries)
      if (totalDifficulty <= head.totalDifficulty && name !== this.#pinned) this.#entries.delete(name)
  }

  #take(block: FleetBlock, signature: HeadSignature): boolean {
    const { trusted, signer } = this.#options
    const { key } = signature
    if (trusted !== null && !trusted.has(key)) return false
    const entry = this.#open(headContent(this.#options, block), block)
    if (key === signer?.key && entry.own !== null) return false
    const known = entry.counted.get(key)
    if (trusted === null) {
      if (known?.signature.equals(signature.signature) === true) return false
      if (known === undefined && entry.counted.size >= MOST_SIGNATURES) return false
      entry.counted.set(key, signature)
      return true
    }
    if (known !== undefined || (entry.refused.get(key) ?? 0) >= MOST_REFUSED) return false
    const waiting = entry.waiting.filter((other) => other.key === key)
    if (waiting.some((other) => other.signature.equals(signature.signature))) return false
    if (waiting.length >= WAITING_OF_KEY || entry.waiting.length >= WAITING_OF_KEY * MOST_SIGNATURES) {
      const oldest = waiting[0] ?? entry.waiting[0]
      entry.waiting = entry.waiting.filter((other) => other !== oldest)
    }
    entry.waiting.push(signature)
    return true
  }

  /** Checks what waits: the newest one of each key at once, and one by one when one of them is not valid. */
  #check(content: Buffer, entry: Entry): void {
    if (entry.waiting.length === 0) return
    const newest = new Map(entry.waiting.map((signature) => [signature.key, signature]))
    const isGood = this.#options.areValid(content, [...newest.values()])
    const candidates = isGood ? [...newest.values()] : entry.waiting
    entry.waiting = []
    for (const signature of candidates) {
      const { key } = signature
      if (entry.counted.has(key)) continue
      if (isGood || this.#options.areValid(content, [signature])) entry.counted.set(key, signature)
      else entry.refused.set(key, (entry.refused.get(key) ?? 0) + 1)
    }
  }

  #entry(block: FleetBlock): Entry | undefined {
    return this.#entries.get(headContent(this.#options, block).toString('latin1'))
  }

  #open(content: Buffer, { totalDifficulty }: FleetBlock): Entry {
    const name = content.toString('latin1')
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const entry: Entry = { totalDifficulty, counted: new Map(), own: null, waiting: [], refused: new Map() }
    this.#entries.set(name, entry)
    if (this.#entries.size > MOST_BLOCKS)
      for (const oldest of this.#entries.keys()) {
        if (oldest === this.#pinned) continue
        this.#entries.delete(oldest)
        break
      }
    return entry
  }
}
