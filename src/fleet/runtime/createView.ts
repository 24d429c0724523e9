import type { MemberId } from '../interface.ts'
import type { FleetView } from '../part.ts'
import type { HeardMember } from '../presence/members.ts'

export interface ViewSources {
  readonly self: MemberId
  isConnected(): boolean
  /** Other members that are present. */
  others(): readonly HeardMember[]
  /** To be called with every change. */
  readonly listeners: Set<() => void>
}

/** Who is there, as parts of the fleet thread see it. */
export function createView({ self, isConnected, others, listeners }: ViewSources): FleetView {
  return {
    self,
    get connected() {
      return isConnected()
    },
    get others() {
      return others().map(({ presence }) => presence.id)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
