import type { MemberId } from '../member.ts'
import { nodeIdOf } from '../presence/identity.ts'
import type { ReceivedMember } from '../presence/members.ts'

/** With more members each connects to some of the others. */
const ALL_CONNECTED = 16
const CONNECTED = 8

/** Members to be connected with, and all that are trusted as peers: enode URLs. */
export interface Links {
  readonly connect: readonly string[]
  readonly trusted: readonly string[]
}

/** Members that this one dials: all of a few, else those that follow its id. */
export function linksOf(self: MemberId, members: readonly ReceivedMember[], genesis: string): Links {
  const reachable = members.filter((member) => member.genesis === genesis && member.enode !== null)
  const trusted = reachable.map(({ enode }) => enode as string)
  if (reachable.length < ALL_CONNECTED) return { connect: trusted, trusted }
  const after = reachable.filter(({ id }) => id > self)
  const ring = [...after, ...reachable.filter(({ id }) => id < self)]
  return { connect: ring.slice(0, CONNECTED).map(({ enode }) => enode as string), trusted }
}

/** Members among some peers. @param peers node ids, 128 hex digits */
export function linkedMembers(
  members: readonly ReceivedMember[],
  peers: readonly string[],
): readonly MemberId[] {
  return members.flatMap(({ id, enode }) => (enode !== null && peers.includes(nodeIdOf(enode)) ? [id] : []))
}
