import { readFileSync } from 'node:fs'

/**
 * File descriptors that connections leave to others: stores, the port of monitoring, and the modules that a worker
 * reads, many at a time, when it replaces one that died.
 */
const RESERVED = 256

/** Those of the event loop that every thread has (counted with Node 20 on Linux). */
export const PER_THREAD = 4

/** The part of them that connections get where there are hardly more than the reserve. */
const MIN_SHARE = 0.25

/**
 * Connections that may be open.
 *
 * Without a free descriptor a connection cannot be accepted and keeps its thread busy with trying, a store cannot
 * open its files, a worker cannot start.
 * @param asked most of them; 0 for as many as there are descriptors for
 * @param workers threads of calls, and most threads of slow work; one more answers short reads
 * @param descriptors that the process may have open
 */
export function mostConnections(asked: number, workers: number, descriptors = descriptorLimit()): number {
  const reserved = RESERVED + PER_THREAD * (2 * workers + 1)
  const possible = Math.max(descriptors - reserved, Math.floor(descriptors * MIN_SHARE))
  return asked === 0 ? possible : Math.min(asked, possible)
}

/** File descriptors that this process may have open (proc(5)); infinite where the system does not say. */
export function descriptorLimit(limits = readLimits()): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
