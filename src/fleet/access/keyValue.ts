import { AccessError } from '../../storage/access/errors.ts'
import { decodeKey, encodeKey, type KeyRecord } from '../../storage/access/keyRecord.ts'
import { parseObject } from '../parseObject.ts'

const FORMAT = 1

/** Most bytes of the record of a key: what the bucket takes. */
export const KEY_VALUE_BYTES = 64 * 1024

const PLAIN = /^[A-Za-z0-9_-]+$/
const ENCODED = /^=[A-Za-z0-9_-]+$/

/** The value of a key in its bucket, JSON. */
export function encodeKeyValue(key: KeyRecord): string {
  return JSON.stringify({ format: FORMAT, key: JSON.parse(encodeKey(key).toString('utf8')) as unknown })
}

/** The key of a value; null for one that another program wrote, or that is none. */
export function decodeKeyValue(id: string, value: Uint8Array): KeyRecord | null {
  const { format, key } = parseObject(value, KEY_VALUE_BYTES) ?? {}
  if (format !== FORMAT || typeof key !== 'object' || key === null) return null
  try {
    return { ...decodeKey(id, Buffer.from(JSON.stringify(key))), fromFile: false, fromFleet: true }
  } catch (error) {
    if (error instanceof AccessError) return null
    throw error
  }
}

/** The id of an API key as a name in a bucket, which takes fewer characters and no empty parts. */
export function bucketName(id: string): string {
  return PLAIN.test(id) ? id : `=${Buffer.from(id).toString('base64url')}`
}

/** The id that a name in a bucket stands for; null when it stands for none. */
export function idOfBucketName(name: string): string | null {
  if (PLAIN.test(name)) return name
  if (!ENCODED.test(name)) return null
  const id = Buffer.from(name.slice(1), 'base64url').toString('utf8')
  return bucketName(id) === name ? id : null
}
