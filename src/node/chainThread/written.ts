import { RpcError } from '../../rpc/errors.ts'
import { StorageError } from '../../storage/errors.ts'

/** @throws RpcError `storeUnwritable` with the reason when what was asked for could not be written */
export async function written<T>(write: () => T | Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_UNWRITABLE') throw error
    throw new RpcError('storeUnwritable', error.message, { cause: error })
  }
}
