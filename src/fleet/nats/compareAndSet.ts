import type { KV } from '@nats-io/kv'
import { isConflict } from '../errors.ts'

/**
 * Writes a key when its revision is still the one that was seen.
 * @param revision 0 for a key that was never written; a removed one has the revision of its removal
 * @param timeout milliseconds
 * @returns the new revision; null when another one was there
 * @throws what the client throws when the outcome is unknown
 */
export async function compareAndSet(
  bucket: Pick<KV, 'put'>,
  key: string,
  value: string,
  revision: number,
  timeout: number,
): Promise<number | null> {
  try {
    return await bucket.put(key, value, { previousSeq: revision, timeout })
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
}
