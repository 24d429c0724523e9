import { BEYOND_HEAD, isBeyondHead } from '../../config/beyondHead.ts'
import { isRevertForm, REVERT_FORMS } from '../../config/revertForm.ts'
import { parseYaml, YamlError } from '../../util/yaml.ts'
import { type KeyLimits, type KeyRecord, LIMIT_NAMES, NO_OWN_LIMITS } from './keyRecord.ts'
import { KEYLESS_ID } from './usageRecord.ts'

/** A file of API keys that cannot be used. The message says where and why. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError'
  readonly code = 'KEYS_FILE'
}

const HASH = /^(0x)?[0-9a-fA-F]{64}$/
const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'hash',
  'name',
  'methods',
  'modules',
  'origins',
  'revertErrors',
  'beyondHead',
  ...LIMIT_NAMES,
])
const MAX_ID_CHARACTERS = 64

/**
 * Parses the API keys of a YAML or JSON file: a list of keys with `id` and `hash`, the SHA-256 of the key in hex,
 * and, where wanted, `name`, the lists `methods`, `modules` and `origins`, `revertErrors` (`reference` or `geth`), `beyondHead` (`cut` or `refuse`), and
 * the limits.
 * @param name of the file, for messages
 * @param created milliseconds since 1970
 * @throws KeyFileError
 */
export function parseKeyFile(text: string, name: string, created: number): KeyRecord[] {
  const entries = parseText(text, name)
  if (!Array.isArray(entries)) throw new KeyFileError(`${name}: a list of keys expected`)
  const keys = entries.map((entry, index) => parseKey(entry, `${name}: key ${index + 1}`, created))
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
    return parseYaml(text)
  } catch (error) {
    const reason = error instanceof YamlError ? error.message : String(error)
    throw new KeyFileError(`${name}: ${reason}`, { cause: error })
  }
}

function parseKey(entry: unknown, where: string, created: number): KeyRecord {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new KeyFileError(`${where}: id and hash expected`)
  }
  const unknown = Object.keys(entry).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) {
    // The value could be the key itself, so the message does not show it.
    throw new KeyFileError(`${where}: unknown member ${unknown}; write the SHA-256 of the key as hash`)
  }
  const {
    id,
    hash,
    name = '',
    methods,
    modules,
    origins,
    revertErrors = null,
    beyondHead = null,
    ...limits
  } = entry as Record<string, unknown>
  if (typeof id !== 'string' || id === '') throw new KeyFileError(`${where}: id expected`)
  if (id.length > MAX_ID_CHARACTERS || id.includes('\0') || id === KEYLESS_ID) {
    throw new KeyFileError(
      `${where}: id of at most ${MAX_ID_CHARACTERS} characters expected, and not ${KEYLESS_ID}`,
    )
  }
  if (typeof hash !== 'string' || !HASH.test(hash)) {
    throw new KeyFileError(`${where}: hash of 64 hex digits expected`)
  }
  if (typeof name !== 'string') throw new KeyFileError(`${where}: name: a text expected`)
  if (revertErrors !== null && !isRevertForm(revertErrors)) {
    throw new KeyFileError(`${where}: revertErrors: one of ${REVERT_FORMS.join(', ')} expected`)
  }
  if (beyondHead !== null && !isBeyondHead(beyondHead)) {
    throw new KeyFileError(`${where}: beyondHead: one of ${BEYOND_HEAD.join(', ')} expected`)
  }
  return {
    id,
    name,
    hash: Buffer.from(hash.replace(/^0x/, ''), 'hex'),
    created,
    disabled: false,
    fromFile: true,
    fromFleet: false,
    previous: null,
    methods: parseNames(methods, `${where}: methods`),
    modules: parseNames(modules, `${where}: modules`),
    origins: parseNames(origins, `${where}: origins`),
    revertErrors,
    beyondHead,
    limits: parseLimits(limits, where),
  }
}

function parseLimits(values: Readonly<Record<string, unknown>>, where: string): KeyLimits {
  const limits = { ...NO_OWN_LIMITS } as Record<keyof KeyLimits, number | null>
  for (const name of LIMIT_NAMES) {
    const value = values[name] ?? null
    if (value !== null && !(Number.isSafeInteger(value) && (value as number) >= 0)) {
      throw new KeyFileError(`${where}: ${name}: a whole number expected, 0 for no limit`)
    }
    limits[name] = value as number | null
  }
  return limits
}

function parseNames(value: unknown, where: string): ReadonlySet<string> | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    throw new KeyFileError(`${where}: a list of texts expected`)
  }
  return new Set(value)
}
