import type { Logger } from '../../observe/logger.ts'
import type { PeerMemory } from './peerMemory.ts'
import type { RequestIds } from './pendingRequests.ts'
import type { LocalChain, PeerJudge } from './ports.ts'
import type { Scheduler } from './scheduler.ts'
import type { SeenMessages } from './seenMessages.ts'

/** Services that all peers of a node share. */
export interface PeerServices {
  readonly chain: LocalChain
  readonly judge: PeerJudge
  readonly memory: PeerMemory
  readonly outgoing: PeerMemory
  readonly seen: SeenMessages
  readonly ids: RequestIds
  readonly scheduler: Scheduler
  /** True when messages are paced to what peers that count them handle (p2p.md §4 Limits). */
  readonly paces: boolean
  readonly log: Logger
}
