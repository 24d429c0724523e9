import type { ActivationHeights } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import { RULES } from '../config/rules.ts'
import type { TableReader, TableWriter } from '../storage/chainEnvironment.ts'
import { StorageError } from '../storage/errors.ts'
import { readActivations, readHead, writeActivations } from './tables/metadata.ts'
import { readPosition } from './tables/totalDifficulty.ts'

/**
 * Refuses a chain whose stored blocks were made under other activation heights. Heights above the head may
 * change.
 * @throws StorageError `STORAGE_NETWORK` with the first rule that differs
 */
export function checkActivationHeights(reader: TableReader, spec: NetworkSpec): void {
  const stored = storedHeights(reader, spec)
  const head = readHead(reader)
  const height = head === undefined ? 0 : (readPosition(reader, head)?.height ?? 0)
  const changed = (given: number) => given >= 0 && given <= height
  for (const rule of RULES) {
    const [made, given] = [stored[rule], spec.activationHeights[rule]]
    if (made === given || (!changed(made) && !changed(given))) continue
    const reason = `the chain has ${height} blocks with ${rule} ${from(made)}, expected ${from(given)}`
    throw new StorageError('STORAGE_NETWORK', reason)
  }
}

/** Records the activation heights for future blocks; those of the network itself need no record. */
export function recordActivationHeights(writer: TableWriter, spec: NetworkSpec): void {
  const stored = storedHeights(writer, spec)
  if (RULES.every((rule) => stored[rule] === spec.activationHeights[rule])) return
  writeActivations(writer, spec.activationHeights)
}

function storedHeights(reader: TableReader, { name }: NetworkSpec): ActivationHeights {
  return { ...networkByName(name).activationHeights, ...readActivations(reader) }
}

function from(height: number): string {
  return height < 0 ? 'never' : `from block ${height}`
}
