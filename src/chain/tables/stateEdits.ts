import type { TableReader, TableWriter } from '../../storage/chainEnvironment.ts'
import { countEdit } from './metadata.ts'

/** Root of the edited state after a block; undefined where the state was not edited. */
export function readStateEdit(reader: TableReader, blockHash: Buffer): Buffer | undefined {
  return reader.get('stateEdits', blockHash)
}

/** Records an edit of the state after a block; null removes it. */
export function writeStateEdit(writer: TableWriter, blockHash: Buffer, root: Buffer | null): void {
  if (root === null) writer.remove('stateEdits', blockHash)
  else writer.put('stateEdits', blockHash, root)
  countEdit(writer)
}
