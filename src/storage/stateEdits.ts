import type { TableReader, TableWriter } from './chainEnvironment.ts'
import { countEdit } from './metadata.ts'

/** Root of the state after a block that was edited by hand; undefined where it is the header's. */
export function readStateEdit(reader: TableReader, blockHash: Buffer): Buffer | undefined {
  return reader.get('stateEdits', blockHash)
}

/** Notes that the state after a block was edited, or with null that it is the header's again. */
export function writeStateEdit(writer: TableWriter, blockHash: Buffer, root: Buffer | null): void {
  if (root === null) writer.remove('stateEdits', blockHash)
  else writer.put('stateEdits', blockHash, root)
  countEdit(writer)
}
