import type { BlockMaker, MemberId } from '../interface.ts'
import type { Making, Presence } from '../presence/presence.ts'

/** A member that may make the blocks of a development chain. */
export interface MakerCandidate {
  readonly id: MemberId
  readonly name: string
  readonly makes: Making
}

/**
 * Who makes blocks: of the members that are present the one with the smallest id, of those that do so by a timer where
 * there are any.
 * @param self null while this member is not present
 */
export function makerOf(
  self: MakerCandidate | null,
  others: readonly Pick<Presence, 'id' | 'name' | 'makes'>[],
): BlockMaker {
  const all = [...(self === null ? [] : [self]), ...others]
  const timed = all.filter(({ makes }) => makes === 'timed')
  const able = timed.length > 0 ? timed : all.filter(({ makes }) => makes === 'asked')
  const [first] = [...able].sort((one, other) => (one.id < other.id ? -1 : 1))
  if (first === undefined) return { kind: 'unknown' }
  return first.id === self?.id ? { kind: 'self' } : { kind: 'other', name: first.name }
}
