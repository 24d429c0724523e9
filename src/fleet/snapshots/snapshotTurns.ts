import type { MemberId } from '../interface.ts'
import type { StoredSnapshot } from './snapshotObjects.ts'

/** What decides whether another snapshot is made. */
export interface SnapshotPlan {
  /** Blocks from one snapshot to the next; 0 for never. */
  readonly blocks: number
  /** Blocks between the head and the block of a snapshot. */
  readonly depth: number
}

/** Whether another snapshot is due. @param head height of the head of the fleet */
export function isSnapshotDue(
  { blocks, depth }: SnapshotPlan,
  head: number,
  newest: Pick<StoredSnapshot, 'number'> | undefined,
): boolean {
  if (blocks === 0) return false
  const next = head - depth
  return newest === undefined ? next > 0 : next - newest.number >= blocks
}

/** Who follows a member in the order of ids; the first one after the last. @returns null where there is nobody */
export function nextInTurn(members: readonly MemberId[], last: MemberId | null): MemberId | null {
  const order = [...members].sort()
  return order.find((member) => last !== null && member > last) ?? order[0] ?? null
}
