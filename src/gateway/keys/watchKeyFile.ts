import { readFileSync, statSync } from 'node:fs'
import { KeyFileError, parseKeyFile } from './keyFile.ts'
import { KeyRing } from './keyRing.ts'

/** How often the file is looked at, milliseconds: also where a volume tells nobody about changes. */
const PERIOD = 500

/** Who is told about the file. */
export interface KeyFileListener {
  /** It was read again; so many keys are valid now. */
  onReload(keys: number): void
  /** It cannot be used: the keys from before stay valid. */
  onFailure(error: KeyFileError): void
}

/** Keys of a file. */
export interface WatchedKeys {
  readonly ring: KeyRing
  close(): void
}

/**
 * Reads a file of keys and follows its changes.
 * @throws KeyFileError when it cannot be used from the start
 */
export function watchKeyFile(path: string, listener: KeyFileListener, period: number = PERIOD): WatchedKeys {
  // Taken before the file is read: what changes in between is seen at the next look.
  let seen = stampOf(path)
  const ring = new KeyRing(readKeys(path))
  const reload = () => {
    try {
      const keys = readKeys(path)
      ring.replace(keys)
      listener.onReload(keys.length)
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error
      listener.onFailure(error)
    }
  }
  const look = setInterval(() => {
    const stamp = stampOf(path)
    if (stamp === seen) return
    seen = stamp
    reload()
  }, period)
  look.unref()
  return { ring, close: () => clearInterval(look) }
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

function readKeys(path: string) {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new KeyFileError(`cannot read ${path}: ${reason}`, { cause: error })
  }
  return parseKeyFile(text, path)
}
