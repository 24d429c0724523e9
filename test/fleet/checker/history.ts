import { closeSync, openSync, writeSync } from 'node:fs'
import { readJsonLines } from '../../support/jsonLines.ts'

/** A block as an answer names it; without a hash where only the number was told. */
export interface SeenHead {
  readonly number: number
  readonly hash: string | null
}

/** What a client asked for. Answers of each kind are in {@link AnswerOf}. */
export type Operation =
  /** Which block is the head, by whichever method. */
  | { readonly kind: 'head' }
  /** `eth_getTransactionCount` of an account, `pending`. */
  | { readonly kind: 'count'; readonly account: string }
  /** A signed transaction is sent. */
  | { readonly kind: 'send'; readonly hash: string; readonly account: string; readonly nonce: number }
  /** A solution of a mining pool is submitted. */
  | { readonly kind: 'solution' }
  /** A filter is made. `address`: of the logs, where it is a filter of logs. */
  | { readonly kind: 'newFilter'; readonly of: FilterKind; readonly address: string | null }
  /** `eth_getFilterChanges`. `owner`: the member that made the filter; null once it may have been handed over. */
  | { readonly kind: 'poll'; readonly filter: string; readonly owner: number | null }
  /** `eth_getLogs` of a range of blocks. */
  | { readonly kind: 'logs'; readonly from: number; readonly to: number; readonly address: string }
  /** A subscription tells of a head. `parent`: of the block; null where the client begins with it. */
  | { readonly kind: 'told'; readonly number: number; readonly parent: string | null }
  /** Requests that a key was used for, as a member shows them. */
  | { readonly kind: 'usage'; readonly key: string }
  /** A key is revoked. */
  | { readonly kind: 'revoke'; readonly key: string }
  /** Anything else that is charged. */
  | { readonly kind: 'other'; readonly method: string }

export type FilterKind = 'blocks' | 'logs' | 'transactions'

export type Outcome =
  | {
      readonly kind: 'answered'
      /**
       * `head`: none beside {@link Entry.head}; `count`: number; `send`, `solution`, `told`: hash; `newFilter`: id; `poll`,
       * `logs`: names of events ({@link logName}, hashes); `usage`: number; others: null.
       */
      readonly value: number | string | readonly string[] | null
    }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** No answer came: it may have been done, or be done later, or never. */
  | { readonly kind: 'unknown' }

/** One request of a client. Times are milliseconds of one monotonic clock, that of the runner. */
export interface Entry {
  readonly type: 'entry'
  readonly client: number
  /** Who was asked. */
  readonly member: number
  readonly operation: Operation
  readonly begin: number
  /** When the answer was there, or the client gave up. */
  readonly end: number
  readonly outcome: Outcome
  /** Of `X-Block-Number` and `X-Block-Hash`, or of the answer itself. */
  readonly head?: SeenHead
  /** API key that it was asked with, and what it costs. */
  readonly key?: string
  readonly units?: number
  /** Asked after everything had healed: it has to be answered. */
  readonly healed?: true
}

/** Something that the runner did to the fleet. */
export interface FaultEntry {
  readonly type: 'fault'
  readonly what: string
  /** Members whose processes ended by it: what they counted within their last second may be lost. */
  readonly killed: readonly number[]
  readonly begin: number
  readonly end: number
  /** When all members were ready again; the end unless given. */
  readonly healed?: number
}

/** An entry of the record of fleet heads, in its order. */
export interface HeadEntry {
  readonly type: 'head'
  readonly number: number
  readonly hash: string
}

/** A block of which a fleet head was, or that is below one. */
export interface BlockEntry {
  readonly type: 'block'
  readonly number: number
  readonly hash: string
  readonly parent: string
  /** Of its logs, by {@link logName} without `removed`, with hashes of their transactions. */
  readonly logs: readonly {
    readonly name: string
    readonly address: string
    readonly transaction?: string
  }[]
}

/** What a member has of something acknowledged after everything has healed. */
export interface FinalEntry {
  readonly type: 'final'
  readonly member: number
  readonly what: 'transaction' | 'block'
  readonly hash: string
  /** Hash of the block that a transaction is in; `pool`; of a block its own hash; null when it is not there. */
  readonly where: string | null
  /** Height of a block that is there. */
  readonly number?: number
}

/** Bounds of the requests that a key was used for. */
export interface UsedBefore {
  readonly least: number
  readonly most: number
}

/** Limits of a key. */
export interface KeyEntry {
  readonly type: 'key'
  readonly key: string
  /** Requests that it was used for before this history began: at least, and at most. */
  readonly used: UsedBefore
  /** Cost units a second, and at once; 0 for none. */
  readonly rate: number
  readonly burst: number
  /** Cost units a day; 0 for none. */
  readonly quota: number
  /** Cost units by which a fleet may be over the rate in a window, and over the quota, as it states (fleet.md §7). */
  readonly overshoot: number
  readonly quotaOvershoot: number
  /** Milliseconds within which a revocation reaches everybody. */
  readonly revokedWithin: number
}

export type Line = Entry | FaultEntry | HeadEntry | BlockEntry | FinalEntry | KeyEntry

/** Name of a log as histories have it. */
export function logName(blockHash: string, logIndex: number, removed: boolean): string {
  return `${blockHash}:${logIndex}${removed ? ':removed' : ''}`
}

/** Everything that was recorded, by kind. */
export interface History {
  /** By the time at which they began. */
  readonly entries: readonly Entry[]
  readonly faults: readonly FaultEntry[]
  readonly heads: readonly HeadEntry[]
  readonly blocks: ReadonlyMap<string, BlockEntry>
  readonly finals: readonly FinalEntry[]
  readonly keys: readonly KeyEntry[]
}

/** Writes a history line by line: what a run recorded is there although the run dies. */
export class HistoryWriter {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'w')
  }

  write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** @throws SyntaxError for a line that is no JSON */
export function readHistory(path: string): History {
  return historyOf(readJsonLines(path) as Line[])
}

export function historyOf(lines: readonly Line[]): History {
  const of = <T extends Line['type']>(type: T) =>
    lines.filter((line): line is Extract<Line, { readonly type: T }> => line.type === type)
  return {
    entries: of('entry').toSorted((a, b) => a.begin - b.begin),
    faults: of('fault'),
    // A head that is written again (fleet.md §3, rounds that are given up) is the same head.
    heads: of('head').filter(({ hash }, at, all) => hash !== all[at - 1]?.hash),
    blocks: new Map(of('block').map((block) => [block.hash, block])),
    finals: of('final'),
    keys: of('key'),
  }
}
