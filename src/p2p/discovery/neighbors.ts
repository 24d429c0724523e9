import { isIP } from 'node:net'
import { NODE_ID_BYTES } from '../wire/curve.ts'
import { mayName, scopeOf } from './addressBlock.ts'
import { chooseSome } from './chooseSome.ts'
import type { KnownNode } from './knownNode.ts'
import { byDistance } from './nodeTable.ts'
import type { NodeEntry } from './packet.ts'

/**
 * Nodes of a response: all if there are at most so many, else some of the nearest and some others (p2p.md
 * §1).
 */
const NAMED = { all: 20, nearest: 14, others: 5 } as const
/** Most nodes of a response that are read. */
const MAX_READ = 19
const MAX_PORT = 65_535

/** A node named by another one. */
export interface NamedNode {
  /** 128 hex digits. */
  readonly id: string
  readonly address: string
  readonly port: number
}

/**
 * The neighbours that are sent to a node (p2p.md §1).
 * @param random a whole number from 0 on, below the given one
 */
export function neighborsOf(
  asking: KnownNode,
  nodes: readonly KnownNode[],
  random: (below: number) => number,
): NodeEntry[] {
  const scope = scopeOf(asking.address)
  const known = byDistance(
    nodes.filter(({ address }) => mayName(scope, scopeOf(address))),
    asking.idHash,
  )
  const named =
    known.length <= NAMED.all
      ? known
      : [...known.slice(0, NAMED.nearest), ...chooseSome(known.slice(NAMED.nearest), NAMED.others, random)]
  return named.map(({ key, address, port }) => ({ host: address, udp: port, tcp: port, id: key }))
}

/**
 * The nodes of a response that may be asked. Host names are skipped, because resolving them would let the
 * sender choose servers that this node queries.
 * @param sender address of the responding node
 */
export function namedNodes(nodes: readonly NodeEntry[], sender: string): NamedNode[] {
  const scope = scopeOf(sender)
  return nodes
    .slice(0, MAX_READ)
    .filter(({ host, udp, id }) => {
      const isNode = id.length === NODE_ID_BYTES && udp >= 1 && udp <= MAX_PORT && isIP(host) !== 0
      return isNode && mayName(scope, scopeOf(host))
    })
    .map(({ host, udp, id }) => ({ id: id.toString('hex'), address: host, port: udp }))
}
