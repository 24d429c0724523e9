/** A block as an answer showed it. */
export interface ShownBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly totalDifficulty: bigint
}

/** What a client of a fleet was answered. Times are milliseconds of one monotonic clock, that of the runner. */
export type HistoryEntry =
  /** The head at one member. */
  | {
      readonly kind: 'head'
      readonly member: string
      readonly began: number
      readonly ended: number
      readonly block: ShownBlock
    }
  /** A transaction was acknowledged. */
  | { readonly kind: 'acknowledged'; readonly at: string; readonly hash: string }
  /** A poll of a filter for blocks, one after the other for each; null where no answer came. */
  | {
      readonly kind: 'polled'
      readonly at: string
      readonly filter: string
      readonly hashes: readonly string[] | null
    }

/** What is true of a fleet once it is whole again. */
export interface FinalState {
  /** Transactions that a member does not know, by its name. */
  readonly unknown: ReadonlyMap<string, readonly string[]>
  /** Blocks by their hashes: those that polls told, and all between. */
  readonly blocks: ReadonlyMap<string, ShownBlock>
  /** Who was hit: the word that an answer came may be lost with a member that forwarded the poll. */
  readonly hit: ReadonlySet<string>
}

/** What was broken: a clause. */
export type BrokenPromise = string

/** Whether what clients were answered keeps what fleet.md promises. */
export function checkHistory(history: readonly HistoryEntry[], final: FinalState): readonly BrokenPromise[] {
  return [...checkHeads(history), ...checkAcknowledged(history, final), ...checkPolls(history, final)]
}

/** At one member the head goes back to nothing that is not heavier. */
function checkHeads(history: readonly HistoryEntry[]): readonly BrokenPromise[] {
  const broken: string[] = []
  const heads = history.flatMap((entry) => (entry.kind === 'head' ? [entry] : []))
  for (const member of new Set(heads.map((head) => head.member))) {
    const own = heads.filter((head) => head.member === member).sort((one, other) => one.began - other.began)
    const ended = [...own].sort((one, other) => one.ended - other.ended)
    let before: (typeof own)[number] | null = null
    let at = 0
    for (const head of own) {
      // Of those that were answered before this one was asked the heaviest.
      for (let next = ended[at]; next !== undefined && next.ended <= head.began; next = ended[at]) {
        if (before === null || next.block.totalDifficulty > before.block.totalDifficulty) before = next
        at += 1
      }
      if (before === null || head.block.totalDifficulty >= before.block.totalDifficulty) continue
      broken.push(`${member} went back from block ${before.block.number} to ${head.block.number}`)
      break
    }
  }
  return broken
}

/** Every member knows each transaction that was acknowledged. */
function checkAcknowledged(
  history: readonly HistoryEntry[],
  { unknown }: FinalState,
): readonly BrokenPromise[] {
  const hashes = new Set(history.flatMap((entry) => (entry.kind === 'acknowledged' ? [entry.hash] : [])))
  return [...unknown].flatMap(([member, missing]) =>
    missing.filter((hash) => hashes.has(hash)).map((hash) => `${member} has lost the transaction ${hash}`),
  )
}

/** Polls of a filter tell each block once; again only after one that had no answer. */
function checkPolls(history: readonly HistoryEntry[], { blocks, hit }: FinalState): readonly BrokenPromise[] {
  const broken: string[] = []
  const told = new Map<string, { readonly seen: Set<string>; isUnsure: boolean; last: string | null }>()
  for (const entry of history) {
    if (entry.kind !== 'polled') continue
    const known = told.get(entry.filter) ?? { seen: new Set(), isUnsure: false, last: null }
    told.set(entry.filter, known)
    if (entry.hashes === null) known.isUnsure = true
    for (const hash of entry.hashes ?? []) {
      if (known.seen.has(hash) && !known.isUnsure) broken.push(`${entry.filter} told ${hash} twice`)
      known.seen.add(hash)
      known.last = hash
    }
    // What was told again was told at once.
    if (hit.has(entry.at)) known.isUnsure = true
    else if (entry.hashes !== null && entry.hashes.length > 0) known.isUnsure = false
  }
  for (const [filter, { seen, last }] of told) {
    const numbers = [...seen].flatMap((hash) => blocks.get(hash)?.number ?? [])
    const first = Math.min(...numbers)
    for (let block = blocks.get(last ?? ''); block !== undefined && block.number > first; ) {
      if (!seen.has(block.hash)) {
        broken.push(`${filter} did not tell block ${block.number}`)
        break
      }
      block = blocks.get(block.parentHash)
    }
  }
  return broken
}
