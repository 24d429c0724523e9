import { StateIntake } from '../native/snapshot.ts'
import { BlockVerifier } from './blockVerifier.ts'
import { messageOf, SnapshotError } from './errors.ts'
import type { ChunkEntry, Manifest } from './manifest.ts'
import { type OpenedSnapshot, openSnapshot, type SnapshotExpectation } from './openSnapshot.ts'
import { readChunks } from './readChunk.ts'
import type { SnapshotProgressSink } from './snapshotProgress.ts'

export interface VerifySnapshotOptions extends SnapshotExpectation {
  readonly signal?: AbortSignal
  readonly onProgress?: SnapshotProgressSink
}

/**
 * Checks everything that a restore checks, and writes nothing. The whole archive takes some 60 bytes of memory per
 * trie node.
 * @throws SnapshotError that says what is wrong and where
 */
export async function verifySnapshot(options: VerifySnapshotOptions): Promise<OpenedSnapshot> {
  const opened = await openSnapshot(options)
  const { manifest, genesis } = opened
  const states = new StateIntake(null, manifest.states === 'head')
  const blocks = new BlockVerifier(options.spec, manifest, genesis)
  const progress = new ChunkProgress(manifest, options.onProgress)
  for await (const { entry, contents } of readChunks(options.source, manifest.chunks)) {
    stopIfAsked(options.signal)
    if (entry.kind === 'state') await takeState(states, entry, contents)
    else blocks.verify(entry, contents)
    progress.add(entry)
  }
  assertStateComplete(states, manifest)
  blocks.end()
  return opened
}

/** @throws SnapshotError `SNAPSHOT_CONTENT` for an invalid chunk of states */
export async function takeState(states: StateIntake, entry: ChunkEntry, contents: Buffer): Promise<void> {
  const report = await states.take(contents).catch((error: unknown) => {
    throw new SnapshotError('SNAPSHOT_CONTENT', `chunk ${entry.hash} of the state: ${messageOf(error)}`, {
      cause: error,
    })
  })
  if (report.nodes !== entry.items || report.end !== entry.to) {
    throw new SnapshotError(
      'SNAPSHOT_CONTENT',
      `chunk ${entry.hash} holds ${report.nodes} nodes up to ${report.end}, the manifest says ${entry.items} up to ${entry.to}`,
    )
  }
}

/** @throws SnapshotError `SNAPSHOT_CONTENT` when the chunks lack the state of the manifest */
export function assertStateComplete(states: StateIntake, { stateRoot }: Manifest): void {
  if (states.hasRoot(Buffer.from(stateRoot, 'hex'))) return
  throw new SnapshotError('SNAPSHOT_CONTENT', `the state ${stateRoot} is not among its chunks`)
}

/** @throws SnapshotError `SNAPSHOT_INTERRUPTED` */
export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new SnapshotError('SNAPSHOT_INTERRUPTED', 'stopped: the same command goes on where it was')
  }
}

/** Reports the progress over chunks. */
export class ChunkProgress {
  readonly #sink: SnapshotProgressSink | undefined
  readonly #total: number
  #bytes = 0
  #phase: ChunkEntry['kind'] = 'state'
  #items = 0

  constructor({ chunks }: Manifest, sink: SnapshotProgressSink | undefined) {
    this.#sink = sink
    this.#total = chunks.reduce((sum, { size }) => sum + size, 0)
  }

  add(entry: ChunkEntry): void {
    if (entry.kind !== this.#phase) this.#items = 0
    this.#phase = entry.kind
    this.#items += entry.items
    this.#bytes += entry.size
    this.#sink?.({
      phase: this.#phase,
      items: this.#items,
      bytes: this.#bytes,
      fraction: this.#total === 0 ? 1 : this.#bytes / this.#total,
    })
  }
}
