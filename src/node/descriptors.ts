import { readFileSync } from 'node:fs'

/**
 * File descriptors that connections leave to others: stores, threads, the port of monitoring, and the modules that a
 * worker reads, many at a time, when it takes the place of one that died.
 */
const RESERVED = 256

/** The part of them that connections get where there are hardly more than the reserve. */
const LEAST_SHARE = 0.25

/**
 * Connections that may be open.
 *
 * Without a free descriptor a connection cannot be accepted and keeps its thread busy with trying, a store cannot
 * open its files, a worker cannot start.
 * @param asked most of them; 0 for as many as there are descriptors for
 * @param descriptors that the process may have open
 */
export function mostConnections(asked: number, descriptors = descriptorLimit()): number {
  const possible = Math.max(descriptors - RESERVED, Math.floor(descriptors * LEAST_SHARE))
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
