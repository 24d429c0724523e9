import type { LogSubscriptions as NativeLogSubscriptions } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { EncodedObjectCache, LogPageCriteria, StoredLogBlock } from './encodedObjectCache.ts'
import { native } from './errors.ts'

const COUNT_LENGTH = 4
const ID_LENGTH = 8
/** Ids are whole numbers below 2^48. */
const ID_BYTES = 6

/** A log that somebody takes. */
export interface TakenLog {
  /** JSON object. */
  readonly text: Buffer
  /** The subscriptions that take it. */
  readonly ids: readonly number[]
}

/** Subscribers of logs by what their logs must have. */
export class LogSubscriptions {
  readonly #handle: NativeLogSubscriptions

  /** @param objects where logs of blocks are looked for */
  constructor(objects: EncodedObjectCache) {
    this.#handle = native(() => new addon.LogSubscriptions(objects.handle))
  }

  /** @param id of the subscriber, below 2^48 */
  add(id: number, { addresses, topics }: LogPageCriteria): void {
    const byPosition = topics.map((alternatives) => Buffer.concat(alternatives))
    native(() => this.#handle.add(id, Buffer.concat(addresses), byPosition))
  }

  remove(id: number): void {
    native(() => this.#handle.remove(id))
  }

  /**
   * The logs of a block that somebody takes, in their order.
   * @param removed member `removed` of the logs: whether the block left the chain
   * @param stored reads the block; called when its logs are not kept as text, null when it is not there
   * @throws NativeError `InvalidArgument` when it is not what the store keeps
   */
  *find(
    block: { readonly number: number; readonly hash: Uint8Array },
    removed: boolean,
    stored: () => StoredLogBlock | null,
  ): Generator<TakenLog> {
    let read: StoredLogBlock | null | undefined
    let first = 0
    do {
      let found = native(() => this.#handle.findKept(block.hash, removed, first))
      if (found === null) {
        if (read === undefined) read = stored()
        found = this.#findStored(block, removed, read, first)
      }
      if (found === null) return
      yield* logsOf(found)
      first = found.readUInt32LE(0)
    } while (first > 0)
  }

  #findStored(
    { number, hash }: { readonly number: number; readonly hash: Uint8Array },
    removed: boolean,
    stored: StoredLogBlock | null,
    first: number,
  ): Buffer | null {
    if (stored === null) return null
    return native(() => this.#handle.findStored(hash, number, stored.receipts, stored.body, removed, first))
  }
}

/** The logs of a part, behind the number of the log with which the next part begins. */
function* logsOf(found: Buffer): Generator<TakenLog> {
  for (let at = COUNT_LENGTH; at < found.length; ) {
    const length = found.readUInt32LE(at)
    const count = found.readUInt32LE(at + COUNT_LENGTH)
    const ids = at + 2 * COUNT_LENGTH
    const text = ids + count * ID_LENGTH
    at = text + length
    yield {
      text: found.subarray(text, at),
      ids: Array.from({ length: count }, (_, index) => found.readUIntLE(ids + index * ID_LENGTH, ID_BYTES)),
    }
  }
}
