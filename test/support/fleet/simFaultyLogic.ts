import type { FleetAbsence, FleetBlock, FleetHead, MemberId } from '../../../src/fleet/interface.ts'
import type { Announcement } from '../../../src/fleet/member/announcement.ts'
import { LeaderLogic, type LeaderScene } from '../../../src/fleet/member/leaderLogic.ts'
import { MemberLogic } from '../../../src/fleet/member/memberLogic.ts'
import type { SignatureBook } from '../../../src/fleet/quorum/signatureBook.ts'
import type { SimFaults } from './simFaults.ts'
import { OldBook } from './simSignatures.ts'

/** The logic of a member, with the rules that are broken left out. */
export function createFaultyLogic(
  faults: SimFaults,
  self: MemberId,
  end: number,
  roundTime: number,
  signatures: SignatureBook,
): { member: MemberLogic; leader: LeaderLogic } {
  return {
    member: new FaultyMember(faults, self, faults.startForgotten ? 0 : end, signatures.quorum === 0),
    leader: new FaultyLeader(faults, self, roundTime, signatures),
  }
}

class FaultyMember extends MemberLogic {
  readonly #faults: SimFaults

  constructor(faults: SimFaults, self: MemberId, end: number, isSigned: boolean) {
    super(self, end, isSigned)
    this.#faults = faults
  }

  override get absence(): FleetAbsence | null {
    const { absence, applied } = { absence: super.absence, applied: this.applied }
    if (!this.#faults.unnamedServes || absence !== 'joining' || applied === null) return absence
    return applied.revision > this.pledge ? null : absence
  }

  override renew(end: number): void {
    super.renew(this.#faults.endForgotten ? 0 : end)
  }
}

class FaultyLeader extends LeaderLogic {
  readonly #faults: SimFaults
  readonly #left = new Set<MemberId>()
  readonly #isOld: boolean

  constructor(faults: SimFaults, self: MemberId, roundTime: number, signatures: SignatureBook) {
    super(self, roundTime, signatures)
    this.#isOld = signatures instanceof OldBook
    this.#faults = faults
  }

  override heard(announcement: Announcement, now: number): void {
    super.heard(announcement, now)
    if (announcement.wants) this.#left.delete(announcement.member)
    else this.#left.add(announcement.member)
  }

  /** A version that knows of no signatures waits for none. */
  protected override neededBy(members: Iterable<MemberId>): number {
    return this.#isOld ? 0 : super.neededBy(members)
  }

  protected override hasStopped(id: MemberId, revision: number): boolean {
    if (this.#faults.leavingIsStopped && this.#left.has(id)) return true
    return super.hasStopped(id, revision)
  }

  protected override mayLeave(revision: number): boolean {
    return this.#faults.answersNotAwaited === true || super.mayLeave(revision)
  }

  protected override isAnswered(missing: ReadonlySet<MemberId>, members: readonly MemberId[]): boolean {
    return this.#faults.answersNotAwaited ? missing.size < members.length : super.isAnswered(missing, members)
  }

  protected override isHeavier(block: FleetBlock, than: FleetBlock): boolean {
    return this.#faults.difficultyIgnored ? !block.hash.equals(than.hash) : super.isHeavier(block, than)
  }

  protected override mayWrite(scene: LeaderScene): boolean {
    return this.#faults.othersNotAwaited === true || super.mayWrite(scene)
  }

  protected override mustRepeat(head: FleetHead, next: readonly MemberId[], now: number): boolean {
    const isSame = next.length === head.members.length && next.every((id) => head.members.includes(id))
    return this.#faults.headNotRepeated ? !isSame : super.mustRepeat(head, next, now)
  }
}
