import { createSteadyClock } from '../util/steadyClock.ts'
import type { EnodeAddress } from './identity/enode.ts'
import type { OwnNode, PeerAdmin, PeerInfo } from './peerAdmin.ts'
import { PeerReputation } from './scoring/peerReputation.ts'
import type { PeerScore } from './scoring/peerScore.ts'

/** The administration of a node without peers: bans are kept, everything else is empty. */
export class NoPeers implements PeerAdmin {
  readonly #reputation = new PeerReputation({
    clock: createSteadyClock(),
    wallClock: Date.now,
    punishes: true,
    bannedNodes: [],
  })

  async self(): Promise<OwnNode | null> {
    return null
  }

  async peers(): Promise<readonly PeerInfo[]> {
    return []
  }

  async add(_peer: EnodeAddress): Promise<boolean> {
    return false
  }

  async setMembers(): Promise<void> {}

  async remove(_id: string): Promise<boolean> {
    return false
  }

  async scores(): Promise<readonly PeerScore[]> {
    return this.#reputation.scores()
  }

  async clearScore(id: string): Promise<readonly PeerScore[]> {
    this.#reputation.clearScore(id)
    return this.#reputation.scores()
  }

  async bans(): Promise<readonly string[]> {
    return this.#reputation.bans()
  }

  ban(text: string): Promise<boolean> {
    return this.#reputation.ban(text)
  }

  unban(text: string): Promise<boolean> {
    return this.#reputation.unban(text)
  }
}
