import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { findExposed, makePrivateFolder, restrictModes } from '../../storage/fileModes.ts'
import { createNodeKey, type NodeKey, nodeKeyOf } from '../wire/curve.ts'
import { MAX_KEY_FILE_BYTES, parseKeyText } from './referenceKey.ts'

/** File of a data directory with the key of the node: 64 hex digits. */
export const NODE_KEY_FILE = 'node.key'

const PRIVATE_FILE = 0o600

/** A key file that cannot be used or written. The message never contains the key. */
export class NodeKeyError extends Error {
  override readonly name = 'NodeKeyError'
  readonly code = 'NODE_KEY'
}

/**
 * The key of a node's data directory; null where it has none yet. Permissions of others are removed if the
 * file belongs to this user.
 * @throws NodeKeyError for one that is damaged or that others may read
 */
export function readNodeKey(dataDir: string): NodeKey | null {
  const path = join(dataDir, NODE_KEY_FILE)
  restrictModes([path])
  if (findExposed([path]).length > 0) {
    throw new NodeKeyError(`${path} can be read by others than its owner: its owner runs chmod 600 ${path}`)
  }
  const text = readKeyText(path)
  return text === null ? null : keyOf(path, text)
}

/**
 * The key of a node's data directory, created if necessary, atomically and only once.
 * @throws NodeKeyError as {@link readNodeKey}, and where it cannot be written
 */
export function openNodeKey(dataDir: string): NodeKey {
  const known = readNodeKey(dataDir)
  if (known !== null) return known
  const key = createNodeKey(randomBytes)
  writeKey(dataDir, key, false)
  const stored = readNodeKey(dataDir)
  if (stored === null) throw new NodeKeyError(`${join(dataDir, NODE_KEY_FILE)} was written and is not there`)
  return stored
}

/**
 * Imports the key of a file of the reference, or of 64 hex digits, into a data directory.
 * @param replaces whether it may overwrite another key
 * @throws NodeKeyError for a file without a key, one whose node id is of another key, or where a key is already
 */
export function importNodeKey(dataDir: string, path: string, replaces: boolean): NodeKey {
  const text = readKeyText(path)
  if (text === null) throw new NodeKeyError(`${path}: no such file`)
  const key = keyOf(path, text)
  const own = readNodeKey(dataDir)
  if (own?.id.equals(key.id)) return own
  if (own !== null && !replaces) {
    throw new NodeKeyError(
      `${join(dataDir, NODE_KEY_FILE)} holds another key: --replace puts this one in its place`,
    )
  }
  writeKey(dataDir, key, replaces)
  return key
}

function readKeyText(path: string): string | null {
  try {
    if (statSync(path).size > MAX_KEY_FILE_BYTES) throw new RangeError('it is too long for a key')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new NodeKeyError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function keyOf(path: string, text: string): NodeKey {
  try {
    const { privateKey, id } = parseKeyText(text)
    const key = nodeKeyOf(privateKey)
    if (id !== null && id !== key.id.toString('hex'))
      throw new RangeError('its node id belongs to another key')
    return key
  } catch (error) {
    // Errors of the native core say what was expected, never what was given.
    throw new NodeKeyError(`${path} holds no key of a node: ${(error as Error).message}`)
  }
}

/** Another process may do the same: only one of them creates the link. */
function writeKey(dataDir: string, key: NodeKey, replaces: boolean): void {
  const path = join(dataDir, NODE_KEY_FILE)
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    makePrivateFolder(dataDir)
    const file = openSync(temporary, 'wx', PRIVATE_FILE)
    try {
      writeSync(file, `${key.privateKey.toString('hex')}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (replaces) renameSync(temporary, path)
    else linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new NodeKeyError(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(temporary, { force: true })
  }
}
