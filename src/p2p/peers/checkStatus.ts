import { DISCONNECT_REASONS } from '../messages/codes.ts'
import type { EthStatus } from '../messages/ethStatus.ts'
import type { ScoreEventName } from '../scoring/scoreEvents.ts'
import type { LocalChain } from './ports.ts'

/** Version of the protocol behind STATUS 0x10 (p2p.md §3). */
export const ETH_PROTOCOL_VERSION = 62

/** Reason why a STATUS ends the connection. */
export interface StatusMismatch {
  readonly event: ScoreEventName
  /** Of DISCONNECT. */
  readonly reason: number
}

/** The fault in a peer's STATUS 0x10 (p2p.md §3), looked at in the order of the reference; null when there is none. */
export function checkStatus(
  status: EthStatus,
  chain: Pick<LocalChain, 'networkId' | 'genesisHash'>,
): StatusMismatch | null {
  if (status.protocolVersion !== ETH_PROTOCOL_VERSION)
    return { event: 'incompatibleProtocol', reason: DISCONNECT_REASONS.incompatibleProtocol }
  if (status.networkId !== chain.networkId)
    return { event: 'invalidNetwork', reason: DISCONNECT_REASONS.nullIdentity }
  if (!status.genesisHash.equals(chain.genesisHash))
    return { event: 'unexpectedGenesis', reason: DISCONNECT_REASONS.unexpectedGenesis }
  return null
}
