import type { Peer } from '../../p2p/peer.ts'
import type { SyncLimits } from './limits.ts'

/** Most peers whose failures are tracked. */
const MAX_FAILURES = 256
/** Factor by which each further failure prolongs the pause. */
const GROWTH = 4

interface Failure {
  times: number
  at: number
  until: number
}

/** Inputs of the choice of peers. */
export interface PeerChoiceOptions {
  readonly limits: Pick<
    SyncLimits,
    'waitForPeers' | 'enoughPeers' | 'statusAge' | 'failureRest' | 'failureMemory'
  >
  /** Milliseconds, steady. */
  readonly now: () => number
  /** True when the operator configured the peer: then no others are waited for. */
  readonly isStatic: (peer: Peer) => boolean
}

/** Chooses the peer whose branch is followed (p2p.md §5 Deciding). */
export class PeerChoice {
  readonly #options: PeerChoiceOptions
  readonly #failures = new Map<string, Failure>()
  /** Peers whose whole branch was connected once. */
  readonly #proven = new WeakSet<Peer>()
  /** The order in which peers were first seen. */
  readonly #arrivals = new WeakMap<Peer, number>()
  #arrived = 0
  /** True when the last claim that was followed was not kept. */
  #isWary = false
  #waitingSince: number | null = null
  #hasDecided = false

  constructor(options: PeerChoiceOptions) {
    this.#options = options
  }

  /** Peers with a recent status. */
  known(peers: readonly Peer[]): Peer[] {
    const { limits, now } = this.#options
    const known = peers.filter(
      ({ status }) => status !== null && now() - status.receivedAt <= limits.statusAge,
    )
    for (const peer of known) {
      if (this.#arrivals.has(peer)) continue
      this.#arrived += 1
      this.#arrivals.set(peer, this.#arrived)
    }
    return known
  }

  /** Peers that claim more work and did not fail lately. */
  claimants(peers: readonly Peer[], totalDifficulty: bigint): Peer[] {
    return this.known(peers).filter((peer) => claimOf(peer) > totalDifficulty && !this.hasFailed(peer))
  }

  /** True when enough peers are known for a first choice. */
  canDecide(peers: readonly Peer[]): boolean {
    const { limits, now, isStatic } = this.#options
    if (this.#hasDecided) return true
    const known = this.known(peers)
    if (known.length === 0) {
      this.#waitingSince = null
      return false
    }
    this.#waitingSince ??= now()
    this.#hasDecided =
      known.length >= limits.enoughPeers ||
      known.some((peer) => peer.trusted || isStatic(peer)) ||
      now() - this.#waitingSince >= limits.waitForPeers
    return this.#hasDecided
  }

  /**
   * Peers that claim more work and are not paused: those without recent failures first, then by claimed work.
   * Once a claim was not kept, claims count for nothing until one is: those come first that kept one, then those
   * that came first, so that newcomers with the highest claims keep nobody from being followed.
   */
  better(peers: readonly Peer[], totalDifficulty: bigint): Peer[] {
    const { limits, now } = this.#options
    const lastFailure = (peer: Peer): number => {
      const failure = this.#failures.get(peer.id)
      return failure === undefined || now() - failure.at > limits.failureMemory ? 0 : failure.at
    }
    const preference = (a: Peer, b: Peer) =>
      this.#isWary ? this.#standing(a) - this.#standing(b) : claimOf(a) < claimOf(b) ? 1 : -1
    return this.known(peers)
      .filter((peer) => claimOf(peer) > totalDifficulty && !this.isResting(peer))
      .toSorted((a, b) => lastFailure(a) - lastFailure(b) || preference(a, b))
  }

  /** Lower for who kept a claim, then for who came first. */
  #standing(peer: Peer): number {
    const arrival = this.#arrivals.get(peer) ?? 0
    return this.#proven.has(peer) ? arrival - Number.MAX_SAFE_INTEGER : arrival
  }

  /** True when a peer is paused after a failure. */
  isResting(peer: Peer): boolean {
    return (this.#failures.get(peer.id)?.until ?? 0) > this.#options.now()
  }

  /** True when a peer failed recently. */
  hasFailed(peer: Peer): boolean {
    const failure = this.#failures.get(peer.id)
    return failure !== undefined && this.#options.now() - failure.at <= this.#options.limits.failureMemory
  }

  /** Records a failure of a peer. Several failures at the same time count once. */
  failed(peer: Peer): void {
    if (this.isResting(peer)) return
    const { limits, now } = this.#options
    const times = this.hasFailed(peer) ? (this.#failures.get(peer.id)?.times ?? 0) + 1 : 1
    const rest = Math.min(limits.failureMemory, limits.failureRest * GROWTH ** (times - 1))
    this.#failures.delete(peer.id)
    this.#failures.set(peer.id, { times, at: now(), until: now() + rest })
    const oldest = this.#failures.keys().next()
    if (this.#failures.size > MAX_FAILURES && !oldest.done) this.#failures.delete(oldest.value)
  }

  /** Records that a peer did not show what it claims. */
  unkept(peer: Peer): void {
    this.#isWary = true
    this.failed(peer)
  }

  /** Records that a peer's whole branch was connected. */
  succeeded(peer: Peer): void {
    this.#isWary = false
    this.#proven.add(peer)
    this.#failures.delete(peer.id)
  }
}

function claimOf({ status }: Peer): bigint {
  return status?.totalDifficulty ?? 0n
}
