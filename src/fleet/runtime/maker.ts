import type { BlockMaker } from '../interface.ts'
import type { Presence } from '../presence/presence.ts'

type MakerCandidate = Pick<Presence, 'id' | 'name' | 'makes'>

/**
 * Who makes blocks: of the members that are present the one with the smallest id, of those that do so by a timer where
 * there are any.
 * @param self null while this member is not present
 */
export function makerOf(self: MakerCandidate | null, others: readonly MakerCandidate[]): BlockMaker {
  const all = [...(self === null ? [] : [self]), ...others]
  const timed = all.filter(({ makes }) => makes === 'timed')
  const able = timed.length > 0 ? timed : all.filter(({ makes }) => makes === 'asked')
  const [first] = [...able].sort((one, other) => (one.id < other.id ? -1 : 1))
  if (first === undefined) return { kind: 'unknown' }
  return first.id === self?.id ? { kind: 'self' } : { kind: 'other', name: first.name }
}
