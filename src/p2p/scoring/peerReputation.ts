import { BanError, BannedAddresses } from './bannedAddresses.ts'
import type { PeerScore } from './peerScore.ts'
import type { ScoreEventName } from './scoreEvents.ts'
import { type ScoredPeer, ScoreTable, type ScoreTableOptions } from './scoreTable.ts'

export interface PeerReputationOptions extends ScoreTableOptions {
  /** Node ids that are refused for good, 128 hex digits each. */
  readonly bannedNodes: readonly string[]
}

/** The record of what peers did, and of who is refused for it or because an operator says so (p2p.md §8). */
export class PeerReputation {
  readonly #table: ScoreTable
  readonly #bans = new BannedAddresses()
  readonly #bannedNodes: ReadonlySet<string>

  constructor(options: PeerReputationOptions) {
    this.#table = new ScoreTable(options)
    this.#bannedNodes = new Set(options.bannedNodes)
  }

  /** Records what a peer did. */
  record(peer: ScoredPeer, event: ScoreEventName): void {
    this.#table.record(peer, event)
  }

  /** True when an address is banned, alone or with its block, or punished. */
  refusesAddress(address: string): boolean {
    return this.#bans.covers(address) || this.#table.isPunished('address', address)
  }

  /** True when a node id is banned or punished. */
  refusesNode(id: string): boolean {
    return this.#bannedNodes.has(id) || this.#table.isPunished('node', id)
  }

  /** Score of a node id, 0 for one that is not known. */
  score(id: string): number {
    return this.#table.score('node', id)
  }

  scores(): readonly PeerScore[] {
    return this.#table.list()
  }

  /** Forgets a node or an address. */
  clearScore(id: string): void {
    this.#table.clear(id)
  }

  /** Banned addresses, then blocks of them. */
  bans(): readonly string[] {
    return this.#bans.list()
  }

  /** Bans an address, a block or what a host name resolves to; false for what cannot be banned. */
  ban(text: string): Promise<boolean> {
    return accepted(this.#bans.add(text))
  }

  /** Lifts a ban; false for what cannot be banned. */
  unban(text: string): Promise<boolean> {
    return accepted(this.#bans.remove(text))
  }
}

async function accepted(change: Promise<void>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (error instanceof BanError) return false
    throw error
  }
}
