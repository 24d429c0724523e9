import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { LOADER, ROOT } from '../support/sources.ts'

/** Commits behind which a process can be killed: of the state store, of the chain store, of a piece of a snapshot, of tries and values that were given up. */
export type KillPoint = 'states' | 'chain' | 'taken' | 'dropped' | 'forgotten'

export interface KillMoment {
  readonly point: KillPoint
  /** Which of these commits; the first unless given. */
  readonly nth?: number
  /** Folder of what is restored. */
  readonly snapshot?: string
}

/**
 * Has a process do something that writes both stores of a data directory, and kill itself at one of its commits.
 * @param action `genesis`, `restore`, `prune`, `rewindTo` with the number of a block behind it, or one of `ACTIONS`
 * @returns the signal by which it ended
 * @throws Error when it ended by itself
 */
export function killBetween(
  dataDir: string,
  action: string,
  { point, nth = 1, snapshot = '' }: KillMoment,
): NodeJS.Signals {
  const { signal, stderr, status } = spawnSync(
    process.execPath,
    [
      '--import',
      LOADER,
      join(ROOT, 'test/faults/betweenChild.ts'),
      ...[dataDir, action, point, String(nth), snapshot],
    ],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  if (signal === null) throw new Error(`it ended by itself with ${status}: ${stderr}`)
  return signal
}
