import type { NetworkSpec } from '../config/networkSpec.ts'
import { configuredNetwork } from '../config/networks/configured.ts'
import { createLogger } from '../observe/logger.ts'
import { openSource } from '../snapshot/openSource.ts'
import type { SnapshotTrust } from '../snapshot/snapshotTrust.ts'
import type { SnapshotSource } from '../snapshot/source.ts'
import type { CommandContext } from './command.ts'
import { formatSeconds } from './importDisplay.ts'
import { interruptible } from './interruption.ts'
import { onlyArgument, trustOf, type UNSIGNED, withSnapshotErrors } from './snapshotCommand.ts'
import { createSnapshotDisplay, type SnapshotDisplay } from './snapshotDisplay.ts'

/** The snapshot that a command names, and how far it may be trusted. */
export interface SnapshotReading {
  readonly spec: NetworkSpec
  readonly source: SnapshotSource
  readonly trust: SnapshotTrust
  readonly signal: AbortSignal
  readonly onProgress: SnapshotDisplay['update']
}

/**
 * Reads the snapshot of the one folder or address that a command names, with its progress on the terminal, until it is
 * interrupted.
 * @returns the result, and the time that it took as text
 * @throws CommandError
 */
export function readSnapshot<T>(
  { config, extra, files, stderr }: CommandContext<typeof UNSIGNED>,
  read: (reading: SnapshotReading) => Promise<T>,
): Promise<readonly [result: T, time: string]> {
  return withSnapshotErrors(() =>
    interruptible(async (signal) => {
      const start = Date.now()
      const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
      const display = createSnapshotDisplay(stderr, logger)
      const result = await read({
        spec: configuredNetwork(config),
        source: openSource(onlyArgument(files, 'the folder or address of the snapshot'), signal),
        trust: trustOf(config, extra.unsigned),
        signal,
        onProgress: display.update,
      }).finally(display.end)
      return [result, formatSeconds((Date.now() - start) / 1000)] as const
    }),
  )
}
