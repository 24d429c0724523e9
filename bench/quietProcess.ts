import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

const LOWEST = 19

/**
 * Keeps this program out of the way of what it measures: seconds after it has set up a scene V8 collects the garbage
 * of idle threads, the TypeScript loader's among them, on both cores for 35 ms, which a node under load then lacks.
 * Threads but the main one get the lowest priority, which programs that are started later do not inherit.
 */
export function quietProcess(): void {
  setFlagsFromString('--no-memory-reducer')
  if (process.platform !== 'linux') return
  for (const task of readdirSync('/proc/self/task')) {
    if (Number(task) !== process.pid) setPriority(Number(task), LOWEST)
  }
}
