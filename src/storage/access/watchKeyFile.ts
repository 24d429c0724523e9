import { readFileSync, statSync } from 'node:fs'
import { KeyFileError, parseKeyFile } from './keyFile.ts'
import type { KeyRecord } from './keyRecord.ts'

/** Milliseconds between two looks at the file: also where a volume reports no changes. */
const PERIOD_MILLISECONDS = 500

/** The listener of the file. */
export interface KeyFileListener {
  /** The keys that are valid from now on, also the first ones. What it throws goes to `onFailure` later on. */
  onKeys(keys: readonly KeyRecord[]): void
  /** It cannot be used: the keys from before stay valid. */
  onFailure(error: Error): void
}

/** A file that is followed. */
export interface WatchedKeyFile {
  close(): void
}

/**
 * Reads a file of keys and follows its changes.
 * @throws KeyFileError when it cannot be used from the start, and what the listener throws then
 */
export function watchKeyFile(
  path: string,
  listener: KeyFileListener,
  period: number = PERIOD_MILLISECONDS,
): WatchedKeyFile {
  // Taken before the file is read, so that a change in between is seen at the next look.
  let seen = stampOf(path)
  listener.onKeys(readKeys(path))
  const look = setInterval(() => {
    const stamp = stampOf(path)
    if (stamp === seen) return
    seen = stamp
    try {
      listener.onKeys(readKeys(path))
    } catch (error) {
      listener.onFailure(error instanceof Error ? error : new Error(String(error)))
    }
  }, period)
  look.unref()
  return { close: () => clearInterval(look) }
}

/** Changes with the file; empty when it cannot be looked at, which reading it then says why. */
function stampOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}

function readKeys(path: string): KeyRecord[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new KeyFileError(`cannot read ${path}: ${reason}`, { cause: error })
  }
  return parseKeyFile(text, path, Date.now())
}
