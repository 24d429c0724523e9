import { addon } from './addon.ts'

/**
 * Asks the system for slices of this length for the calling thread and those that it starts from then on; usual ones
 * with 0. A thread with a short slice is let in before the slice of what runs in its place is over (Linux 6.12 and
 * newer; nothing changes elsewhere).
 * @param nanoseconds below 2^32
 */
export function setThreadSlice(nanoseconds: number): void {
  addon.setThreadSlice(nanoseconds)
}
