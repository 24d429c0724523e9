import { toHex } from '../../util/bytes.ts'

/** Reason why the chain cannot go on. */
export type HaltCause =
  /** Independent peers insist on a block that breaks a rule here: they are followed no further. */
  | 'refusedBlock'
  /** A block of this node's own chain turned out to be invalid: nothing above it is followed. */
  | 'ownBlock'
  /** Independent peers have a block whose header or bytes this node refuses. */
  | 'refusedHeader'
  /** A block of a heavier branch cannot be judged: this node failed at it, or lacks what that takes. */
  | 'undecidedBlock'
  /** The blocks of peers are too far in the future of this machine's clock. */
  | 'earlyHeader'
  /** A heavier branch leaves the chain below the first block whose state is kept. */
  | 'missingState'
  /** A heavier branch has more blocks beside the chain than may be stored or held. */
  | 'sideBlockLimit'
  /** This node failed while it followed a branch, at no block in particular. */
  | 'internalError'
  /** This node fails at the snapshot that the chain is to begin with. */
  | 'snapshotError'
  /** This node fails at the blocks below the snapshot that the chain began with. */
  | 'backfillError'
  /** The blocks below the snapshot that the chain began with lead to another genesis: halted for good. */
  | 'otherGenesis'

/** The reason why the chain does not go on. */
export interface Halt {
  readonly cause: HaltCause
  /** The block at which it ended; null where it is none in particular. */
  readonly number: number | null
  readonly hash: Buffer | null
  /** The rule that the block breaks, with its expected and found value; null where it breaks none. */
  readonly rule: string | null
  readonly expected: string | null
  readonly found: string | null
  /** The failure in words, for operators: it may be the text of an internal error. */
  readonly reason: string
  /** Independent peers whose chain has the block; 0 where they are not counted. */
  readonly insisting: number
}

/** A halt at no block in particular. */
export function haltBy(cause: HaltCause, reason: string): Halt {
  const block = { number: null, hash: null, rule: null, expected: null, found: null }
  return { cause, ...block, reason, insisting: 0 }
}

/** The next steps, by cause. */
const CONSEQUENCES: Readonly<Record<HaltCause, string>> = {
  refusedBlock: 'this node follows them no further',
  ownBlock: 'this node follows nobody any more',
  refusedHeader: 'peers that send it are banned',
  undecidedBlock: 'it is tried again',
  earlyHeader: 'set the clock by NTP',
  missingState: 'start again from an older snapshot or from genesis',
  sideBlockLimit: 'it is tried again when the limit of a day is renewed',
  internalError: 'it is tried again',
  snapshotError: 'it is tried again',
  backfillError: 'it is tried again',
  otherGenesis: 'start again from a snapshot of this network',
}

/** One sentence for the log and `/ready`. */
export function describeHalt(halt: Halt): string {
  return `${whatHappened(halt)}: ${CONSEQUENCES[halt.cause]}`
}

function whatHappened(halt: Halt): string {
  const { cause, reason } = halt
  const block = `block ${halt.number ?? 'of unknown height'}`
  switch (cause) {
    case 'refusedBlock':
      return `peers insist on ${block}, which ${brokenRule(halt)}`
    case 'ownBlock':
      return `${block} of the chain of this node ${brokenRule(halt)}`
    case 'refusedHeader':
      return `peers insist on ${block}, which ${halt.rule === null ? `this node cannot read (${reason})` : brokenRule(halt)}`
    case 'undecidedBlock':
      return `${block} of a heavier chain cannot be judged here (${reason})`
    case 'earlyHeader':
      return `${block} of peers is of the future by the clock of this machine (${reason})`
    case 'missingState':
      return `the chain of peers leaves that of this node at ${block}, below the states that are kept (${reason})`
    case 'sideBlockLimit':
      return `a heavier chain has too many blocks beside that of this node (${reason})`
    case 'internalError':
      return `this node fails to follow the chain of peers (${reason})`
    case 'snapshotError':
      return `this node fails at the snapshot that it is to begin with (${reason})`
    case 'backfillError':
      return `this node fails at the blocks below its snapshot (${reason})`
    case 'otherGenesis':
      return `blocks below the snapshot: ${reason}`
  }
}

function brokenRule({ rule, expected, found }: Halt): string {
  return `breaks ${rule} here (expected ${expected}, found ${found})`
}

/** The halt as plain data with hexadecimal text, for the log and files. */
export function haltFields(halt: Halt): object {
  return { ...halt, hash: halt.hash === null ? null : toHex(halt.hash) }
}
