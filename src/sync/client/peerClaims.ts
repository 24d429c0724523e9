import type { Peer, PeerSet } from '../../p2p/peer.ts'
import type { Stalls } from '../halt/stalls.ts'
import type { SyncChain } from '../syncChain.ts'
import { ClaimCheck } from './claimCheck.ts'
import type { HeaderCheck } from './headerCheck.ts'
import type { SyncLimits } from './limits.ts'
import { NetworkHeight } from './networkHeight.ts'
import { createStop } from './pause.ts'
import type { PeerChoice } from './peerChoice.ts'
import { USELESS_PEER } from './protocol.ts'
import { UnkeptClaims } from './unkeptClaims.ts'

/** Dependencies of {@link PeerClaims}. */
export interface PeerClaimsDeps {
  readonly chain: Pick<SyncChain, 'spec' | 'tip'>
  readonly peers: PeerSet
  readonly choice: PeerChoice
  readonly limits: SyncLimits
  readonly check: Pick<HeaderCheck, 'alone'>
  readonly stalls: Pick<Stalls, 'record'>
  /** Milliseconds, steady. */
  readonly now: () => number
  /** Called with an internal error of this node. */
  onError(peer: Peer, error: unknown): void
}

/** The claims of peers beyond our chain: how much of them is known to be so, and what it costs when it is not. */
export class PeerClaims {
  readonly #deps: PeerClaimsDeps
  readonly #check: ClaimCheck
  readonly #height: NetworkHeight
  readonly #unkept: UnkeptClaims
  readonly #stop = createStop()

  constructor(deps: PeerClaimsDeps) {
    const { chain, peers, choice, limits, check, stalls, now, onError } = deps
    this.#deps = deps
    this.#unkept = new UnkeptClaims(now)
    this.#check = new ClaimCheck({
      spec: chain.spec,
      check,
      limits,
      signal: this.#stop.signal,
      now,
      onUnkept: (peer) => this.unkept(peer),
      onStalled: (stall) => stalls.record(stall),
      onError,
    })
    this.#height = new NetworkHeight({
      chain,
      peers,
      believed: limits.insisting,
      now,
      claimants: (all) => choice.claimants(all, chain.tip.totalDifficulty),
      hasShown: (peer) => this.#check.hasShown(peer),
    })
  }

  /** The highest block that the network is known to have (`NetworkHeight`). */
  get highest(): number {
    return this.#height.highest
  }

  /** Records headers that were checked (`NetworkHeight`). */
  proved(number: number, work: bigint): void {
    this.#height.proved(number, work)
  }

  /** A peer does not show the work that it claims: it loses its slot, and the next time it is banned. */
  unkept(peer: Peer): void {
    this.#deps.choice.unkept(peer)
    // Who was chosen by the operator is only asked after the others.
    if (peer.trusted) return
    if (this.#unkept.record(peer) > 1) peer.score('invalidMessage')
    peer.disconnect(USELESS_PEER)
  }

  /** Asks for what is due. Call it about once a second, and when a status arrives. */
  tick(): void {
    const { chain, choice, peers } = this.#deps
    const known = choice.known(peers.peers).filter((peer) => !choice.isResting(peer))
    if (!this.#stop.signal.aborted) this.#check.tick(known, chain.tip.totalDifficulty)
  }

  close(): void {
    this.#stop.abort()
  }
}
