import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'
import { isActive } from '../../config/activations.ts'
import type { Peer } from '../../p2p/peer.ts'
import { USELESS_PEER } from '../client/protocol.ts'
import { HeaderStage, type HeaderStageDeps } from './headerStage.ts'
import { HeaderWindow } from './headerWindow.ts'
import { type BranchPeers, branchesAt, collectOffers, type SnapshotOffer } from './offers.ts'
import type { SnapshotStore } from './snapshotStore.ts'

/** Dependencies of the choice of a snapshot's block. */
export interface BranchChoiceDeps extends HeaderStageDeps {
  readonly store: Pick<SnapshotStore, 'saveHeaders'>
  readonly signal: AbortSignal
  /** Connected peers with a status, including paused ones. */
  known(): readonly Peer[]
  /** True when a peer is paused after a failure. */
  isResting(peer: Peer): boolean
}

/** The block to begin with, or why there is none yet. */
export type Choice = { readonly target: SnapshotTarget } | { readonly reason: string }

/** Depth below a peer's best block that reorganisations may reach. */
const UNSETTLED = 64

interface WeighedBranch {
  readonly branch: BranchPeers
  readonly window: HeaderWindow
}

/** Largest announced size of a state that is recorded: it is unverified. */
const MAX_STATE_BYTES = 2 ** 47

/**
 * Chooses the block whose state is fetched. Headers prove it (p2p.md §5 Snapshot sync): they are checked from
 * genesis on, and where peers are on several branches at its height each branch is weighed and the heaviest
 * is chosen. No peer that claims more work is ignored.
 */
export class BranchChoice {
  readonly #deps: BranchChoiceDeps
  readonly #genesis: HeaderWindow['last']
  #window: HeaderWindow
  #stage: HeaderStage | null = null
  /** Failed downloads of the headers of a branch, by the hash of its block. */
  readonly #failures = new Map<string, number>()

  /** @param saved headers saved by an earlier run */
  constructor(deps: BranchChoiceDeps, genesis: HeaderWindow['last'], saved: Buffer | null) {
    this.#deps = deps
    this.#genesis = genesis
    this.#window = this.#decode(saved)
  }

  peerGone(peer: Peer): void {
    this.#stage?.peerGone(peer)
  }

  stop(): void {
    this.#stage?.stop()
  }

  /** @throws what fails within this node */
  async choose(): Promise<Choice> {
    const { spec, limits, signal } = this.#deps
    const known = this.#deps.known()
    const servers = known.filter((peer) => peer.snap && !this.#deps.isResting(peer))
    if (servers.length === 0) return { reason: 'no peer gives snapshots' }
    const offers = await collectOffers(spec, servers, limits.bulkTimeout, signal)
    const usable = offers.filter(({ number }) => number > 0 && isActive(spec, 'rskip126', number))
    // Not that of the peer that claims most: an old block would make this node execute nearly everything.
    const [best] = usable.toSorted((a, b) => b.number - a.number)
    if (best === undefined) return { reason: reasonWithoutOffers(offers) }
    const having = known.filter(({ status }) => (status?.bestNumber ?? 0) >= best.number)
    const branches = await branchesAt(best.number, having, limits.requestTimeout, signal)
    const weighed: WeighedBranch[] = []
    for (const branch of branches) {
      const window = await this.#weigh(branch, best.number)
      if (signal.aborted) return { reason: 'stopped' }
      if (window !== null) weighed.push({ branch, window })
      // A branch that its peers cannot provide is skipped only after some attempts: it may be the honest one.
      else if (this.#failed(branch.hash.toString('hex'), branch.peers))
        return { reason: `the headers up to block ${best.number} do not come` }
    }
    const [heaviest, ...lighter] = weighed.toSorted((a, b) =>
      a.window.totalDifficulty < b.window.totalDifficulty ? 1 : -1,
    )
    if (heaviest === undefined) return { reason: `no peer shows the headers up to block ${best.number}` }
    for (const { branch } of lighter) this.#leave(branch.peers)
    const stronger = await this.#challenge(heaviest, best.number)
    if (stronger !== null) return { reason: stronger }
    return this.#targetOf(heaviest.branch, heaviest.window, usable)
  }

  /**
   * A peer that claims more work than was proven for the block, and may not have it, has to prove it: a
   * longer branch may be the lighter one.
   * @returns null when no peer proves more; else why the block is not chosen now
   */
  async #challenge({ branch, window }: WeighedBranch, number: number): Promise<string | null> {
    const asked = new Set<Peer>(branch.peers)
    for (;;) {
      const proven = window.totalDifficulty
      const challenger = this.#deps.known().find((peer) => !asked.has(peer) && claimOf(peer) > proven)
      if (challenger === undefined || this.#deps.signal.aborted) break
      asked.add(challenger)
      const best = challenger.status?.bestNumber ?? 0
      const peers = [challenger]
      const shown =
        best < number ? await this.#weigh({ hash: null, peers }, Math.max(1, best - UNSETTLED)) : null
      if (shown === null && this.#failed(challenger.id, peers))
        return 'a peer that claims more work does not show its headers'
      if (shown !== null && shown.totalDifficulty > proven) {
        this.#leave(branch.peers)
        return 'a shorter branch has more work than that of the snapshot'
      }
      if (shown !== null) this.#leave(peers)
    }
    this.#window = window
    return null
  }

  /**
   * Fetches the headers of a branch up to a height. @returns null when they are not provided, or lead
   * elsewhere
   */
  async #weigh(
    branch: Pick<BranchPeers, 'peers'> & { readonly hash: Buffer | null },
    upTo: number,
  ): Promise<HeaderWindow | null> {
    const { hash } = branch
    if (this.#window.last.number > upTo) this.#window = new HeaderWindow(this.#genesis)
    const isAhead =
      this.#window.last.number === upTo && !(hash !== null && this.#window.last.hash.equals(hash))
    if (isAhead) this.#window = new HeaderWindow(this.#genesis)
    for (;;) {
      const window = this.#window
      this.#stage = new HeaderStage(this.#deps, {
        window,
        upTo,
        peers: () => branch.peers.filter((peer) => this.#deps.known().includes(peer)),
        save: () => this.#deps.store.saveHeaders(window.encode()),
      })
      const end = await this.#stage.run()
      this.#stage = null
      if (end === 'complete') return hash === null || window.last.hash.equals(hash) ? window : null
      // The headers checked before belong to another branch.
      if (end !== 'fork' || window.last.number === 0) return null
      this.#window = new HeaderWindow(this.#genesis)
    }
  }

  async #targetOf(
    branch: BranchPeers,
    window: HeaderWindow,
    offers: readonly SnapshotOffer[],
  ): Promise<Choice> {
    const offering = offers.filter(({ hash }) => hash.equals(branch.hash))
    const [offer] = offering
    if (offer === undefined) {
      for (const { peer } of offers) this.#deps.onFailed(peer)
      return { reason: 'nobody gives the state of the branch with most work' }
    }
    // Another branch may have been weighed last.
    this.#window = window
    await this.#deps.store.saveHeaders(window.encode())
    const { number, hash, fields } = window.last
    const size = Math.min(MAX_STATE_BYTES, Math.max(...offering.map((one) => one.size)))
    const { totalDifficulty } = window
    return { target: { number, hash, stateRoot: fields.stateRoot, totalDifficulty, size } }
  }

  /** @returns whether the branch is to be tried again */
  #failed(key: string, peers: readonly Peer[]): boolean {
    const times = (this.#failures.get(key) ?? 0) + 1
    if (times < this.#deps.limits.attempts) {
      this.#failures.set(key, times)
      return true
    }
    this.#failures.delete(key)
    this.#leave(peers)
    return false
  }

  #leave(peers: readonly Peer[]): void {
    for (const peer of peers) {
      this.#deps.onFailed(peer)
      peer.disconnect(USELESS_PEER)
    }
  }

  #decode(saved: Buffer | null): HeaderWindow {
    const window = saved && HeaderWindow.decode(this.#deps.spec, this.#genesis, saved)
    return window ?? new HeaderWindow(this.#genesis)
  }
}

function reasonWithoutOffers(offers: readonly SnapshotOffer[]): string {
  const highest = Math.max(...offers.map(({ number }) => number))
  if (offers.length === 0) return 'no peer says which state it gives'
  return highest > 0
    ? `the state of block ${highest} cannot be checked: before RSKIP126 headers do not name its root`
    : 'peers give the state of genesis alone'
}

function claimOf({ status }: Peer): bigint {
  return status?.totalDifficulty ?? 0n
}
