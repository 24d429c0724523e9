import type { Logger } from '../../observe/logger.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { networkGroup } from '../../p2p/peers/networkGroup.ts'
import type { SyncChain } from '../../sync/syncChain.ts'
import { ClockWatch, WITNESSES } from './clockWatch.ts'

/** The parts that heads are judged by. */
export interface ClockParts {
  readonly chain: SyncChain
  readonly peers: PeerSet
  readonly log: Logger
  /** Milliseconds since 1970, as the machine has them. */
  now(): number
  /** True when blocks are being caught up with. */
  isSyncing(): boolean
  /** True when a peer has a block, and whether it came from one. */
  has(peer: Peer, hash: Buffer): boolean
  isForeign(hash: Buffer): boolean
}

/** Compares the clock with every new head; a head is judged as of the peers when the next one comes. */
export function watchClock(parts: ClockParts): { readonly watch: ClockWatch; readonly end: () => void } {
  const { chain, peers } = parts
  const watch = new ClockWatch(() => parts.now(), parts.log)
  let last: { readonly hash: Buffer; readonly age: number } | null = null
  const isOfPeers = (hash: Buffer): boolean => {
    const having = peers.peers.filter((peer) => parts.has(peer, hash))
    return new Set(having.map(({ address }) => networkGroup(address))).size >= WITNESSES
  }
  const end = chain.onTip(({ tip: { hash } }) => {
    if (last !== null && isOfPeers(last.hash)) watch.witnessed(last.age)
    last = null
    chain.refresh()
    const header = chain.reader.headerByHash(hash)
    if (header === null) return
    const age = watch.observe(header.timestamp)
    if (!parts.isSyncing() && parts.isForeign(hash)) last = { hash, age }
  })
  return { watch, end }
}
