import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ObjectStore, Objm } from '@nats-io/obj'
import type { NatsConnection } from '@nats-io/transport-node'
import { FleetError, toFleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { type FleetNames, objectStream } from '../nats/names.ts'

/** Milliseconds for an answer of JetStream. */
const TIMEOUT = 30_000
/** More objects than two snapshots of the largest chain have; their names alone are held in memory. */
const MOST_OBJECTS = 200_000

/** One of its record, one of its bytes. */
const SUBJECTS_OF_OBJECT = 2
/** Bytes of a message of an object. */
const MESSAGE_BYTES = 512 * 1024

const NUID = /^[A-Za-z0-9]{1,64}$/
const MANIFEST = /^manifest\/(\d{1,15})\/([0-9a-f]{16})\/([0-9a-f]{64})$/
const CHUNK = /^chunk\/([0-9a-f]{64})\/([0-9a-f]{64})$/
const SIGNATURE = /^signature\/([0-9a-f]{64})\/([0-9a-f]{96})$/

/** A snapshot in the object store. What it says of itself is what its maker said. */
export interface StoredSnapshot {
  /** SHA-256 of its manifest, 64 hex digits. */
  readonly id: string
  /** Height of its block. */
  readonly number: number
  readonly maker: MemberId
  /** Public keys of those who signed it, 96 hex digits each; the signatures are not checked. */
  readonly signers: readonly string[]
}

/** Names of the objects of a snapshot. */
export const OBJECT_NAMES = {
  manifest: ({ number, maker, id }: Pick<StoredSnapshot, 'number' | 'maker' | 'id'>) =>
    `manifest/${number}/${maker}/${id}`,
  chunk: (id: string, hash: string) => `chunk/${id}/${hash}`,
  signature: (id: string, publicKey: string) => `signature/${id}/${publicKey}`,
} as const

/** Snapshots and their signatures in the object store of a fleet (fleet.md §9). */
export class SnapshotObjects {
  readonly #store: ObjectStore
  readonly #manager: JetStreamManager
  readonly #bucket: string

  private constructor(store: ObjectStore, manager: JetStreamManager, bucket: string) {
    this.#store = store
    this.#manager = manager
    this.#bucket = bucket
  }

  /** @throws FleetError */
  static async open(nats: NatsConnection, names: FleetNames): Promise<SnapshotObjects> {
    try {
      const store = await new Objm(jetstream(nats, { timeout: TIMEOUT })).open(names.snapshots)
      return new SnapshotObjects(store, await jetstreamManager(nats, { timeout: TIMEOUT }), names.snapshots)
    } catch (error) {
      throw toFleetError(error, 'the object store of snapshots cannot be opened')
    }
  }

  /** All whole snapshots, the newest first. @throws FleetError */
  async list(): Promise<readonly StoredSnapshot[]> {
    const names = await this.#names()
    const signers = new Map<string, string[]>()
    for (const name of names) {
      const [, id = '', key = ''] = SIGNATURE.exec(name) ?? []
      if (id !== '') signers.set(id, [...(signers.get(id) ?? []), key])
    }
    return names
      .flatMap((name): StoredSnapshot[] => {
        const [, number, maker = '', id = ''] = MANIFEST.exec(name) ?? []
        return number === undefined
          ? []
          : [{ id, number: Number(number), maker, signers: signers.get(id) ?? [] }]
      })
      .sort((one, other) => other.number - one.number || (one.id < other.id ? -1 : 1))
  }

  /**
   * @param most bytes
   * @returns null where there is no such object
   * @throws FleetError `TooLarge` for one with more bytes
   */
  async read(name: string, most: number): Promise<Buffer | null> {
    const info = await this.#attempt(name, () => this.#store.info(name))
    if (info === null || info.deleted) return null
    if (!NUID.test(info.nuid)) throw new FleetError('Malformed', `${name} is no object`)
    // Message by message: a consumer for each object would stay with the server for a while.
    const next_by_subj = `$O.${this.#bucket}.C.${info.nuid}`
    const parts: Uint8Array[] = []
    let bytes = 0
    let seq = 1
    // What the record of the object says of its size is not yet what comes.
    while (bytes < info.size && info.size <= most) {
      // Its type lacks the subject, which servers take.
      const next = { seq, next_by_subj }
      const message = await this.#attempt(name, () =>
        this.#manager.streams.getMessage(objectStream(this.#bucket), next),
      )
      if (message === null || message.data.length === 0)
        throw new FleetError('Malformed', `${name} is not whole`)
      parts.push(message.data)
      bytes += message.data.length
      seq = message.seq + 1
    }
    if (Math.max(info.size, bytes) > most)
      throw new FleetError('TooLarge', `${name} has more than ${most} bytes`)
    return Buffer.concat(parts)
  }

  /** Resolves when the servers have it. @throws FleetError `NoRoom` and others */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#attempt(name, () =>
      this.#store.putBlob({ name, options: { max_chunk_size: MESSAGE_BYTES } }, bytes, { timeout: TIMEOUT }),
    )
  }

  /**
   * Removes all but the newest whole snapshot and the one that most have signed, and pieces of those that were never
   * finished.
   */
  async clear(): Promise<void> {
    const [newest, ...older] = await this.list()
    const signed = older.reduce<StoredSnapshot | undefined>(
      (best, each) => (each.signers.length > (best?.signers.length ?? 0) ? each : best),
      newest,
    )
    const kept = new Set([newest?.id, signed?.id])
    const gone = (await this.#names()).filter((name) => !kept.has(idOf(name)))
    // Signatures first, then manifests: nobody begins with what goes.
    const rank = (name: string) => (SIGNATURE.test(name) ? 0 : MANIFEST.test(name) ? 1 : 2)
    for (const name of gone.sort((one, other) => rank(one) - rank(other))) await this.#remove(name)
  }

  /** Bytes that the store has room for. @throws FleetError */
  async room(): Promise<number> {
    const { streamInfo } = await this.#attempt('the store', () => this.#store.status())
    return Math.max(0, streamInfo.config.max_bytes - streamInfo.state.bytes)
  }

  /** Leaves no note that it was there, which the package would, for every chunk that ever was. */
  async #remove(name: string): Promise<void> {
    const info = await this.#attempt(name, () => this.#store.info(name))
    const record = `$O.${this.#bucket}.M.${encodedName(name)}`
    const contents = info === null || !NUID.test(info.nuid) ? [] : [`$O.${this.#bucket}.C.${info.nuid}`]
    for (const filter of [...contents, record])
      await this.#attempt(name, () => this.#manager.streams.purge(objectStream(this.#bucket), { filter }))
  }

  /** Names of all objects: those of the subjects of their records. */
  async #names(): Promise<string[]> {
    const stream = objectStream(this.#bucket)
    const { state } = await this.#attempt('the store', () => this.#manager.streams.info(stream))
    if ((state.num_subjects ?? 0) > SUBJECTS_OF_OBJECT * MOST_OBJECTS)
      throw new FleetError('TooLarge', `the store of snapshots has more than ${MOST_OBJECTS} objects`)
    const prefix = `$O.${this.#bucket}.M.`
    const info = await this.#attempt('the store', () =>
      this.#manager.streams.info(stream, { subjects_filter: `${prefix}>` }),
    )
    return Object.keys(info.state.subjects ?? {}).map((subject) =>
      Buffer.from(subject.slice(prefix.length), 'base64url').toString(),
    )
  }

  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof FleetError) throw error
      throw toFleetError(error, `snapshots of the fleet: ${name}`)
    }
  }
}

function idOf(name: string): string {
  return MANIFEST.exec(name)?.[3] ?? CHUNK.exec(name)?.[1] ?? SIGNATURE.exec(name)?.[1] ?? ''
}

/** As the package of NATS writes it in subjects: base64 for URLs, padded. */
function encodedName(name: string): string {
  return Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
