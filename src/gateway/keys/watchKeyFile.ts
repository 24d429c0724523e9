import { readFileSync, unwatchFile, watchFile } from 'node:fs'
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
  watchFile(path, { interval: period, persistent: false }, (now, before) => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) reload()
  })
  return { ring, close: () => unwatchFile(path) }
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
