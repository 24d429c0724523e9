import type { SystemCall } from './syscallTrace.ts'

const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2'])
const ACKNOWLEDGEMENTS = new Set(['write', 'writev', 'sendto', 'sendmsg'])
const FLUSHES = new Set(['fdatasync', 'fsync'])

/** What a trace shows of acknowledgements and the flushes before them. */
export interface FlushReport {
  /** Acknowledgements found. */
  readonly acknowledgements: number
  /** Writes to the stores before the last of them. */
  readonly writes: number
  /** Acknowledgements that went out while a store had writes that were not flushed: what was missing. */
  readonly faults: readonly string[]
}

interface Write {
  readonly file: string
  readonly start: number
  /** Where the write was surely on disk; infinite if never. */
  readonly durable: number
}

/**
 * Judges whether everything written to the stores was on disk before it was acknowledged.
 * A write is on disk when a flush of its file that began after it has ended, or at once through a descriptor that
 * was opened for synchronous writes.
 * @param storeFile whether a path is a data file of a store
 * @param acknowledges texts whose appearance in what a process writes to a socket or its output acknowledges
 */
export function judgeFlushes(
  calls: readonly SystemCall[],
  storeFile: (path: string) => boolean,
  acknowledges: readonly string[],
): FlushReport {
  const writes = findWrites(calls, storeFile)
  const faults: string[] = []
  let acknowledgements = 0
  let last = 0
  for (const call of calls) {
    if (!ACKNOWLEDGEMENTS.has(call.name) || storeFile(call.target)) continue
    const text = acknowledges.find((sought) => call.args.includes(sought))
    if (text === undefined) continue
    acknowledgements += 1
    last = call.start
    const open = writes.filter(({ start, durable }) => start < call.start && durable > call.start)
    const files = [...new Set(open.map(({ file }) => file))]
    if (open.length > 0) faults.push(`${text}: ${open.length} writes to ${files.join(', ')} not flushed`)
  }
  return { acknowledgements, writes: writes.filter(({ start }) => start < last).length, faults }
}

function findWrites(calls: readonly SystemCall[], storeFile: (path: string) => boolean): Write[] {
  const synchronous = new Set<number>()
  const flushes = calls.filter(
    ({ name, target, result }) => FLUSHES.has(name) && result === 0 && storeFile(target),
  )
  const writes: Write[] = []
  for (const call of calls) {
    if (call.name === 'openat') {
      if (/O_(D?SYNC)/.test(call.args)) synchronous.add(call.result)
      else synchronous.delete(call.result)
    }
    if (!WRITES.has(call.name) || !storeFile(call.target) || call.descriptor === null) continue
    const flush = flushes.find(({ target, start }) => target === call.target && start > call.end)
    const durable = synchronous.has(call.descriptor) ? call.end : (flush?.end ?? Number.POSITIVE_INFINITY)
    writes.push({ file: call.target, start: call.start, durable })
  }
  return writes
}
