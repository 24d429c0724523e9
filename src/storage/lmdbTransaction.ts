import { setImmediate } from 'node:timers/promises'
import type { RootDatabase } from 'lmdb'

/**
 * Runs one transaction of lmdb-js, which a failure of the action undoes; resolves when it is on disk.
 *
 * When a commit fails, the library rejects beside the promise of the transaction another one that carries the reason: it
 * is awaited here, because an unhandled rejection ends the process.
 * @throws what the action throws, and the reason of a commit that failed
 */
export async function lmdbTransaction(
  root: Pick<RootDatabase<Buffer, Buffer>, 'childTransaction'>,
  action: () => void,
): Promise<void> {
  try {
    await root.childTransaction(action)
  } catch (error) {
    const { commitError } = error as { readonly commitError?: Promise<unknown> }
    if (commitError === undefined) throw error
    // By the next turn the reason is known, or never will be.
    const reason = await Promise.race([commitError.catch((cause: unknown) => cause), setImmediate(null)])
    throw reason ?? error
  }
}
