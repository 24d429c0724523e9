import { constants, setPriority } from 'node:os'

/** The niceness of work that waits until nothing else wants to run. */
export const MIN_PRIORITY: number = constants.priority.PRIORITY_LOW

/**
 * Has the system run other threads before this one, and before those that it starts. Elsewhere than on Linux it counts
 * for the whole process.
 * @param niceness 0 to 19, as with nice(1)
 * @returns why the system refuses it, as some sandboxes do; null when it is so. Nothing depends on it but speed
 */
export function yieldToOthers(niceness: number): string | null {
  try {
    setPriority(niceness)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
