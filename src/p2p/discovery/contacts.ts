import { scopeOf } from './addressBlock.ts'
import { createKnownNode, isSameEndpoint, type KnownNode } from './knownNode.ts'
import { NodeTable, type NodeTableOptions } from './nodeTable.ts'
import { RecentNodes } from './recentNodes.ts'

/** A node that may replace another one, the oldest of its bucket. */
export interface Challenge {
  readonly oldest: KnownNode
  readonly challenger: KnownNode
}

/** The nodes that responded: those in the table, and those that do not fit into it. */
export class Contacts {
  readonly #table: NodeTable
  readonly #spares: RecentNodes

  constructor(options: NodeTableOptions) {
    this.#table = new NodeTable(options)
    this.#spares = new RecentNodes((address) => options.exemptsLocal && scopeOf(address) !== 'public')
  }

  /** Nodes of the table. */
  inTable(): KnownNode[] {
    return this.#table.nodes()
  }

  /** Nodes beside it. */
  spares(): KnownNode[] {
    return this.#spares.nodes()
  }

  get tableSize(): number {
    return this.#table.size
  }

  /** The node of the id, if it responded from this address. */
  find(id: string, address: string, port: number): KnownNode | null {
    const node = this.#table.get(id) ?? this.#spares.get(id)
    return node !== undefined && isSameEndpoint(node, address, port) ? node : null
  }

  /** True when a node responded from an address, whatever its port. */
  hasAddress(address: string): boolean {
    return this.#table.hasAddress(address) || this.#spares.at(address).length > 0
  }

  /** The nodes that responded from an address: usually one. */
  at(address: string, port: number): KnownNode[] {
    const found = this.#spares.at(address)
    if (this.#table.hasAddress(address)) {
      found.push(...this.#table.nodes().filter((node) => node.address === address))
    }
    return found.filter((node) => node.port === port)
  }

  /**
   * Records a node that responded from the address at which it was asked.
   * @param key its id as 64 bytes
   * @returns a challenge where its bucket is full
   */
  record(key: Buffer, address: string, port: number, now: number): Challenge | null {
    const id = key.toString('hex')
    const known = this.find(id, address, port) ?? createKnownNode(key, address, port, now)
    known.seenAt = now
    if (this.#table.get(id) === known) {
      this.#table.renew(known)
      return null
    }
    this.forget(id)
    return this.#addToTable(known)
  }

  forget(id: string): void {
    this.#table.remove(id)
    this.#spares.remove(id)
  }

  /** Handles a challenged node that did not respond. */
  settle({ oldest, challenger }: Challenge): void {
    // It may have responded from another address meanwhile.
    if (this.#table.get(oldest.id) === oldest) this.#table.remove(oldest.id)
    if (this.#spares.get(challenger.id) !== challenger) return
    this.#spares.remove(challenger.id)
    this.#addToTable(challenger)
  }

  #addToTable(node: KnownNode): Challenge | null {
    const offer = this.#table.insert(node)
    if (offer.status === 'added' || offer.status === 'own') return null
    this.#spares.add(node)
    return offer.status === 'full' ? { oldest: offer.oldest, challenger: node } : null
  }
}
