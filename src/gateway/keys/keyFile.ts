import { parse, YAMLError } from 'yaml'

/** What an API key opens. The key itself is never written down: only its hash is. */
export interface ApiKey {
  /** Name of the owner for logs and metrics. */
  readonly id: string
  /** SHA-256 of the key, 32 bytes. */
  readonly hash: Buffer
  /** Methods it may call; null is all of its modules. */
  readonly methods: ReadonlySet<string> | null
  /** Modules it may call; null is all, unless methods are named. */
  readonly modules: ReadonlySet<string> | null
  /** Origins of web pages that may use it; null is any. */
  readonly origins: ReadonlySet<string> | null
}

/** A file of API keys that cannot be used. The message says where and why. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
  readonly code = 'KEYS_FILE'
}

const HASH = /^(0x)?[0-9a-fA-F]{64}$/
const MEMBERS: ReadonlySet<string> = new Set(['id', 'hash', 'methods', 'modules', 'origins'])

/**
 * API keys of the text of a YAML or JSON file: a list of `{id, hash, methods, modules, origins}`, where hash is
 * the SHA-256 of the key in hex and the lists may be left out.
 * @param name of the file, for messages
 * @throws KeyFileError
 */
export function parseKeyFile(text: string, name: string): ApiKey[] {
  const entries = parseText(text, name)
  if (!Array.isArray(entries)) throw new KeyFileError(`${name}: a list of keys expected`)
  const keys = entries.map((entry, index) => parseKey(entry, `${name}: key ${index + 1}`))
  const ids = new Set<string>()
  const hashes = new Set<string>()
  for (const { id, hash } of keys) {
    if (ids.has(id)) throw new KeyFileError(`${name}: the id ${id} is there twice`)
    if (hashes.has(hash.toString('hex'))) throw new KeyFileError(`${name}: the key of ${id} is there twice`)
    ids.add(id)
    hashes.add(hash.toString('hex'))
  }
  return keys
}

function parseText(text: string, name: string): unknown {
  try {
    return parse(text) as unknown
  } catch (error) {
    const reason = error instanceof YAMLError ? error.message : String(error)
    throw new KeyFileError(`${name}: ${reason}`, { cause: error })
  }
}

function parseKey(entry: unknown, where: string): ApiKey {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new KeyFileError(`${where}: id and hash expected`)
  }
  const unknown = Object.keys(entry).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) {
    // Its value could be the key itself, so it is not shown.
    throw new KeyFileError(`${where}: unknown member ${unknown}; write the SHA-256 of the key as hash`)
  }
  const { id, hash, methods, modules, origins } = entry as Record<string, unknown>
  if (typeof id !== 'string' || id === '') throw new KeyFileError(`${where}: id expected`)
  if (typeof hash !== 'string' || !HASH.test(hash)) {
    throw new KeyFileError(`${where}: hash of 64 hex digits expected`)
  }
  return {
    id,
    hash: Buffer.from(hash.replace(/^0x/, ''), 'hex'),
    methods: parseNames(methods, `${where}: methods`),
    modules: parseNames(modules, `${where}: modules`),
    origins: parseNames(origins, `${where}: origins`),
  }
}

function parseNames(value: unknown, where: string): ReadonlySet<string> | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    throw new KeyFileError(`${where}: a list of texts expected`)
  }
  return new Set(value)
}
