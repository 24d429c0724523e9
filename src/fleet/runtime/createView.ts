import type { MemberId } from '../interface.ts'
import type { FleetView } from '../part.ts'
import type { HeardMember } from '../presence/members.ts'

/** Where a {@link FleetView} has it from. */
export interface ViewSources extends Pick<FleetView, 'self'> {
  isConnected(): boolean
  others(): readonly HeardMember[]
  get(member: MemberId): HeardMember | undefined
  /** Called with every change. */
  readonly listeners: Set<() => void>
}

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
