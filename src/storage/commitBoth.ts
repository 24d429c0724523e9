import type { ChainEnvironment, TableWriter } from './chainEnvironment.ts'

/** The commit of a state store. */
export interface StateCommit {
  /** Makes the states stored so far durable. @throws NativeError */
  commit(): void
}

/**
 * The only way in which both stores are written (decisions.md D4): the writes go into a transaction of the
 * chain store, the states become durable while it is open, and then it is committed. If the process ends in
 * between, the chain store is unchanged, and the state store has states that nothing refers to; a failure of
 * either store has the same effect.
 * @param write writes to the chain store; the states that it refers to are stored already, or stored by it
 * @returns what `write` returned
 * @throws StorageError `STORAGE_UNWRITABLE` when the disk is full or fails, and what `write` throws:
 *   nothing was written then
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
