import type { FleetBlock } from '../../fleet/head/fleetBlock.ts'
import type { FleetStatus, MemberStatus } from '../../fleet/interface.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'

/** The fleet as this member sees it (rpc.md §3.10, decisions.md D71); null for a node on its own. */
export const getFleetStatus = defineMethod({
  name: 'rsk_getFleetStatus',
  aliases: ['ext_getFleetStatus'],
  doc: 'The fleet as this node sees it: members, their heads, and who is present; null for a node that belongs to none.',
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

/** The reason why this member is not present is for the log and `fleet status`: an error may name addresses. */
function describe({ reason: _, waits: _waits, members, ...fleet }: FleetStatus): Json {
  return { ...fleet, members: members.map(describeMember) }
}

function describeMember({ executed, adopted, seenAgo, clockAhead, ...member }: MemberStatus): Json {
  return {
    ...member,
    executed: describeBlock(executed),
    adopted: describeBlock(adopted),
    heard: Math.round(seenAgo),
    clockAhead: Math.round(clockAhead),
  }
}

function describeBlock({ number, hash, totalDifficulty }: FleetBlock): Json {
  return { number: quantity(number), hash: toHex(hash), totalDifficulty: quantity(totalDifficulty) }
}
