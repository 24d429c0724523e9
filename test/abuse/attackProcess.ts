import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { LOADER } from '../support/sources.ts'
import type { AttackTarget } from './attack.ts'
import { GENERATOR_CORE } from './server.ts'

/** An attack that runs in a process of its own. */
export interface AttackProcess {
  /** Ends it; what was seen. */
  stop(): Promise<string>
}

/**
 * Starts an attack by its name.
 * @param niceness with which the server and who is measured beside it come first
 */
export function startAttack(name: string, target: AttackTarget, niceness: number): AttackProcess {
  const main = fileURLToPath(new URL('./attackMain.ts', import.meta.url))
  const child = spawn(
    'nice',
    [
      ...['-n', String(niceness), 'taskset', '-c', GENERATOR_CORE],
      ...[process.execPath, '--import', LOADER, main, name, JSON.stringify(target)],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const seen = text(child.stdout)
  return {
    stop: () => {
      child.stdin.end()
      return seen
    },
  }
}
