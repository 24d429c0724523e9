import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import { type StateReference, stateRootOfHeader } from '../state/stateRoot.ts'

/**
 * Distance in blocks between compared state roots before RSKIP126: each comparison reads a whole state. An
 * error in a state persists in later ones, so that the distance hides nothing.
 */
export const OLDER_ROOT_INTERVAL = 10_000

/** A block before RSKIP126 whose header names another state than its execution produced. */
export interface OlderRootDifference {
  readonly number: number
  readonly hash: Buffer
  /** The root in the header. */
  readonly expected: Buffer
  /** The root in the format before RSKIP126 of the state that is stored. */
  readonly found: Buffer
}

/** The reads of states that a comparison needs. */
export type OlderRootStates = Pick<StateStore, 'rootFor' | 'orchidStateRoot'>

/** True when a header names its state in the format before RSKIP126, which import does not check. */
export function hasOlderRoot(spec: NetworkSpec, number: number): boolean {
  return number > 0 && !isActive(spec, 'rskip126', number)
}

/** True when such a root is consensus: below RSKIP85 no version checked it (consensus.md §2.6). */
export function isOlderRootBinding(spec: NetworkSpec, number: number): boolean {
  return hasOlderRoot(spec, number) && isActive(spec, 'rskip85', number)
}

/**
 * The next height above `after` whose state root is compared: RSKIP85's and those at multiples of the interval from it,
 * downwards, too, and the last before RSKIP126. Null when none is left.
 */
export function nextOlderRoot(
  spec: NetworkSpec,
  after: number,
  interval = OLDER_ROOT_INTERVAL,
): number | null {
  const { rskip85, rskip126 } = spec.activationHeights
  const last = rskip126 < 0 ? Number.POSITIVE_INFINITY : rskip126 - 1
  const offset = Math.max(rskip85, 0) % interval
  const above = Math.max(after, 0) + 1
  const next = above + ((((offset - above) % interval) + interval) % interval)
  if (next <= last) return next
  return above <= last ? last : null
}

/**
 * Compares the root that a header before RSKIP126 names with the state after it. A header may name the Unitrie root
 * instead, as builders of the reference later than 1.3.0 write it on every chain: that is the state itself.
 * @returns the difference, `equal`, or null when `signal` ended it
 * @throws NativeError `MissingState`; Error for a state that cannot be read
 */
export async function compareOlderRoot(
  spec: NetworkSpec,
  store: OlderRootStates,
  header: StateReference,
  signal?: AbortSignal,
): Promise<OlderRootDifference | 'equal' | null> {
  const { number, hash } = header
  const expected = header.fields.stateRoot
  const root = stateRootOfHeader(spec, store, header)
  if (root.equals(expected)) return 'equal'
  const found = await store.orchidStateRoot(root, signal)
  if (found === null) return null
  return found.equals(expected) ? 'equal' : { number, hash, expected, found }
}
