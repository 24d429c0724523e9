import type { CreatedSnapshot } from '../snapshot/createSnapshot.ts'

const MEBIBYTE = 1024 * 1024

/** Description of a snapshot and its size, in lines for the user. */
export function describeManifest({ manifest, id }: CreatedSnapshot): string {
  const { network, block, first, states, chunks } = manifest
  const sum = (key: 'size' | 'packedSize') =>
    (chunks.reduce((total, chunk) => total + chunk[key], 0) / MEBIBYTE).toFixed(1)
  const count = (kind: 'state' | 'blocks') =>
    chunks.filter((chunk) => chunk.kind === kind).reduce((total, { items }) => total + items, 0)
  return [
    `snapshot ${id}`,
    `${network}, block ${block.number} 0x${block.hash}`,
    `blocks ${first.number} to ${block.number} (${count('blocks')} with those beside the chain), ` +
      `${states === 'all' ? 'every state' : 'the state after the last'} (${count('state')} trie nodes)`,
    `${chunks.length} chunks, ${sum('size')} MiB, ${sum('packedSize')} MiB compressed`,
  ].join('\n')
}
