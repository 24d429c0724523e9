import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { lmdbTransaction } from '../../../src/storage/lmdbTransaction.ts'

/** A store whose commits end as lmdb-js has them end. */
function storeThat(fail: (reject: (error: Error) => void) => Error) {
  return {
    childTransaction: (async () => {
      let reject: (error: Error) => void = () => undefined
      const commitError = new Promise((_resolve, refuse) => {
        reject = refuse
      })
      throw Object.assign(
        fail((error) => reject(error)),
        { commitError },
      )
    }) as never,
  }
}

t.test('a commit that fails rejects once, with its reason', async (t) => {
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)
  t.teardown(() => process.off('unhandledRejection', onUnhandled))
  const store = storeThat((reject) => {
    queueMicrotask(() => reject(Object.assign(new Error('No space left on device'), { code: 28 })))
    return new Error('Commit failed (see commitError for details)')
  })
  await t.rejects(
    lmdbTransaction(store, () => undefined),
    { message: 'No space left on device', code: 28 },
  )
  await setImmediate()
  t.same(unhandled, [])
})

t.test('a reason that never comes is not waited for', async (t) => {
  const store = storeThat(() => new Error('Commit failed (see commitError for details)'))
  await t.rejects(
    lmdbTransaction(store, () => undefined),
    { message: /^Commit failed/ },
  )
})

t.test('what the action throws comes as it is', async (t) => {
  const error = new Error('of the action')
  const store = { childTransaction: (async () => Promise.reject(error)) as never }
  t.equal(await lmdbTransaction(store, () => undefined).catch((thrown: unknown) => thrown), error)
})
