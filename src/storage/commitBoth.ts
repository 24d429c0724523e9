import type { ChainEnvironment, TableWriter } from './chainEnvironment.ts'

/** A state store as far as its commits go. */
export interface StateCommit {
  /** Makes the states that were kept so far durable. @throws NativeError */
  commit(): void
}

/**
 * The one way in which both stores are written (decisions.md D4): the writes go into a transaction of the chain store,
 * the states become durable while it is open, and then it is committed. Whatever ends the process in between leaves the
 * chain store as it was before all of it, beside states that nobody names; a failure of either store does the same.
 * @param write what the chain store gets; the states that it names are kept already, or are kept by it
 * @returns what `write` returned
 * @throws StorageError `STORAGE_UNWRITABLE` when there is no room or the disk fails, and what `write` throws: nothing was
 * written then
 */
export function commitBoth<T>(
  states: StateCommit,
  environment: ChainEnvironment,
  write: (writer: TableWriter) => T,
): T {
  return environment.transaction((writer) => {
    const result = write(writer)
    states.commit()
    return result
  })
}
