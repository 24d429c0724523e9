import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { addSignatures, isSignedByAll, type SignerKey } from './blsKeys.ts'
import { messageOf, SnapshotError } from './errors.ts'
import { FolderSource } from './folderSource.ts'
import { parseManifest } from './manifest.ts'
import {
  formatSignatures,
  parseSignatures,
  SIGNATURES_FILE,
  type SnapshotSignatures,
} from './signatureFile.ts'

/**
 * Adds the signature of a key to those of the snapshot in a folder. The chunks may be absent: the manifest
 * has their hashes.
 * @throws SnapshotError
 */
export async function signSnapshot(folder: string, key: SignerKey): Promise<SnapshotSignatures> {
  const source = new FolderSource(folder)
  const { id } = parseManifest(await source.manifest())
  const own = { snapshot: id, signers: [key.publicKey], signature: key.sign(id) }
  return add(folder, id, [own])
}

/**
 * Adds the signatures in the files of other operators.
 * @throws SnapshotError
 */
export async function mergeSignatures(folder: string, files: readonly string[]): Promise<SnapshotSignatures> {
  const source = new FolderSource(folder)
  const { id } = parseManifest(await source.manifest())
  const others: SnapshotSignatures[] = []
  for (const file of files) others.push(parseSignatures(await readSmallFile(file)))
  return add(folder, id, others)
}

async function add(
  folder: string,
  id: string,
  others: readonly SnapshotSignatures[],
): Promise<SnapshotSignatures> {
  const present = await new FolderSource(folder).signatures()
  const all = [...(present === null ? [] : [parseSignatures(present)]), ...others]
  for (const signatures of all) assertSound(id, signatures)
  const signers = all.flatMap((signatures) => signatures.signers).sort()
  const twice = signers.find((signer, index) => signers[index + 1] === signer)
  if (twice !== undefined) {
    throw refused(`it is signed by ${twice} already: a sum of signatures can hold each signer once`)
  }
  const merged = { snapshot: id, signers, signature: addSignatures(all.map(({ signature }) => signature)) }
  await writeDurably(join(folder, SIGNATURES_FILE), formatSignatures(merged))
  return merged
}

function assertSound(id: string, { snapshot, signers, signature }: SnapshotSignatures): void {
  if (snapshot !== id)
    throw refused(`the signatures of ${signers.join(', ')} are of another snapshot, ${snapshot}`)
  if (!isSignedByAll(id, signers, signature)) throw refused(`the signature of ${signers.join(', ')} is wrong`)
}

async function readSmallFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new SnapshotError('SNAPSHOT_SOURCE', messageOf(error), { cause: error })
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.tmp`, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.tmp`, path)
}

function refused(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_SIGNATURE', message)
}
