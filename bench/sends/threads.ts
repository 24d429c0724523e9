import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of processor time of a thread so far, as the scheduler counts them. */
export interface ThreadTime {
  readonly id: number
  readonly name: string
  readonly seconds: number
}

const NANOSECONDS = 1e9

/** The threads of a process in the order in which they were started; empty for one that is gone. */
export function threadTimes(pid: number): ThreadTime[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder)
    .map(Number)
    .toSorted((a, b) => a - b)
    .flatMap((id) => {
      try {
        const name = readFileSync(`${folder}/${id}/comm`, 'utf8').trim()
        const [spent = '0'] = readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')
        return [{ id, name, seconds: Number(spent) / NANOSECONDS }]
      } catch {
        // It ended meanwhile.
        return []
      }
    })
}

/** What each thread used between two looks, in seconds; those that are new count from zero. */
export function usedBetween(before: readonly ThreadTime[], after: readonly ThreadTime[]): ThreadTime[] {
  const earlier = new Map(before.map(({ id, seconds }) => [id, seconds]))
  return after.map(({ id, name, seconds }) => ({ id, name, seconds: seconds - (earlier.get(id) ?? 0) }))
}
