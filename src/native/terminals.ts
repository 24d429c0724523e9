import { addon } from './addon.ts'

/**
 * Lets this process end by its exit code where its terminal is gone: Node.js aborts when it cannot restore the settings
 * of a terminal. For programs only, as nothing can be written to a terminal after the last listener of `exit`.
 */
export function releaseTerminalsAtExit(): void {
  process.once('exit', () => addon.releaseTerminals())
}
