import { readFileSync } from 'node:fs'

/** Bytes of memory of its own that a process holds: without the pages of mapped files, which are the store's. */
export function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? []
  if (kibibytes === undefined) throw new Error(`no memory figure of process ${pid}`)
  return Number(kibibytes) * 1024
}
