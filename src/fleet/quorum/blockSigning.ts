import type { FleetBlock, FleetHead } from '../interface.ts'
import type { SignatureBook } from './signatureBook.ts'

/** Signatures that an announcement carries: of new blocks, and one of the head. */
export const ANNOUNCED_SIGNATURES = 5
/** Of them, those of blocks that members which are far apart have in common. */
const SHARED = 2
/** Signatures that are made in one interval, which is in milliseconds: each takes most of one. */
const MADE_AT_ONCE = 4
export const SIGNING_INTERVAL = 50

/** Blocks of an announcement that its member signed (fleet.md §12). */
export interface SignedBlocks {
  /** Public key, 96 hex digits. */
  readonly key: string
  /** Each is the head or one of the executed blocks of the announcement. */
  readonly blocks: readonly { readonly block: FleetBlock; readonly signature: Buffer }[]
}

/** What {@link BlockSigning.sign} looks at. */
export interface SigningScene {
  /** The head that this member applied last; null before the first. */
  readonly applied: FleetHead | null
  /** Its canonical head; null while unknown. */
  readonly canonical: FleetBlock | null
  /** Blocks that it executed last, the newest first. */
  readonly executed: readonly FleetBlock[]
  /** Blocks that it has in common with members that are far away, the lightest first. */
  readonly shared: readonly FleetBlock[]
  /** The greatest number of signatures that a member needs; 0 when none needs any. */
  readonly needed: number
  /** Milliseconds. */
  readonly now: number
}

/** Chooses which blocks this member signs, and how many at a time (fleet.md §12). */
export class BlockSigning {
  readonly #book: SignatureBook
  #since = Number.NEGATIVE_INFINITY
  #made = 0
  #isLate = false

  constructor(book: SignatureBook) {
    this.#book = book
  }

  /** Whether something was left to be signed in the next interval. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Whether this member has a key and has not signed a block. */
  lacks(block: FleetBlock): boolean {
    return this.#book.signerKey !== null && this.#book.own(block) === null
  }

  /** Signs what is to be announced now; null for nothing. */
  sign(scene: SigningScene): SignedBlocks | null {
    const { signerKey: key } = this.#book
    this.#isLate = false
    if (key === null || scene.needed === 0) return null
    const blocks: { block: FleetBlock; signature: Buffer }[] = []
    for (const block of this.#wanted(scene, key)) {
      const signature = this.#book.own(block) ?? this.#make(block, scene.now)
      if (signature !== null) blocks.push({ block, signature })
    }
    return blocks.length === 0 ? null : { key, blocks }
  }

  #make(block: FleetBlock, now: number): Buffer | null {
    if (now - this.#since >= SIGNING_INTERVAL) {
      this.#since = now
      this.#made = 0
    }
    if (this.#made >= MADE_AT_ONCE) {
      this.#isLate = true
      return null
    }
    this.#made += 1
    return this.#book.sign(block)
  }

  #wanted(
    { applied, canonical, executed, shared, needed }: SigningScene,
    key: string,
  ): readonly FleetBlock[] {
    const wanted: FleetBlock[] = []
    const add = (block: FleetBlock | undefined) => {
      if (block !== undefined && !wanted.some(({ hash }) => hash.equals(block.hash))) wanted.push(block)
    }
    const signatures = applied?.signatures ?? []
    const isOnHead = applied !== null && canonical?.hash.equals(applied.hash) === true
    if (isOnHead && signatures.length < needed && !signatures.some((other) => other.key === key))
      add(canonical)
    const above = applied?.totalDifficulty ?? 0n
    const candidates = executed.filter(({ totalDifficulty }) => totalDifficulty > above)
    add(candidates[0])
    add(candidates.toSorted((left, right) => (left.totalDifficulty > right.totalDifficulty ? -1 : 1))[0])
    for (const block of shared.slice(0, SHARED)) add(block)
    for (const block of candidates) if (this.#book.isSignedByOther(block)) add(block)
    return wanted.slice(0, ANNOUNCED_SIGNATURES)
  }
}
