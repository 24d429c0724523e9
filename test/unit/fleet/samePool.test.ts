import { JetStreamApiError } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import t from 'tap'
import { assertSamePool } from '../../../src/fleet/runtime/samePool.ts'

const OPTIONS = { 'account-slots': 16, 'gas-price-bump': 40, 'account-quota': true }

function createBucket(): Pick<KV, 'get' | 'put'> {
  let value: Buffer | null = null
  return {
    get: async () => value && ({ value, revision: 1, operation: 'PUT' } as unknown as KvEntry),
    put: async (_, written) => {
      if (value !== null)
        throw new JetStreamApiError({ code: 400, err_code: 10_071, description: 'wrong last sequence' })
      value = Buffer.from(String(written))
      return 1
    },
  }
}

t.test('members whose pools are under other options are refused with what differs', async (t) => {
  const bucket = createBucket()
  await assertSamePool(bucket, OPTIONS)
  await assertSamePool(bucket, { ...OPTIONS })
  for (const [other, text] of [
    [{ ...OPTIONS, 'account-slots': 17 }, '--account-slots is 16 there and 17 here'],
    [{ ...OPTIONS, 'account-quota': false }, '--account-quota is true there and false here'],
    [{ ...OPTIONS, added: 1 }, '--added is undefined there and 1 here'],
  ] as const) {
    const error = await assertSamePool(bucket, other).catch((reason: unknown) => reason)
    t.match(error, { code: 'Differs' })
    t.match(String(error), text)
  }
})
