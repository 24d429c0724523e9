import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkName } from '../config/networks/names.ts'
import { storeFolders } from '../execution/chainFolders.ts'

/** Blocks of the public networks near the end of 2026. */
const BLOCKS: Partial<Readonly<Record<NetworkName, number>>> = { main: 9_000_000, testnet: 7_700_000 }

/** Bytes of both stores for a block with two or three transactions (bench/results/import.md). */
const BYTES_PER_BLOCK = 9_807

const GIB = 2 ** 30

/** The computed size of an archive of a network, and the space that there is for it, bytes. */
export interface DiskNeed {
  readonly need: number
  /** The bytes that the stores have, and those that are free on their disk. */
  readonly available: number
}

/** Compares a disk with what an archive is computed to need; null where nobody knows how long the chain is. */
export function diskNeed(network: NetworkName, dataDir: string): DiskNeed | null {
  const blocks = BLOCKS[network]
  if (blocks === undefined) return null
  const { bavail, bsize } = statfsSync(dataDir)
  const used = storeFolders(dataDir).reduce((sum, folder) => sum + folderBytes(folder), 0)
  return { need: blocks * BYTES_PER_BLOCK, available: used + bavail * bsize }
}

/** Both figures of a disk that is too small, in GiB; null for one that is not. */
export function shortageOf({ need, available }: DiskNeed): { needGiB: number; availableGiB: number } | null {
  const gib = (bytes: number) => Math.round(bytes / GIB)
  return available >= need ? null : { needGiB: gib(need), availableGiB: gib(available) }
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name }) => sum + statSync(join(folder, name)).blocks * 512, 0)
}
