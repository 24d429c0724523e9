import type { Config } from '../config/schema.ts'
import { type Admission, OPEN_ADMISSION } from '../gateway/admission.ts'
import { createKeyedAdmission } from '../gateway/keys/keyedAdmission.ts'
import { KeyFileError } from '../gateway/keys/keyFile.ts'
import { type WatchedKeys, watchKeyFile } from '../gateway/keys/watchKeyFile.ts'
import type { Logger } from '../observe/logger.ts'
import { NodeError } from './errors.ts'

/** Admission of a node, and what has to be closed with it. */
export interface NodeAdmission {
  readonly admission: Admission
  close(): void
}

/**
 * Admission under a configuration: by the keys of a file, or open.
 * @throws NodeError `KEYS_FILE`
 */
export function openAdmission({ keysFile }: Pick<Config, 'keysFile'>, logger: Logger): NodeAdmission {
  if (keysFile === null) return { admission: OPEN_ADMISSION, close: () => undefined }
  const { ring, close } = openKeys(keysFile, logger)
  return { admission: createKeyedAdmission(ring), close }
}

function openKeys(path: string, logger: Logger): WatchedKeys {
  try {
    return watchKeyFile(path, {
      onReload: (keys) => logger.info({ path, keys }, 'the API keys were read again'),
      onFailure: (error) => logger.error({ error: error.message }, 'the API keys from before stay valid'),
    })
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error
    throw new NodeError('KEYS_FILE', error.message, { cause: error })
  }
}
