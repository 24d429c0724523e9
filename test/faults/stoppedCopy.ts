import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyStore } from './checkStore.ts'

const POLL_MS = 1

/**
 * Copies the data directory of a running process while it stands still: what SIGKILL at this instant would leave,
 * for the system keeps what a process has written, and that is what other processes read. The process goes on.
 */
export async function copyWhileStopped(pid: number, dataDir: string): Promise<string> {
  process.kill(pid, 'SIGSTOP')
  try {
    while (!isStopped(pid)) await sleep(POLL_MS)
    return copyStore(dataDir)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** Whether every thread stands still. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  })
}
