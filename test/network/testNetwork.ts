import { createRandom } from '../support/random.ts'
import { type LinkConditions, PERFECT_LINK } from './linkConditions.ts'
import { type Network, Relay } from './relay.ts'

/** A place for a node: it listens and dials at `address`, others find it at `open` on the same port. */
export interface Place {
  readonly address: string
  readonly open: string
}

/** Where nodes are, one after the other, and the address that others see somebody come from. */
export interface Places {
  place(at: number): Place
  seenAs(address: string): string
}

/** Nodes in /16 blocks of their own, from this second octet of 127.0.0.0/8 on. */
const FIRST_BLOCK = 10

/** On loopback, where an address is anybody's who wants it. */
const LOOPBACK: Places = {
  place: (at) => ({ address: `127.${FIRST_BLOCK + at}.0.1`, open: `127.${FIRST_BLOCK + at}.0.2` }),
  seenAs: (address) => address,
}

/**
 * A network on one machine: each node has an address in a block of its own, and relays between them make what is sent
 * late, have it sent again, or keep parts of the network from one another.
 */
export class TestNetwork implements Network {
  readonly random: () => number
  readonly #relays: Relay[] = []
  readonly #where: Places
  #conditions: LinkConditions = PERFECT_LINK
  /** Which part an address is in; null: there is one network. */
  #parts: ReadonlyMap<string, number> | null = null
  #places = 0

  constructor(seed = 1, where = LOOPBACK) {
    this.random = createRandom(seed)
    this.#where = where
  }

  /** A new place. */
  place(): Place {
    this.#places += 1
    return this.#where.place(this.#places - 1)
  }

  /** Lets others reach a node that listens at its place. */
  async connect({ address, open }: Place, port: number): Promise<void> {
    this.#relays.push(await Relay.open(this, open, address, port))
  }

  /** How bytes travel from now on. */
  set(conditions: Partial<LinkConditions>): void {
    this.#conditions = { ...PERFECT_LINK, ...conditions }
  }

  /** Keeps parts of the network from one another: connections between them end, none begins. */
  split(...parts: readonly (readonly Place[])[]): void {
    this.#parts = new Map(
      parts.flatMap((places, part) => places.map(({ address }) => [address, part] as const)),
    )
    for (const relay of this.#relays) relay.cut()
  }

  /** Makes it one network again. */
  heal(): void {
    this.#parts = null
  }

  conditions(): LinkConditions {
    return this.#conditions
  }

  seenAs(from: string): string {
    return this.#where.seenAs(from)
  }

  isSplit(from: string, to: string): boolean {
    return this.#parts !== null && this.#parts.get(from) !== this.#parts.get(to)
  }

  /** Connections under way. */
  get connections(): number {
    return this.#relays.reduce((sum, { size }) => sum + size, 0)
  }

  close(): void {
    for (const relay of this.#relays) relay.close()
  }
}
