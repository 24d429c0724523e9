import { readFileSync } from 'node:fs'

/** Memory of a process, bytes. */
export interface ProcessMemory {
  /** All pages in memory, those of mapped files, which are the store's, among them. */
  readonly resident: number
  /** Pages of its own: without those of mapped files. */
  readonly own: number
}

/** @throws Error when the process is no more */
export function processMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytesOf = (field: string): number => {
    const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
    if (kibibytes === undefined) throw new Error(`no memory figure of process ${pid}`)
    return Number(kibibytes) * 1024
  }
  return { resident: bytesOf('VmRSS'), own: bytesOf('RssAnon') }
}

/** Bytes that JavaScript objects of the node's front thread take, by its own metrics. */
export async function frontHeap(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, bytes] = /^rhizome_front_heap_bytes (\S+)$/m.exec(text) ?? []
  if (bytes === undefined) throw new Error('the metrics have no heap')
  return Number(bytes)
}
