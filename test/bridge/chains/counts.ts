import type { Outcome } from './driver.ts'
import { SENDER_KINDS, type SenderKind } from './senders.ts'

/** What a chain has come to, beside its transactions by outcome. */
export interface Counts {
  /** Registrations of payments, of releases of the Bridge too. */
  peginsRegistered: number
  /** Successful ones with an event: there is none before RSKIP146 (bridge.md §5). */
  readonly pegins: Record<SenderKind, number>
  federationChanges: number
  /** Proposed federations that went through their validation (SVP); they become active later. */
  validations: number
  failedValidations: number
  /** Releases with all their signatures, by what they pay. */
  releasesSigned: number
  /** Peg-outs of one or more requests. */
  pegoutsSigned: number
  requestsPaid: number
  refundsSigned: number
  /** To federations: migrations and validations. */
  transfersSigned: number
  flyoversPaid: number
  flyoversRefunded: number
  flyoversRefused: number
  unionRequests: number
  unionReleases: number
  anomalies: number
}

/** Nothing yet. */
export function createCounts(): Counts {
  return {
    peginsRegistered: 0,
    pegins: Object.fromEntries(SENDER_KINDS.map((kind) => [kind, 0])) as Record<SenderKind, number>,
    federationChanges: 0,
    validations: 0,
    failedValidations: 0,
    releasesSigned: 0,
    pegoutsSigned: 0,
    requestsPaid: 0,
    refundsSigned: 0,
    transfersSigned: 0,
    flyoversPaid: 0,
    flyoversRefunded: 0,
    flyoversRefused: 0,
    unionRequests: 0,
    unionReleases: 0,
    anomalies: 0,
  }
}

/** Counts a fly-over by what it answers: wei that were transferred, or a code (bridge.md §1.5). */
export function countFlyOver(counts: Counts, { answer, names }: Outcome): void {
  if ((answer?.number ?? 0n) > 0n) counts.flyoversPaid += 1
  else if (names.has('release_requested')) counts.flyoversRefunded += 1
  else counts.flyoversRefused += 1
}

/** Counts a peg-in that was locked. */
export function countPegin(counts: Counts, kind: SenderKind, { names }: Outcome): void {
  if (names.has('lock_btc') || names.has('pegin_btc')) counts.pegins[kind] += 1
}
