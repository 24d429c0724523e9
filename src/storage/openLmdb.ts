import { type Key, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb'
import { shortenLmdbMessage } from '../native/lmdbMessage.ts'

/**
 * Opens an environment of lmdb-js. All are opened here: a page that cannot be written would otherwise damage the heap of
 * the process, see {@link shortenLmdbMessage}.
 */
export function openLmdb<V, K extends Key = Key>(options: RootDatabaseOptionsWithPath): RootDatabase<V, K> {
  shortenLmdbMessage()
  return open<V, K>(options)
}
