/**
 * Rules of fleet.md that a simulation breaks. 200 runs do not find what happens without four of them, which no test
 * asks for: `leaseFromAcknowledgement`, `endNotRepeated`, `signOfLifeSkipped` and `headNotRepeated`.
 */
export interface SimFaults {
  /** The stream takes a head that does not follow the last one. */
  readonly noCompareAndSet?: boolean
  /** A member is prepared before its front thread holds requests. */
  readonly holdNotAwaited?: boolean
  /** The front thread goes on at a release although it does not know the head yet. */
  readonly headNotAwaited?: boolean
  /** The front thread does not look at the deadline of the lease. */
  readonly leaseIgnored?: boolean
  /** The lease is counted from the acknowledgement of the renewal. */
  readonly leaseFromAcknowledgement?: boolean
  /** Others take a lease for over after its own length. */
  readonly leaseOverEarly?: boolean
  /** A lease that was seen ended counts as ended without another compare-and-set. */
  readonly endNotRepeated?: boolean
  /** A lease that seems over counts as over without compare-and-set of its record. */
  readonly endNotWritten?: boolean
  /** A deadline is written although the front thread does not know that the lease was ended. */
  readonly signOfLifeSkipped?: boolean
  /** The front thread ends a hold by itself. */
  readonly holdEndsByItself?: boolean
  /** A member that the head does not name serves. */
  readonly unnamedServes?: boolean
  /** A member that was started again serves under a head from before. */
  readonly startForgotten?: boolean
  /** A member whose lease was ended serves under a head from before. */
  readonly endForgotten?: boolean
  /** The leader does not wait for all members. */
  readonly answersNotAwaited?: boolean
  /** The leader takes a member that wants to leave for stopped. */
  readonly leavingIsStopped?: boolean
  /** The leader moves to a block of less difficulty. */
  readonly difficultyIgnored?: boolean
  /** A member takes every head for one that has the signatures it needs. */
  readonly signaturesNotChecked?: boolean
  /** A leader writes no head of its own when nothing else changes. */
  readonly headNotRepeated?: boolean
  /** A member that starts does not know that its canonical head is one of the fleet. */
  readonly headForgotten?: boolean
  /** A leader that starts does not wait for those who may have had a head that the log lost. */
  readonly othersNotAwaited?: boolean
}

/** Faults that a run shows, each with the first seed that does. */
export const PLANTED_FAULTS: readonly (readonly [keyof SimFaults, number])[] = [
  ['holdNotAwaited', 13],
  ['headNotAwaited', 2],
  ['leaseIgnored', 2],
  ['leaseOverEarly', 18],
  ['holdEndsByItself', 1],
  ['unnamedServes', 4],
  ['answersNotAwaited', 2],
  ['difficultyIgnored', 1],
  ['endNotWritten', 2],
  ['endForgotten', 2],
  ['leavingIsStopped', 13],
  ['noCompareAndSet', 252],
  ['startForgotten', 22],
]

/** Times that the log loses its last heads in a run with losses. */
export const LOSSES = 3

/** Faults that a run with losses shows, each with the first seed that does. */
export const PLANTED_LOSSES: readonly (readonly [keyof SimFaults, number])[] = [
  ['headForgotten', 8],
  ['othersNotAwaited', 1],
]

/** Faults that a run with signatures shows, each with the first seed that does. */
export const PLANTED_SIGNATURES: readonly (readonly [keyof SimFaults, number])[] = [
  ['signaturesNotChecked', 1],
]
