import type { Logger } from '../../observe/logger.ts'
import type { Subnet } from '../../util/subnet.ts'
import type { PeerListener } from '../peer.ts'
import type { BackOff } from './dialHistory.ts'
import type { PeerLimits } from './limits.ts'
import type { CandidateSource, LocalChain, PeerAddress, PeerJudge, PeerTransport } from './ports.ts'
import type { Scheduler } from './scheduler.ts'

/** Everything that a network of peers needs. */
export interface PeerNetworkOptions {
  /** Of this node, 128 hex digits. */
  readonly ownId: string
  readonly chain: LocalChain
  /** Makes connections. @param listenPort as others are told, 0 when nobody listens */
  readonly transport: (listenPort: number) => PeerTransport
  readonly judge: PeerJudge
  readonly candidates: CandidateSource
  /** Null: connections go out only. Port 0 is any that is free. */
  readonly listen: { readonly host: string; readonly port: number } | null
  readonly limits: PeerLimits
  /** Nodes that are dialled again and again; they find a place past the limits. */
  readonly statics: readonly PeerAddress[]
  /** Node ids (128 hex digits) and addresses that find a place past the limits. */
  readonly trusted: { readonly ids: readonly string[]; readonly subnets: readonly Subnet[] }
  readonly listener: PeerListener
  readonly log: Logger
  /** How long nodes are left alone that were not reached, those named as static excepted. */
  readonly backOff?: BackOff
  readonly scheduler?: Scheduler
  /** False: messages go as fast as they come, as from a node that does not count on being counted. True by default. */
  readonly paces?: boolean
  /** From 0 to below 1. */
  readonly random?: () => number
}
