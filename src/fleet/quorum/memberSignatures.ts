import type { Scheduler } from '../../p2p/peers/scheduler.ts'
import type { FleetBlock, HeadSignature } from '../interface.ts'
import { BlockSigning, SIGNING_INTERVAL, type SignedBlocks, type SigningScene } from './blockSigning.ts'
import type { SignatureBook } from './signatureBook.ts'
import { describeWait } from './signatureWait.ts'

/** What a member signs, hears of and lacks, with the announcements that go with it (fleet.md §12). */
export class MemberSignatures {
  readonly book: SignatureBook
  readonly #scheduler: Scheduler
  readonly #announceSoon: () => void
  readonly #signing: BlockSigning
  #isSigningSoon = false

  /** @param announceSoon has the member announce what it signs then */
  constructor(book: SignatureBook, scheduler: Scheduler, announceSoon: () => void) {
    this.book = book
    this.#scheduler = scheduler
    this.#announceSoon = announceSoon
    this.#signing = new BlockSigning(book)
  }

  /**
   * Takes what another member signed.
   * @param executed blocks that this member executed last
   * @returns whether something of it was not known
   */
  hear(signed: SignedBlocks | null | undefined, executed: readonly FleetBlock[]): boolean {
    if (!signed) return false
    const { key } = signed
    const news = signed.blocks.filter(({ block, signature }) => this.book.hear(block, [{ key, signature }]))
    const mustSign = news.some(
      ({ block }) => executed.some(({ hash }) => hash.equals(block.hash)) && this.#signing.lacks(block),
    )
    if (mustSign) this.#announceSoon()
    return news.length > 0
  }

  /** Which signatures a block lacks, for people; null when it has those that this member needs. */
  lacking(block: FleetBlock, told: readonly HeadSignature[]): string | null {
    this.book.hear(block, told)
    if (this.book.suffices(block)) return null
    const { length } = this.book.of(block)
    return describeWait({ number: block.number, signatures: length, needed: this.book.quorum })
  }

  /** Signs what is to be announced now; what is left is announced later. */
  sign(scene: Omit<SigningScene, 'now'>): SignedBlocks | null {
    const signed = this.#signing.sign({ ...scene, now: this.#scheduler.now() })
    if (this.#signing.isLate && !this.#isSigningSoon) {
      this.#isSigningSoon = true
      this.#scheduler.after(SIGNING_INTERVAL, () => {
        this.#isSigningSoon = false
        this.#announceSoon()
      })
    }
    return signed
  }
}
