import type { BlockHeader } from '../../chain/codec/header.ts'
import { headerFromItems } from '../../chain/codec/headerDecoder.ts'
import { itemAt, parseRLPList } from '../../chain/codec/rlpReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'

/** A block whose state a peer offers. */
export interface SnapshotOffer {
  readonly peer: Peer
  readonly number: number
  readonly hash: Buffer
  /** Announced size of the state, bytes. */
  readonly size: number
}

/** Peers that are asked concurrently: a response has 401 blocks. */
const ASKED_AT_ONCE = 4

/**
 * Asks peers which block's state they serve (p2p.md §5 Snapshot sync). Their claims of difficulty are
 * ignored.
 * @param timeout milliseconds
 */
export async function collectOffers(
  spec: NetworkSpec,
  peers: readonly Peer[],
  timeout: number,
  signal: AbortSignal,
): Promise<SnapshotOffer[]> {
  const offers: SnapshotOffer[] = []
  for (let from = 0; from < peers.length && !signal.aborted; from += ASKED_AT_ONCE) {
    const asked = peers.slice(from, from + ASKED_AT_ONCE)
    const answers = await Promise.all(asked.map((peer) => offerOf(spec, peer, timeout, signal)))
    offers.push(...answers.filter((offer) => offer !== null))
  }
  return offers
}

async function offerOf(
  spec: NetworkSpec,
  peer: Peer,
  timeout: number,
  signal: AbortSignal,
): Promise<SnapshotOffer | null> {
  const answer = await ask<'snapStatusRequest'>(peer, { type: 'snapStatusRequest' }, timeout, signal)
  if (typeof answer === 'string') return null
  const header = headerOf(spec, answer.blocks.at(-1))
  if (header === null) {
    peer.score('invalidMessage')
    return null
  }
  return { peer, number: header.number, hash: header.hash, size: answer.trieSize }
}

function headerOf(spec: NetworkSpec, block: Buffer | undefined): BlockHeader | null {
  if (block === undefined) return null
  try {
    return headerFromItems(spec, itemAt(parseRLPList(block), 0).items)
  } catch {
    return null
  }
}

/** Peers that have the same block at a height. */
export interface BranchPeers {
  readonly hash: Buffer
  readonly peers: readonly Peer[]
}

/**
 * Groups peers into branches by their block at a height, sorted by claimed work, and so are the peers of
 * each. A peer that does not respond is on none.
 */
export async function branchesAt(
  number: number,
  peers: readonly Peer[],
  timeout: number,
  signal: AbortSignal,
): Promise<BranchPeers[]> {
  const branches = new Map<string, { hash: Buffer; peers: Peer[] }>()
  const ordered = peers.toSorted((a, b) => (claimOf(a) < claimOf(b) ? 1 : -1))
  const answers = await Promise.all(
    ordered.map((peer) =>
      ask<'blockHashRequest'>(peer, { type: 'blockHashRequest', height: number }, timeout, signal),
    ),
  )
  for (const [index, answer] of answers.entries()) {
    if (typeof answer === 'string') continue
    const key = answer.hash.toString('hex')
    const branch = branches.get(key) ?? { hash: answer.hash, peers: [] }
    branch.peers.push(ordered[index] as Peer)
    branches.set(key, branch)
  }
  return [...branches.values()]
}

function claimOf({ status }: Peer): bigint {
  return status?.totalDifficulty ?? 0n
}
