import type { BlockHeader } from '../../chain/codec/header.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { CheckedHeader } from './branch.ts'
import { HeaderDownload, type HeadersEnd } from './headerDownload.ts'
import type { SessionDeps } from './sessionDeps.ts'
import type { Suppliers } from './suppliers.ts'

/** Consumer of the headers of a branch. */
export interface BranchHeadersParts {
  readonly suppliers: Suppliers
  /** Aborts the download. */
  readonly signal: AbortSignal
  /** Receives headers that passed every rule that needs no body, in order. */
  take(headers: readonly CheckedHeader[]): void
  /** True when no more headers can be held now. */
  isFull(): boolean
  /** Upper bound of the total difficulty of the checked part of the branch. */
  weight(): bigint
  /** Called when a leader does not show what it has. */
  onSilent(leader: Peer): void
  onEnd(): void
  /** Called with an internal error of this node. */
  onError(error: unknown): void
}

/**
 * Fetches the headers of a branch, from the block of our chain that it branches off from until there are no
 * more.
 */
export class BranchHeaders {
  readonly #deps: SessionDeps
  readonly #leader: Peer
  readonly #parts: BranchHeadersParts
  #download: HeaderDownload | null = null
  #end: HeadersEnd | null = null

  /** @param leader peer that announced the branch */
  constructor(deps: SessionDeps, leader: Peer, parts: BranchHeadersParts) {
    this.#deps = deps
    this.#leader = leader
    this.#parts = parts
  }

  /** Reason why the headers ended; null while more may come. */
  get end(): HeadersEnd | null {
    return this.#end
  }

  /** Peer whose skeleton is followed. */
  get leader(): Peer {
    return this.#download?.leader ?? this.#leader
  }

  /** Call it when a peer connected, or announced a status. */
  join(peer: Peer): void {
    this.#download?.join(peer)
  }

  /** Passes headers on as long as they fit, until there are no more. */
  async run(base: BlockHeader): Promise<void> {
    const { suppliers, signal, take, isFull, onEnd, onError } = this.#parts
    try {
      const runs = this.#open(base).run(base, signal)
      for (;;) {
        const run = await runs.next()
        if (run.done === true) {
          this.#end = run.value
          break
        }
        take(run.value)
        while (!signal.aborted && isFull()) await suppliers.changed()
      }
    } catch (error) {
      onError(error)
    } finally {
      onEnd()
    }
  }

  #open(base: BlockHeader): HeaderDownload {
    const { chain, onFailed } = this.#deps
    const { suppliers, onSilent, onError } = this.#parts
    this.#download = new HeaderDownload({
      ...this.#deps,
      spec: chain.spec,
      suppliers,
      leaders: () => this.#leaders(),
      known: (number) => (number <= base.number ? chain.reader.hashByNumber(number) : null),
      onFailed,
      onSilent,
      onError,
      onInsisting: (hash, peers) => this.#insisting(hash, peers),
    })
    return this.#download
  }

  /** The leader first, then peers that could replace it. */
  #leaders(): readonly Peer[] {
    const leaders = this.#deps.leaders()
    const others = leaders.filter((peer) => peer !== this.#leader)
    return leaders.includes(this.#leader) ? [this.#leader, ...others] : others
  }

  #insisting(hash: Buffer, offering: readonly Peer[]): void {
    const refusal = this.#deps.refused.find(hash)
    if (refusal === null) return
    this.#deps.onRefused(refusal, offering, this.leader, this.#parts.weight())
  }
}
