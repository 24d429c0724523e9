// Says at the end of a process how much processor time it took, into the file that RHIZOME_PROCESSOR_TIME names; for
// `node --import`. Threads and other programs that the process starts have the same options, and say nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

/** Clock ticks in a second in /proc, which is the same on every Linux. */
const TICKS = 100

/**
 * User and system time of this process and of those that it waited for, in seconds; the latter only where there is
 * /proc.
 */
export function processorSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

function childSeconds() {
  try {
    // proc_pid_stat(5): fields 16 and 17, of which the name in field 2 may hold spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / TICKS
  } catch {
    return 0
  }
}

const file = process.env['RHIZOME_PROCESSOR_TIME']
if (isMainThread && file !== undefined) {
  delete process.env['RHIZOME_PROCESSOR_TIME']
  process.on('exit', () => writeFileSync(file, String(processorSeconds())))
}
