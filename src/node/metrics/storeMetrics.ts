import { readdir, stat, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readHistory } from '../../chain/tables/metadata.ts'
import { storeFolders } from '../../execution/chainFolders.ts'
import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { Metrics, Sample } from '../../observe/metrics.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'

/** Unit of `stat` for space on disk, in bytes. */
const BLOCK_BYTES = 512

/** The stores of a node as the front thread has them. */
export interface OpenStores {
  readonly dataDir: string
  readonly chain: ChainEnvironment
  readonly state: StateStore
  readonly encodedObjects: EncodedObjectCache
  /** Largest size of the file of each store; null where only the disk limits them. */
  readonly limitBytes: number | null
}

/** Declares the metrics of stores and native caches; they are there once the stores are open. */
export function createStoreMetrics({ samples }: Metrics, stores: () => OpenStores | null): void {
  const read = (pick: (stores: OpenStores) => readonly Sample[] | Promise<readonly Sample[]>) => () => {
    const open = stores()
    return open === null ? [] : pick(open)
  }
  samples({
    type: 'gauge',
    name: 'store_disk_bytes',
    help: 'Disk space that the files of a store occupy.',
    labels: ['store'],
    collect: read(({ dataDir }) => Promise.all(storeFolders(dataDir).map(sizeOf))),
  })
  samples({
    type: 'gauge',
    name: 'store_disk_free_bytes',
    help: 'Free space on the disk of the data directory.',
    collect: read(async ({ dataDir }) => {
      const { bavail, bsize } = await statfs(dataDir)
      return [{ value: bavail * bsize }]
    }),
  })
  samples({
    type: 'gauge',
    name: 'store_limit_bytes',
    help: 'Size of the files of each store at which nothing more is written (--store-limit); nothing where only the disk limits it.',
    collect: read(({ limitBytes }) => (limitBytes === null ? [] : [{ value: limitBytes }])),
  })
  const maps = [
    [
      'store_map_bytes',
      'Size of the memory map of a store; the map is enlarged when the file outgrows it.',
      'mapBytes',
    ],
    ['store_map_used_bytes', 'Bytes of the memory map of a store that have been used so far.', 'usedBytes'],
    ['store_readers_count', 'Most reader slots of a store that were in use at the same time.', 'readers'],
    ['store_readers_limit_count', 'Reader slots that a store has.', 'mostReaders'],
  ] as const
  for (const [name, help, pick] of maps) {
    samples({
      type: 'gauge',
      name,
      help,
      labels: ['store'],
      collect: read(({ chain }) => [{ labels: { store: 'chain' }, value: chain.stats()[pick] }]),
    })
  }
  samples({
    type: 'gauge',
    name: 'state_pending_nodes_count',
    help: 'Trie nodes that wait for a commit.',
    collect: read(({ state }) => [{ value: state.stats().pendingNodes }]),
  })
  samples({
    type: 'gauge',
    name: 'state_first_block_number',
    help: 'Lowest block whose trie is kept.',
    collect: read(({ chain }) => [{ value: readHistory(chain).firstState }]),
  })
  samples({
    type: 'gauge',
    name: 'state_history_steps_count',
    help: 'Earlier states whose values are kept beside the tries, which --history bounds.',
    collect: read(({ state }) => [{ value: state.historyStats().steps }]),
  })
  samples({
    type: 'gauge',
    name: 'state_history_bytes',
    help: 'Bytes of the tables of these values.',
    collect: read(({ state }) => [{ value: state.historyStats().bytes }]),
  })
  samples({
    type: 'gauge',
    name: 'state_table_bytes',
    help: 'Bytes of each table of the state store, and of what is free in its file (data.mdb).',
    labels: ['table'],
    collect: read(({ state }) =>
      state.tableSizes().map(({ table, bytes }) => ({ labels: { table }, value: bytes })),
    ),
  })
  samples({
    type: 'gauge',
    name: 'state_log_bytes',
    help: 'Bytes of the log of trie nodes, which --proofs bounds.',
    collect: read(({ state }) => [{ value: state.logStats().logBytes }]),
  })
  samples({
    type: 'counter',
    name: 'state_pruned_bytes_total',
    help: 'Bytes of the log of trie nodes that were given up since the store was made.',
    collect: read(({ state }) => [{ value: state.logStats().droppedBytes }]),
  })
  samples({
    type: 'gauge',
    name: 'state_pruning_fault_info',
    help: 'Whether the last attempt to give up tries or values of old states, or to copy what is kept of them, failed.',
    collect: read(({ state }) => [{ value: state.logStats().fault === null ? 0 : 1 }]),
  })
  samples({
    type: 'counter',
    name: 'state_front_waits_total',
    help: 'Reads of the newest state in which the front thread waited for the disk. It leaves such reads to workers for up to a second then.',
    collect: read(({ state }) => [{ value: state.stats().headWaits }]),
  })
  samples({
    type: 'counter',
    name: 'state_front_reads_left_total',
    help: 'Reads of the newest state that the front thread left to workers because it had waited for the disk.',
    collect: read(({ state }) => [{ value: state.stats().headReadsLeft }]),
  })
  samples({
    type: 'gauge',
    name: 'native_cache_bytes',
    help: 'Memory of a cache of the native core.',
    labels: ['cache'],
    collect: read(({ state, encodedObjects }) => {
      const { nodeCacheBytes, codeCacheBytes, headCacheBytes } = state.stats()
      const sizes = {
        nodes: nodeCacheBytes,
        code: codeCacheBytes,
        head: headCacheBytes,
        encoded_objects: encodedObjects.bytes,
      }
      return Object.entries(sizes).map(([cache, value]) => ({ labels: { cache }, value }))
    }),
  })
}

async function sizeOf(folder: string): Promise<Sample> {
  const sizes = await Promise.all((await readdir(folder)).map((name) => bytesOf(join(folder, name))))
  return { labels: { store: basename(folder) }, value: sizes.reduce((sum, bytes) => sum + bytes, 0) }
}

/** Disk space of a file; none of one that is gone. */
async function bytesOf(path: string): Promise<number> {
  try {
    return (await stat(path)).blocks * BLOCK_BYTES
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
