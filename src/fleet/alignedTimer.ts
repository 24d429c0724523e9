/**
 * Calls an action at whole multiples of a period of the wall clock. What several parts of a thread do by such periods
 * wakes the thread once, and what the threads of several machines send one another by them arrives together.
 * @param milliseconds the period
 * @returns ends it
 */
export function everyAligned(milliseconds: number, action: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = () => {
    const left = milliseconds - (Date.now() % milliseconds)
    // One that fires just before its time is not followed by another one at it.
    timer = setTimeout(run, left < milliseconds / 2 ? left + milliseconds : left)
  }
  const run = () => {
    arm()
    action()
  }
  arm()
  return () => clearTimeout(timer)
}
