import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** Field indices after the name of the process in `/proc/<pid>/stat`. */
const PARENT = 1
const USER_TIME = 11
const SYSTEM_TIME = 12
/** Field indices of a line of `/proc/net/tcp` */
const LOCAL_ADDRESS = 1
const STATE = 3
const INODE = 9
const LISTENS = '0A'

/** Processor time that a process and its descendants have used, all threads, in seconds. */
export function processorSeconds(pid: number): number {
  const { user, system } = processorTimes(pid)
  return user + system
}

/** The same, outside of the kernel and in it. */
export function processorTimes(pid: number): { readonly user: number; readonly system: number } {
  let [user, system] = [0, 0]
  for (const member of processTree(pid)) {
    const fields = statOf(member)
    user += Number(fields?.[USER_TIME] ?? 0)
    system += Number(fields?.[SYSTEM_TIME] ?? 0)
  }
  return { user: user / TICKS_PER_SECOND, system: system / TICKS_PER_SECOND }
}

/** Resident memory of a process and its descendants in MiB, mapped files included. */
export function residentMiB(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + memoryOf(member, 'VmRSS'), 0)
}

/** The part of the resident memory without a backing file, in MiB: the system cannot reclaim it. */
export function ownMiB(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + memoryOf(member, 'RssAnon'), 0)
}

/** The process that listens on a TCP port of this machine; null where there is none, or none of this user's. */
export function listenerOf(port: number): number | null {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => linesOf(table))
  const sockets = new Set(
    lines
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[STATE] === LISTENS && portOf(fields[LOCAL_ADDRESS]) === port)
      .map((fields) => `socket:[${fields[INODE]}]`),
  )
  const isOpen = (folder: string) => namesIn(folder).some((name) => sockets.has(linkOf(`${folder}/${name}`)))
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name))
  return Number(pids.find((pid) => isOpen(`/proc/${pid}/fd`)) ?? Number.NaN) || null
}

function portOf(address: string | undefined): number {
  return Number.parseInt(address?.split(':')[1] ?? '', 16)
}

/** A file of the system that may be gone, or closed to this user, reads as empty. */
function orEmpty<T>(read: () => T, empty: T): T {
  try {
    return read()
  } catch {
    return empty
  }
}

function linesOf(file: string): string[] {
  return orEmpty(() => readFileSync(file, 'utf8').split('\n'), [])
}

function namesIn(folder: string): string[] {
  return orEmpty(() => readdirSync(folder), [])
}

function linkOf(path: string): string {
  return orEmpty(() => readlinkSync(path), '')
}

/** A program may run under a launcher, as npm packages of native programs do. */
function processTree(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const parent = statOf(pid)?.[PARENT]
    if (parent !== undefined) parents.set(pid, Number(parent))
  }
  const tree = [root]
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid)
  }
  return tree
}

/** null for a process that has ended. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function memoryOf(pid: number, name: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
