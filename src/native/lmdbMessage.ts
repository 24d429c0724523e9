import { addon } from './addon.ts'

/**
 * Keeps lmdb-js from damaging the heap of the process when a page of a store cannot be written (a full disk is enough):
 * it describes that with more bytes than it has room for. The format of its message is shortened in the memory of the
 * process; `native/crates/binding/src/lmdb_message.rs` says how. To be called when lmdb-js is loaded.
 * @returns whether the message is short now: not on systems other than Linux, nor with a version that has another one
 */
export function shortenLmdbMessage(): boolean {
  return addon.shortenLmdbMessage()
}
