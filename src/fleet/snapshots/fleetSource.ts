import { addSignatures, isSignedByAll } from '../../snapshot/blsKeys.ts'
import { messageOf, SnapshotError } from '../../snapshot/errors.ts'
import { type ChunkEntry, MOST_MANIFEST_BYTES } from '../../snapshot/manifest.ts'
import {
  formatSignatures,
  MOST_SIGNATURE_BYTES,
  parseSignatures,
  type SnapshotSignatures,
} from '../../snapshot/signatureFile.ts'
import type { SnapshotTrust } from '../../snapshot/snapshotTrust.ts'
import type { SnapshotSource } from '../../snapshot/source.ts'
import { OBJECT_NAMES, type SnapshotObjects, type StoredSnapshot } from './snapshotObjects.ts'

/** A snapshot of the object store of a fleet, with the signatures of trusted keys. */
export class FleetSource implements SnapshotSource {
  readonly name: string
  readonly #objects: Pick<SnapshotObjects, 'read'>
  readonly #snapshot: StoredSnapshot
  readonly #trusted: ReadonlySet<string>

  /** @param trusted public keys whose signatures are read; others could spoil the sum */
  constructor(
    objects: Pick<SnapshotObjects, 'read'>,
    snapshot: StoredSnapshot,
    trusted: ReadonlySet<string>,
  ) {
    this.name = `the snapshot of block ${snapshot.number} in the fleet`
    this.#objects = objects
    this.#snapshot = snapshot
    this.#trusted = trusted
  }

  async manifest(): Promise<Buffer> {
    const bytes = await this.#read(OBJECT_NAMES.manifest(this.#snapshot), MOST_MANIFEST_BYTES)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_SOURCE', `${this.name} was removed: run this again for a newer one`)
  }

  /** The sum of the valid signatures of trusted keys; null when there is none. */
  async signatures(): Promise<Buffer | null> {
    const valid = await this.validSignatures()
    if (valid.length === 0) return null
    const signature = addSignatures(valid.map((each) => each.signature))
    const signers = valid.flatMap((each) => each.signers).sort()
    return Buffer.from(formatSignatures({ snapshot: this.#snapshot.id, signers, signature }))
  }

  async chunk({ hash, packedSize }: ChunkEntry): Promise<Buffer> {
    const bytes = await this.#read(OBJECT_NAMES.chunk(this.#snapshot.id, hash), packedSize)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_CHUNK', `chunk ${hash} is missing`)
  }

  /** Signatures of one trusted key each. */
  async validSignatures(): Promise<readonly SnapshotSignatures[]> {
    const { id, signers } = this.#snapshot
    const valid: SnapshotSignatures[] = []
    for (const signer of signers.filter((key) => this.#trusted.has(key))) {
      const bytes = await this.#read(OBJECT_NAMES.signature(id, signer), MOST_SIGNATURE_BYTES)
      const read = bytes === null ? null : signaturesOf(bytes)
      if (read === null || read.snapshot !== id || read.signers.length !== 1 || read.signers[0] !== signer)
        continue
      if (isSignedByAll(id, [signer], read.signature)) valid.push(read)
    }
    return valid
  }

  async #read(name: string, most: number): Promise<Buffer | null> {
    try {
      return await this.#objects.read(name, most)
    } catch (error) {
      throw new SnapshotError('SNAPSHOT_SOURCE', `${this.name}: ${messageOf(error)}`, { cause: error })
    }
  }
}

/**
 * The newest snapshot of a fleet with the signatures that are asked for.
 * @param begun id of a snapshot of which a part is restored already; null for none
 * @throws SnapshotError `SNAPSHOT_SOURCE` when there is none
 */
export async function chooseSnapshot(
  objects: Pick<SnapshotObjects, 'read' | 'list'>,
  trust: SnapshotTrust,
  begun: string | null,
): Promise<FleetSource> {
  const trusted = new Set(trust.kind === 'signers' ? trust.keys.map(({ publicKey }) => publicKey) : [])
  const quorum = trust.kind === 'signers' ? trust.quorum : 0
  const snapshots = (await objects.list()).filter(({ id }) => begun === null || id === begun)
  const found: string[] = []
  for (const snapshot of snapshots) {
    const source = new FleetSource(objects, snapshot, trusted)
    const { length } = await source.validSignatures()
    // Without trusted keys whoever opens it says what to do.
    if (trusted.size === 0 || length >= quorum) return source
    found.push(`that of block ${snapshot.number} has ${length}`)
  }
  if (begun !== null && snapshots.length === 0)
    throw none(
      `the snapshot ${begun}, of which a part is restored, is no longer in the fleet: empty the data directory`,
    )
  const missing = `the fleet has no snapshot with ${quorum} signatures of trusted keys`
  throw none(found.length === 0 ? `${missing}: there is none` : `${missing}: ${found.join(', ')}`)
}

function signaturesOf(bytes: Buffer): SnapshotSignatures | null {
  try {
    return parseSignatures(bytes)
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

function none(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_SOURCE', message)
}
