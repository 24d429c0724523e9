import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { chosenNetwork, type NetworkChoice } from '../config/networks/configured.ts'
import { StateStore } from '../native/stateStore.ts'
import { toHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import { type ForkBase, forkAncestor } from './forkBase.ts'
import { ForkReads } from './forkReads.ts'
import type { SharedStats } from './sharedStats.ts'
import type { Upstream } from './upstream.ts'
import { fetchBlock } from './upstreamBlock.ts'
import { fetchWholeBlock } from './wholeBlock.ts'

/** Bytes of answers in memory. */
const CACHE_BYTES = 32 * 2 ** 20

/** Answers are of one block that is looked at once: nothing of them is kept for later runs. */
const NOTHING_KEPT = { get: () => undefined, put: () => undefined, flush: () => undefined }

/** A block below that of a fork, and what its network has as the state after its parent. */
export interface BlockBelow {
  readonly block: Block
  readonly parent: BlockHeader
  /** The network with a fork at the parent. */
  readonly spec: NetworkSpec
  /** A fork of the parent, in memory; threads other than the one that opened it do not read it. */
  readonly store: StateStore
  /** Resolves when everything that was asked for has its answer. */
  settled(): Promise<void>
  /** Lets go of it. */
  close(): void
}

/** The network of a fork, for blocks below it. */
export interface BelowParts {
  readonly choice: Pick<NetworkChoice, 'network' | 'activationHeights'>
  readonly base: ForkBase
  readonly upstream: Upstream
  readonly stats: SharedStats
  /** Milliseconds. */
  readonly patience: number
}

/**
 * Opens a canonical block of the upstream on the state of its parent, which is a fork of its own: reads ask the upstream
 * from the event loop of the calling thread, so that this thread must not wait for them in the native core.
 * @throws UpstreamError
 */
export async function openBlockBelow(parts: BelowParts, number: number): Promise<BlockBelow> {
  const { upstream, stats, patience } = parts
  const { network, activationHeights } = parts.choice
  const spec = chosenNetwork({ network, activationHeights, fork: { number: number - 1 } })
  if (!isActive(spec, 'rskip126', number - 1)) {
    throw new UpstreamError(
      'NETWORK',
      `block ${number} is from before RSKIP126: it is not executed on a fork`,
    )
  }
  const [parent, block] = await Promise.all([
    fetchBlock(upstream, spec, number - 1),
    fetchWholeBlock(upstream, spec, number),
  ])
  if (!block.header.parentHash.equals(parent.header.hash)) {
    throw new UpstreamError('MALFORMED', `the upstream's block ${number - 1} is not the parent of ${number}`)
  }
  const { chainId: _, ...standard } = parts.base
  const base: ForkBase = {
    ...standard,
    number: number - 1,
    hash: toHex(parent.header.hash),
    parentHash: toHex(parent.header.parentHash),
    header: toHex(parent.header.encodedFull),
    totalDifficulty: String(parent.totalDifficulty),
    uncles: parent.uncles.map((uncle) => toHex(uncle.encodedFull)),
    hasCodeHash: isActive(spec, 'rskip140', number - 1),
  }
  const store = StateStore.inMemory()
  const reads = new ForkReads({
    ...{ spec, base, store, upstream, stats },
    answers: NOTHING_KEPT,
    offline: false,
    forkNumber: parts.base.number,
    onUnkept: () => undefined,
  })
  const options = {
    number: base.number,
    parentHash: parent.header.parentHash,
    cacheBytes: CACHE_BYTES,
    patience,
  }
  store.attachFork(options, (wanted) => reads.ask(wanted))
  store.putAncestor(forkAncestor(parent))
  return {
    ...{ block, spec, store },
    parent: parent.header,
    settled: () => reads.settled(),
    close: () => {
      store.closeFork()
      store.close()
    },
  }
}
