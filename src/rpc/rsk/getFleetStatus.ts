import type { FleetBlock, FleetStatus, MemberStatus, SignatureWait } from '../../fleet/interface.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'

/** The fleet as this member sees it (rpc.md §3.10, decisions.md D71); null for a node on its own. */
export const getFleetStatus = defineMethod({
  name: 'rsk_getFleetStatus',
  aliases: ['ext_getFleetStatus'],
  doc: 'The fleet as this node sees it: head, leader, members, and whether the node serves; null for a node that belongs to none.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 5,
  cache: 'none',
  handler: (context) => {
    const { fleet } = context.status()
    return fleet === undefined ? null : describe(fleet)
  },
})

function describe(status: FleetStatus): Json {
  const { head, holds, waits } = status
  return {
    fleet: status.fleet,
    self: status.self,
    number: quantity(status.number),
    // Why in detail is for the log and /ready: an error may name addresses.
    absence: status.absence,
    leader: status.leader,
    isLeader: status.isLeader,
    head:
      head === null
        ? null
        : { ...describeBlock(head), revision: quantity(head.revision), epoch: quantity(head.epoch) },
    waits: waits ? describeWait(waits) : null,
    holds: {
      p50: tenths(holds.p50),
      p99: tenths(holds.p99),
      longest: tenths(holds.longest),
      count: holds.count,
    },
    members: status.members.map(describeMember),
    counts: { ...status.counts },
  }
}

function describeWait({ number, signatures, needed }: SignatureWait): Json {
  return { number: quantity(number), signatures: quantity(signatures), needed: quantity(needed) }
}

function describeMember({ id, name, number, version, serves, head, lag, load }: MemberStatus): Json {
  return {
    id,
    name,
    number: quantity(number),
    version,
    serves,
    head: head === null ? null : describeBlock(head),
    lag: lag === null ? null : Math.round(lag),
    load: Math.round(load * 1000) / 1000,
  }
}

function describeBlock({ number, hash, totalDifficulty }: FleetBlock): Readonly<Record<string, Json>> {
  return { number: quantity(number), hash: toHex(hash), totalDifficulty: quantity(totalDifficulty) }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
