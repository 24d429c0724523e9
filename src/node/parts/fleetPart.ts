import type { MembershipParts } from '../fleet/membership.ts'
import type { NodeScope } from './nodeScope.ts'

/** Starts the fleet thread; a node alone has none. */
export async function openFleet({ membership, parts }: NodeScope, given: MembershipParts): Promise<void> {
  await parts.open({ open: () => membership.start(given), close: () => membership.close() })
}
