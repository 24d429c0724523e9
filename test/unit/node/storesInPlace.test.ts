import { renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NativeError } from '../../../src/native/errors.ts'
import { edit, openPatient, show } from '../../faults/betweenActions.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

/** Behind the height from which on headers of regtest carry fork detection data. */
const HEIGHT = 452

// The timers of a node alone keep no process.
const awake = setInterval(() => undefined, 1000)
t.teardown(() => clearInterval(awake))

t.test('nothing is acknowledged in a data directory that is gone, until it is back', async (t) => {
  const folder = testFolder(t)
  const dataDir = join(folder, 'data')
  const faults: (string | null)[] = []
  let told: () => void = () => undefined
  const back = new Promise<void>((resolve) => {
    told = resolve
  })
  const { core } = openLocalNode(
    t,
    { dataDir, mining: false },
    {
      listener: {
        onStore: (fault) => {
          faults.push(fault?.message ?? null)
          if (fault === null) told()
        },
      },
    },
  )
  await core.sendTransaction(signedTransaction({ nonce: 0n }).encoded)
  renameSync(dataDir, join(folder, 'moved'))
  const refusal = { code: 'STORAGE_UNWRITABLE', message: /data\.mdb was removed while the node runs/ }
  await t.rejects(core.sendTransaction(signedTransaction({ nonce: 1n }).encoded), refusal)
  await t.rejects(core.sendTransaction(signedTransaction({ nonce: 2n }).encoded), refusal)
  await t.rejects(core.mine(), refusal)
  await t.rejects(edit(core, 3n), refusal)
  t.same(show(core), { height: 0, balance: 0n, edits: 0 }, 'reads go on, and nothing was edited')
  t.match(faults, [/was removed/])
  renameSync(join(folder, 'moved'), dataDir)
  await back
  await edit(core, 3n)
  t.match(show(core), { balance: 3n })
})

t.test('a store that is cut or removed is noticed without a write', async (t) => {
  for (const [lose, message] of [
    [(path: string) => rmSync(path), /chain\/data\.mdb was removed/],
    [(path: string) => truncateSync(path, 8192), /chain\/data\.mdb was cut from \d+ bytes to 8192/],
  ] as const) {
    const dataDir = testFolder(t)
    const noticed = new Promise<string>((resolve) => {
      openLocalNode(
        t,
        { dataDir, mining: false },
        { listener: { onStore: (fault) => fault !== null && resolve(fault.message) } },
      )
    })
    lose(join(dataDir, 'chain/data.mdb'))
    t.match(await noticed, message)
  }
})

t.test('an edit that is refused for want of room never takes effect', async (t) => {
  const dataDir = testFolder(t)
  let told: () => void = () => undefined
  // The node tries, and writes what waits.
  const written = new Promise<void>((resolve) => {
    told = resolve
  })
  const node = openLocalNode(
    t,
    { dataDir, mining: false },
    { listener: { onStore: (fault) => fault === null && told() } },
  )
  const { core } = node
  const { stateStore } = core.open
  await core.mine({ count: HEIGHT })
  await edit(core, 1n)
  const full = () => {
    throw new NativeError('Store', 'state store: No space left on device (os error 28)')
  }
  Object.assign(stateStore, { commit: full })
  await t.rejects(edit(core, 2n), { code: 'STORAGE_UNWRITABLE', message: /the disk is full/ })
  t.match(show(core), { balance: 1n })
  await t.rejects(edit(core, 2n), { code: 'STORAGE_UNWRITABLE', message: /the disk is full/ })
  Reflect.deleteProperty(stateStore, 'commit')
  await written
  t.match(show(core), { height: HEIGHT, balance: 1n, edits: 1 })
  await core.mine()
  t.match(show(core), { height: HEIGHT + 1, balance: 1n, edits: 1 })
  await edit(core, 4n)
  const shown = show(core)
  t.match(shown, { balance: 4n, edits: 2 })
  await node.close()
  const again = openPatient(dataDir)
  t.same(show(again.core), shown)
  await again.close()
})
