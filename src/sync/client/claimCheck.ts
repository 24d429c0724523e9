import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { type Stall, stallOf } from '../halt/stall.ts'
import { ask } from './ask.ts'
import { type HeaderCheck, stallOfFault } from './headerCheck.ts'
import { readChunk } from './headerChunk.ts'
import type { SyncLimits } from './limits.ts'

/** State of a claim to have more work than our head. */
export type ClaimState =
  /** It is new: announcements, or the synchronisation with the peer, usually settle it. */
  | 'new'
  /** The peer was asked for the header of its best block. */
  | 'asked'
  /** The peer gave that header, with its proof of work. */
  | 'shown'
  /** The peer gave a header that this node refuses: the next status is another claim. */
  | 'refused'

interface Claim {
  /** Hash of the best block that is claimed. */
  readonly hash: Buffer
  /** Since when the peer claims more work than we have, milliseconds. */
  readonly since: number
  state: ClaimState
}

/** Dependencies of a {@link ClaimCheck}. */
export interface ClaimCheckDeps {
  readonly spec: NetworkSpec
  readonly check: Pick<HeaderCheck, 'alone'>
  readonly limits: Pick<SyncLimits, 'claimGrace' | 'requestTimeout' | 'reserve'>
  /** Aborts open requests. */
  readonly signal: AbortSignal
  /** Milliseconds, steady. */
  readonly now: () => number
  /** Called when a peer does not show the header of the best block that it claims. */
  onUnkept(peer: Peer): void
  /** Called with a header that this node refuses or cannot read. */
  onStalled(stall: Stall): void
  /** Called with an internal error of this node. */
  onError(peer: Peer, error: unknown): void
}

/**
 * Asks every peer that goes on claiming more work than our head for the header of its best block, as the
 * reference does before it follows one (p2p.md §5 CheckingBestHeader): a claim without any of it is not kept.
 */
export class ClaimCheck {
  readonly #deps: ClaimCheckDeps
  readonly #claims = new WeakMap<Peer, Claim>()

  constructor(deps: ClaimCheckDeps) {
    this.#deps = deps
  }

  /** True when a peer showed the header of the best block that it claims now. */
  hasShown(peer: Peer): boolean {
    const claim = this.#claims.get(peer)
    return claim?.state === 'shown' && peer.status?.bestHash.equals(claim.hash) === true
  }

  /**
   * Asks those whose claims are due; peers that the operator chose are asked at once. Call it about once a
   * second, and when a status arrives.
   * @param peers with a status
   * @param head total difficulty of our head
   */
  tick(peers: readonly Peer[], head: bigint): void {
    const { limits, now, onError } = this.#deps
    for (const peer of peers) {
      if ((peer.status?.totalDifficulty ?? 0n) <= head) {
        this.#claims.delete(peer)
        continue
      }
      const claim = this.#claimOf(peer)
      const isDue = peer.trusted || now() - claim.since >= limits.claimGrace
      if (claim.state !== 'new' || !isDue || peer.allowance <= limits.reserve) continue
      claim.state = 'asked'
      this.#ask(peer, claim).catch((error: unknown) => onError(peer, error))
    }
  }

  /** A new status is another claim, of the same age as long as none was settled. */
  #claimOf(peer: Peer): Claim {
    const hash = peer.status?.bestHash ?? Buffer.alloc(0)
    const known = this.#claims.get(peer)
    if (known?.hash.equals(hash) === true || known?.state === 'asked') return known
    const claim: Claim = { hash, since: known?.since ?? this.#deps.now(), state: 'new' }
    this.#claims.set(peer, claim)
    return claim
  }

  async #ask(peer: Peer, claim: Claim): Promise<void> {
    const { spec, check, limits, signal, onUnkept, onStalled } = this.#deps
    const number = peer.status?.bestNumber ?? 0
    const question = { type: 'blockHeadersRequest', hash: claim.hash, count: 1 } as const
    const answer = await ask<'blockHeadersRequest'>(peer, question, limits.requestTimeout, signal)
    if (typeof answer === 'string') {
      claim.state = 'new'
      if (answer === 'TIMEOUT') onUnkept(peer)
      return
    }
    claim.state = 'refused'
    const read = readChunk(spec, { hash: claim.hash, number, count: 1 }, answer.headers, null)
    if (typeof read === 'string') {
      peer.score('invalidMessage')
      return
    }
    if ('reason' in read) {
      onStalled(stallOf('refusedHeader', { ...read, peers: [peer] }))
      peer.score('invalidMessage')
      return
    }
    const fault = await check.alone(read.headers, signal)
    if (fault === null) claim.state = 'shown'
    else {
      onStalled(stallOfFault(fault, [peer]))
      if (!fault.early) peer.score('invalidHeader')
    }
  }
}
