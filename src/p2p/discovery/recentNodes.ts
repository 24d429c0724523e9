import { blockOf } from './addressBlock.ts'
import type { KnownNode } from './knownNode.ts'
import { BLOCK_LIMITS } from './nodeTable.ts'

/** Most nodes outside of the table. */
const MAX_NODES = 512

/** Nodes that responded and do not fit into the table: they may send requests, be dialled and be saved. */
export class RecentNodes {
  /** Longest unseen first. */
  readonly #nodes = new Map<string, KnownNode>()
  readonly #exempt: (address: string) => boolean

  /** @param exempt whether an address is exempt from subnet limits */
  constructor(exempt: (address: string) => boolean) {
    this.#exempt = exempt
  }

  get(id: string): KnownNode | undefined {
    return this.#nodes.get(id)
  }

  nodes(): KnownNode[] {
    return [...this.#nodes.values()]
  }

  at(address: string): KnownNode[] {
    return this.nodes().filter((node) => node.address === address)
  }

  /** Evicts the oldest of the same subnet if that has too many, else the oldest of all. */
  add(node: KnownNode): void {
    this.#nodes.delete(node.id)
    const block = blockOf(node.address)
    const kin = this.#exempt(node.address)
      ? []
      : [...this.#nodes.values()].filter(({ address }) => blockOf(address) === block)
    const [first] = kin.length >= BLOCK_LIMITS.table ? kin : []
    if (first !== undefined) this.#nodes.delete(first.id)
    if (this.#nodes.size >= MAX_NODES) this.#nodes.delete(this.#nodes.keys().next().value ?? '')
    this.#nodes.set(node.id, node)
  }

  remove(id: string): void {
    this.#nodes.delete(id)
  }
}
