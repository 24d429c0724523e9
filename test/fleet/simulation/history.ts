/** What happened in a run, in its order; times are milliseconds of the run. */
export type Entry =
  /** A member began, alone in its directory or over a copy of another one's. */
  | { readonly kind: 'began'; readonly member: string; readonly process: number; readonly copy: boolean }
  | { readonly kind: 'ended'; readonly member: string; readonly process: number }
  /** Something befell members, or is over. */
  | { readonly kind: 'fault'; readonly what: string; readonly hit: readonly string[] }
  | { readonly kind: 'healed'; readonly hit: readonly string[] }
  | { readonly kind: 'executed'; readonly process: number; readonly hash: string }
  | {
      readonly kind: 'adopted'
      readonly process: number
      readonly hash: string
      /** The heaviest executed block. */
      readonly best: string
      /** Members that are present for this one, and not late. */
      readonly waitsFor: readonly string[]
    }
  | { readonly kind: 'refused'; readonly process: number; readonly hash: string }
  /** A presence was sent. */
  | { readonly kind: 'told'; readonly member: string; readonly process: number }
  /** A presence came, with the newest block that its member has executed. */
  | {
      readonly kind: 'heard'
      readonly process: number
      readonly member: string
      readonly weight: bigint
      readonly hash: string
    }
  /** Whom a member finds present, and whom it waits for no more. */
  | {
      readonly kind: 'status'
      readonly process: number
      readonly present: readonly string[]
      readonly isPresent: boolean
    }
  | { readonly kind: 'maker'; readonly process: number; readonly isSelf: boolean }
  | {
      readonly kind: 'acknowledged'
      readonly process: number
      readonly hash: string
      readonly waited: number
    }
  | { readonly kind: 'admitted'; readonly process: number; readonly hash: string }
  | {
      readonly kind: 'read'
      readonly process: number
      readonly number: number
      readonly waited: number
      readonly answer: 'block' | 'null' | 'refused'
    }
  /** A client asks a member for what is new of a filter. */
  | { readonly kind: 'polls'; readonly filter: string; readonly process: number }
  | {
      readonly kind: 'polled'
      readonly filter: string
      readonly process: number
      readonly waited: number
      /** null where it failed. */
      readonly hashes: readonly string[] | null
    }
  | { readonly kind: 'filter'; readonly filter: string; readonly process: number }
  | { readonly kind: 'threw'; readonly what: string }

export type TimedEntry = Entry & { readonly at: number }

/** The lines of a history that tell of blocks: executed, refused, adopted with who was waited for, and faults. */
export function* traceOf(history: readonly TimedEntry[]): Generator<string> {
  for (const entry of history) {
    const at = `${String(Math.round(entry.at)).padStart(6)} ms`
    if (entry.kind === 'fault') yield `${at} ${entry.what}: ${entry.hit.map(shortId).join(', ')}`
    if (entry.kind === 'executed' || entry.kind === 'refused')
      yield `${at} process ${entry.process} ${entry.kind} ${entry.hash.slice(0, 8)}`
    if (entry.kind === 'adopted') {
      const waitsFor = entry.waitsFor.map(shortId).join(', ')
      yield `${at} process ${entry.process} adopted ${entry.hash.slice(0, 8)}, waits for ${waitsFor}`
    }
  }
}

function shortId(member: string): string {
  return member.replace(/^0+/, '')
}
