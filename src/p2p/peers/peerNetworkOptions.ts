import type { Logger } from '../../observe/logger.ts'
import type { Subnet } from '../../util/subnet.ts'
import type { PeerListener } from '../peer.ts'
import type { BackOff } from './dialHistory.ts'
import type { PeerLimits } from './limits.ts'
import type { CandidateSource, LocalChain, PeerAddress, PeerJudge, PeerTransport } from './ports.ts'
import type { Scheduler } from './scheduler.ts'

/** Options of a network of peers. */
export interface PeerNetworkOptions {
  /** Of this node, 128 hex digits. */
  readonly ownId: string
  readonly chain: LocalChain
  /** Makes connections. @param listenPort announced port, 0 without a listener */
  readonly transport: (listenPort: number) => PeerTransport
  readonly judge: PeerJudge
  readonly candidates: CandidateSource
  /** Null for outgoing connections only. Port 0 is any that is free. */
  readonly listen: { readonly host: string; readonly port: number } | null
  readonly limits: PeerLimits
  /** Nodes that are dialled repeatedly, exempt from the limits. */
  readonly statics: readonly PeerAddress[]
  /** Node ids (128 hex digits) and addresses that are exempt from the limits. */
  readonly trusted: { readonly ids: readonly string[]; readonly subnets: readonly Subnet[] }
  readonly listener: PeerListener
  readonly log: Logger
  /** Delays after failed dials, except those of static nodes. */
  readonly backOff?: BackOff
  readonly scheduler?: Scheduler
  /**
   * False: messages are sent without pacing, as by a node that does not expect them to be counted. True by
   * default.
   */
  readonly paces?: boolean
  /** From 0 to below 1. */
  readonly random?: () => number
}
