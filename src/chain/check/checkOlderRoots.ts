import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { ChainStoreReader } from '../chainStoreReader.ts'
import {
  compareOlderRoot,
  hasOlderRoot,
  isOlderRootBinding,
  nextOlderRoot,
  type OlderRootDifference,
  type OlderRootStates,
} from '../olderRoots.ts'
import type { Problem } from './problem.ts'

export interface OlderRootsOptions {
  readonly spec: NetworkSpec
  readonly reader: Pick<ChainStoreReader, 'head' | 'headerByNumber' | 'history'>
  readonly stateStore: OlderRootStates
  /** Blocks from one comparison to the next. */
  readonly interval?: number
  /** Called before each comparison. */
  readonly onHeight?: (height: number) => void
}

/** Result of comparing the state roots before RSKIP126. */
export interface OlderRootsReport {
  /** States that could not be read. */
  readonly problems: readonly Problem[]
  /**
   * Blocks that were compared where the root is consensus, without those of the search for the first
   * difference apart.
   */
  readonly compared: number
  /** The first block that differs where the root is consensus. */
  readonly first: OlderRootDifference | null
  /** Blocks below, where no rule checks the root: the number compared, and how many of them differ. */
  readonly below: { readonly compared: number; readonly differing: readonly OlderRootDifference[] }
}

/**
 * Compares state roots before RSKIP126 with the states that are stored, at every height of
 * {@link nextOlderRoot} up to the head. A difference where roots are consensus ends it: the first block that
 * differs is searched between that height and the one compared before, or the height from which roots are
 * consensus.
 */
export async function checkOlderRoots(options: OlderRootsOptions): Promise<OlderRootsReport> {
  const { spec, reader, interval, onHeight } = options
  const { firstState } = reader.history()
  const head = reader.head().number
  const problems: Problem[] = []
  const differing: OlderRootDifference[] = []
  let [compared, comparedBelow] = [0, 0]
  let first: OlderRootDifference | null = null
  let equal = firstState - 1
  let next = nextOlderRoot(spec, equal, interval)
  while (next !== null && next <= head && first === null) {
    onHeight?.(next)
    const binds = isOlderRootBinding(spec, next)
    if (binds) compared += 1
    else comparedBelow += 1
    try {
      const found = await compareAt(options, next)
      if (found === null) equal = next
      else if (binds) first = await firstDifference(options, equal, found, problems)
      else differing.push(found)
    } catch (error) {
      problems.push(unreadable(next, error))
    }
    next = nextOlderRoot(spec, next, interval)
  }
  return { problems, compared, first, below: { compared: comparedBelow, differing } }
}

/** The lowest block that differs above one that does not, given one that does: an error stays in later states.
 * A state that cannot be read ends the search. */
async function firstDifference(
  options: OlderRootsOptions,
  equal: number,
  known: OlderRootDifference,
  problems: Problem[],
): Promise<OlderRootDifference> {
  let below = Math.max(equal, lowestBinding(options.spec, known.number) - 1)
  let first = known
  while (first.number - below > 1) {
    const middle = below + Math.floor((first.number - below) / 2)
    options.onHeight?.(middle)
    try {
      const found = await compareAt(options, middle)
      if (found === null) below = middle
      else first = found
    } catch (error) {
      problems.push(unreadable(middle, error))
      return first
    }
  }
  return first
}

function unreadable(number: number, error: unknown): Problem {
  return { number, hash: '', message: `its state root: ${(error as Error).message}` }
}

function lowestBinding(spec: NetworkSpec, known: number): number {
  const lowest = Math.max(spec.activationHeights.rskip85, 1)
  return hasOlderRoot(spec, lowest) ? lowest : known
}

async function compareAt(
  { spec, reader, stateStore }: OlderRootsOptions,
  number: number,
): Promise<OlderRootDifference | null> {
  const header = reader.headerByNumber(number)
  if (header === null) throw new Error('its header is missing')
  const outcome = await compareOlderRoot(spec, stateStore, header)
  return outcome === 'equal' ? null : outcome
}
