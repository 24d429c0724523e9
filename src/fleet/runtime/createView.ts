import type { FleetView } from '../part.ts'
import type { HeardMember } from '../presence/members.ts'

/** Where a {@link FleetView} has it from. */
export interface ViewSources extends Pick<FleetView, 'self'> {
  isConnected(): boolean
  others(): readonly HeardMember[]
  /** Called with every change. */
  readonly listeners: Set<() => void>
}

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
