import { readFile } from 'node:fs/promises'
import { ExportError } from '../chain/exportBlocks.ts'
import type { OptionTable } from '../config/option.ts'
import type { Config } from '../config/schema.ts'
import { messageOf, type SnapshotError } from '../snapshot/errors.ts'
import { type SnapshotTrust, trustFrom } from '../snapshot/snapshotTrust.ts'
import { CommandError } from './errors.ts'

/** The option of commands that read snapshots. */
export const UNSIGNED = {
  unsigned: {
    kind: 'boolean',
    group: 'Command',
    default: false,
    doc: 'Take the snapshot without looking at signatures: for backups of your own',
  },
} as const satisfies OptionTable

/** Options of commands that use a signer's key. */
export const SIGNER_KEY = {
  keyFile: {
    kind: 'text',
    group: 'Command',
    placeholder: 'FILE',
    default: '',
    doc: 'File of the key; required',
  },
  passphraseFile: {
    kind: 'text',
    group: 'Command',
    placeholder: 'FILE',
    default: '',
    doc: 'File whose first line is the passphrase of the key; required',
  },
} as const satisfies OptionTable

/** The trusted signers of a configuration. @throws SnapshotError for invalid keys */
export function trustOf(
  config: Pick<Config, 'snapshotKeys' | 'snapshotQuorum'>,
  unsigned: boolean,
): SnapshotTrust {
  return unsigned ? { kind: 'anyone' } : trustFrom(config.snapshotKeys, config.snapshotQuorum)
}

/** Runs work with snapshots; its errors become messages for the user. */
export async function withSnapshotErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isSnapshotError(error) || error instanceof ExportError) {
      throw new CommandError('Failed', error.message, undefined, { cause: error })
    }
    throw error
  }
}

/** True when work with a snapshot ended because the user interrupted the program. */
export function isInterruption(error: unknown): boolean {
  return isSnapshotError(error) && error.code === 'SNAPSHOT_INTERRUPTED'
}

function isSnapshotError(error: unknown): error is SnapshotError {
  return error instanceof Error && error.name === 'SnapshotError'
}

/** The one argument of a command. @throws CommandError when there is none or more */
export function onlyArgument(files: readonly string[], what: string): string {
  const [source] = files
  if (source !== undefined && files.length === 1) return source
  throw new CommandError('Failed', `name ${what}, and nothing else`)
}

/** Value of a required option. @throws CommandError */
export function required(value: string, flag: string): string {
  if (value !== '') return value
  throw new CommandError('Failed', `${flag} is required`)
}

/** First line of a file. @throws CommandError */
export async function readPassphrase(path: string): Promise<string> {
  const text = await readFile(required(path, '--passphrase-file'), 'utf8').catch((error: unknown) => {
    throw new CommandError('Failed', `the passphrase cannot be read: ${messageOf(error)}`, undefined, {
      cause: error,
    })
  })
  const [line = ''] = text.split(/\r?\n/)
  if (line === '') throw new CommandError('Failed', `${path} has no passphrase in its first line`)
  return line
}
