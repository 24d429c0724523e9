import { networkGroup } from '../../../src/p2p/peers/networkGroup.ts'
import type { Observation } from './attacks.ts'
import type { ProductNode, Score } from './productNode.ts'
import type { Attackers, Scene } from './scene.ts'

const LOOK_MS = 200

const NOBODY_REFUSED: Observation['refused'] = {
  banned: 0,
  sentAway: 0,
  addressFull: 0,
  groupFull: 0,
  tooOften: 0,
  halfOpen: 0,
  handshake: 0,
  self: 0,
  duplicate: 0,
  full: 0,
}

/** Looks at a node again and again. */
export class Watch {
  peak = 0
  readonly #victim: ProductNode
  readonly #attackers: Attackers | null
  readonly #timer: NodeJS.Timeout
  /** By connection of a peer: messages of it that were too many. */
  readonly #excess = new Map<string, number>()
  #mostHalfOpen = 0
  #mostOfGroup = 0
  #refused = NOBODY_REFUSED
  #memoryRefused = 0
  #scores: readonly Score[] = []

  constructor(victim: ProductNode, attackers: Attackers | null) {
    this.#victim = victim
    this.#attackers = attackers
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** @param scene says who is honest */
  async observation({ source }: Scene): Promise<Observation> {
    if (this.#victim.isAlive) this.#scores = await this.#victim.scores()
    const stats = Object.values(this.#attackers?.stats ?? {})
    const names = new Set(stats.flatMap((one) => Object.keys(one)))
    return {
      stats: Object.fromEntries(
        [...names].map((name) => [name, stats.reduce((sum, one) => sum + (one[name] ?? 0), 0)]),
      ),
      refused: this.#refused,
      mostHalfOpen: this.#mostHalfOpen,
      mostOfGroup: this.#mostOfGroup,
      excess: [...this.#excess.values()].reduce((sum, count) => sum + count, 0),
      memoryRefused: this.#memoryRefused,
      scores: this.#scores.filter(({ id }) => id !== source.address && !source.id.startsWith(id)),
      peakGrowth: this.peak,
    }
  }

  #look(): void {
    try {
      this.peak = Math.max(this.peak, this.#victim.memory())
    } catch {
      // It has just ended.
    }
    const network = this.#victim.report()?.network
    if (network === undefined) return
    this.#refused = network.refused
    this.#mostHalfOpen = Math.max(this.#mostHalfOpen, network.halfOpen)
    this.#memoryRefused = network.memory.refused.peer + network.memory.refused.total
    const groups = new Map<string, number>()
    for (const { id, address, inbound, excess } of network.peers) {
      this.#excess.set(id, Math.max(this.#excess.get(id) ?? 0, excess))
      if (!inbound) continue
      const group = networkGroup(address)
      groups.set(group, (groups.get(group) ?? 0) + 1)
      this.#mostOfGroup = Math.max(this.#mostOfGroup, groups.get(group) ?? 0)
    }
  }
}
