import type { MemberId } from '../interface.ts'
import type { FleetView } from '../part.ts'
import type { HeardMember } from '../presence/members.ts'

export interface ViewSources {
  readonly self: MemberId
  isConnected(): boolean
  /** Other members that are present. */
  others(): readonly HeardMember[]
  get(member: MemberId): HeardMember | undefined
  /** To be called with every change. */
  readonly listeners: Set<() => void>
}

/** Who is there, as parts of the fleet thread see it. */
export function createView({ self, isConnected, others, get, listeners }: ViewSources): FleetView {
  return {
    self,
    get connected() {
      return isConnected()
    },
    get others() {
      return others().map(({ presence }) => presence.id)
    },
    nameOf: (member) => get(member)?.presence.name ?? member,
    heardAt: (member) => get(member)?.heardAt ?? null,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
