import t from 'tap'
import { NativeError } from '../../../src/native/errors.ts'
import { StoreGuard } from '../../../src/node/chainThread/storeGuard.ts'
import { StorageError } from '../../../src/storage/errors.ts'
import { isBroken, toUnwritable } from '../../../src/storage/unwritable.ts'

const full = () => Object.assign(new Error('No space left on device'), { code: 28 })

t.test('failures for want of room are told from others', (t) => {
  const reasons: [unknown, RegExp][] = [
    [full(), /the disk is full \(ENOSPC\)/],
    [Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 }), /the disk is full \(ENOSPC\)/],
    [new NativeError('Store', 'state store: Disk quota exceeded (os error 122)'), /EDQUOT/],
    [new NativeError('Store', 'state store: MDB_MAP_FULL: limit reached'), /raise --store-limit/],
    [Object.assign(new Error('MDB_MAP_FULL'), { code: -30792 }), /raise --store-limit/],
  ]
  for (const [thrown, text] of reasons)
    t.match(toUnwritable(thrown), { code: 'STORAGE_UNWRITABLE', message: text })
  const known = new StorageError('STORAGE_UNWRITABLE', 'known')
  t.equal(toUnwritable(known), known)
  for (const other of [
    new Error('x'),
    new StorageError('STORAGE_CORRUPT', 'x'),
    new NativeError('Panic', 'x'),
    null,
  ]) {
    t.equal(toUnwritable(other), null)
  }
  t.end()
})

t.test('a guard refuses until a write succeeds', async (t) => {
  let failure: Error | null = full()
  let tries = 0
  const told: (string | null)[] = []
  const recovered = new Promise<void>((resolve) => {
    const guard = new StoreGuard({
      tryWrite: async () => {
        tries += 1
        if (tries === 3) failure = null
        if (failure !== null) throw failure
      },
      onChange: (fault) => {
        told.push(fault?.message ?? null)
        if (fault === null) resolve()
      },
      onBroken: () => t.fail('nothing is broken'),
      period: 1,
    })
    t.doesNotThrow(() => guard.assertWritable())
    const other = new Error('other')
    t.equal(guard.failed(other), other)
    t.equal(guard.fault, null)
    t.match(guard.failed(failure), { code: 'STORAGE_UNWRITABLE' })
    guard.failed(full())
    t.throws(() => guard.assertWritable(), { code: 'STORAGE_UNWRITABLE' })
    t.teardown(() => guard.close())
  })
  const alive = setInterval(() => undefined, 1000)
  await recovered
  clearInterval(alive)
  t.equal(tries, 3)
  t.same(told, ['the store cannot be written: the disk is full (ENOSPC)', null])
})

t.test('a store that is of no use any more is told once, and not tried again', async (t) => {
  const chain = Object.assign(new Error('MDB_PANIC: Update of meta page failed'), { code: 22 })
  const state = new NativeError('Store', 'state store: MDB_PANIC: Update of meta page failed')
  for (const broken of [chain, state]) {
    t.equal(isBroken(broken), true)
    t.equal(toUnwritable(broken), null, 'it does not pass')
  }
  for (const other of [full(), new Error('x'), new NativeError('Store', 'x (os error 5)'), null])
    t.equal(isBroken(other), false)
  let tries = 0
  const told: unknown[] = []
  await new Promise<void>((resolve) => {
    const guard = new StoreGuard({
      tryWrite: async () => {
        tries += 1
        throw state
      },
      onChange: () => undefined,
      onBroken: (thrown) => {
        told.push(thrown)
        resolve()
      },
      period: 1,
    })
    t.teardown(() => guard.close())
    guard.failed(full())
    const alive = setInterval(() => undefined, 1000)
    t.teardown(() => clearInterval(alive))
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(told, [state])
  t.equal(tries, 1)
})
