import { createHash } from 'node:crypto'
import type { FleetBlock, HeadSignature, MemberId } from '../../../src/fleet/interface.ts'
import type { Announcement } from '../../../src/fleet/member/announcement.ts'
import { headContent, SIGNATURE_BYTES } from '../../../src/fleet/quorum/headSignature.ts'
import { SignatureBook, type SignatureBookOptions } from '../../../src/fleet/quorum/signatureBook.ts'
import type { SimFaults } from './simFaults.ts'
import type { SimWorld } from './simWorld.ts'

const FLEET = { fleet: 'simulated', genesis: Buffer.alloc(32) }
/** Signatures that members need, and members that sign. */
const QUORUM = 2
const SIGNERS = 3
const KEY_DIGITS = 96
/** Share of announcements that carry a signature of another member which is none. */
const JUNK = 0.05

/** Who signs heads and who needs signatures, without any cryptography; and what was signed in truth (fleet.md §12). */
export class SimSignatures {
  readonly #faults: SimFaults
  readonly #world: SimWorld
  readonly #isOn: boolean
  readonly #signers: readonly MemberId[]
  /** Keys that signed a content. */
  readonly #signed = new Map<string, Set<string>>()

  /** @param isOn whether members sign and need signatures at all */
  constructor(world: SimWorld, faults: SimFaults, ids: readonly MemberId[], isOn: boolean) {
    this.#world = world
    this.#faults = faults
    this.#isOn = isOn
    this.#signers = ids.slice(0, SIGNERS)
  }

  /** Whether a life of a member may be one of a version that knows of no signatures. */
  get mayBeOld(): boolean {
    return this.#isOn
  }

  /** @param isOld whether this life of the member knows of no signatures */
  book(id: MemberId, isOld: boolean): SignatureBook {
    const options: SignatureBookOptions = {
      ...FLEET,
      quorum: this.#isOn && !isOld ? QUORUM : 0,
      trusted: this.#isOn && !isOld ? new Set(this.#signers.map(keyOf)) : null,
      signer: this.#isOn && !isOld && this.#signers.includes(id) ? this.#signer(keyOf(id)) : null,
      areValid: (content, signatures) =>
        signatures.every(({ key, signature }) => signature.equals(signatureOf(key, content))),
    }
    if (isOld) return new OldBook(options)
    return this.#faults.signaturesNotChecked ? new CarelessBook(options) : new SignatureBook(options)
  }

  /** Now and then a member tells of a signature of another one that is none. */
  spoil(announcement: Announcement): Announcement {
    const [block] = announcement.executed
    if (!this.#isOn || block === undefined || !this.#world.chance(JUNK)) return announcement
    const key = keyOf(this.#world.pick(this.#signers))
    const signature = Buffer.alloc(SIGNATURE_BYTES, Math.floor(this.#world.between(0, 256)))
    return { ...announcement, signed: { key, blocks: [{ block, signature }] } }
  }

  /** How many members have signed a block, in truth. */
  count(block: FleetBlock): number {
    return this.#signed.get(headContent(FLEET, block).toString('hex'))?.size ?? 0
  }

  #signer(key: string): SignatureBookOptions['signer'] {
    return {
      key,
      sign: (content) => {
        const name = content.toString('hex')
        this.#signed.set(name, (this.#signed.get(name) ?? new Set()).add(key))
        return signatureOf(key, content)
      },
    }
  }
}

/** Writes entries without signatures. */
export class OldBook extends SignatureBook {
  override of(): readonly HeadSignature[] {
    return []
  }
}

/** Takes every head for one that is signed. */
class CarelessBook extends SignatureBook {
  override suffices(): boolean {
    return true
  }
}

function keyOf(id: MemberId): string {
  return id.repeat(KEY_DIGITS / id.length)
}

function signatureOf(key: string, content: Buffer): Buffer {
  const digest = createHash('sha256').update(key).update(content).digest()
  return Buffer.concat([digest, digest, digest])
}
