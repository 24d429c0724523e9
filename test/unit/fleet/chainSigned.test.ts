import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { impersonatedSignature } from '../../../src/chain/codec/impersonated.ts'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import type { LocalNode } from '../../../src/node/localNode.ts'
import { ChainEnvironment } from '../../../src/storage/chainEnvironment.ts'
import { forgetSigned, isKnownSigned, recordWriter } from '../../../src/storage/signedChain.ts'
import { openMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'
import { LOADER, ROOT } from '../../support/sources.ts'
import { testFolder } from '../../support/testFolder.ts'

t.setTimeout(300_000)

const UNSIGNED = new Transaction({
  ...signedTransaction().fields,
  signature: impersonatedSignature(COW.address),
}).encoded
const REFUSAL = /^block 3 holds a transaction of an impersonated account/

/** A node alone on a chain of two blocks. */
async function openAlone(t: Test, dataDir: string): Promise<LocalNode> {
  const node = openLocalNode(t, { dataDir, mining: false })
  if (node.core.open.chain.head.number === 0) await node.core.mine({ count: 2 })
  return node
}

/** Why the chain may not be one of a fleet, and whether that was known without looking at its blocks. */
async function askMember(t: Test, dataDir: string): Promise<{ why: string | null; looked: number }> {
  const { core, service, close } = openMember(t, { dataDir })
  const { reader } = core.open.chain
  const { blockOf } = reader
  let looked = 0
  reader.blockOf = (reference) => {
    looked += 1
    return blockOf.call(reader, reference)
  }
  const why = await service.whyNot()
  await close()
  return { why, looked }
}

t.test('the blocks of a chain that this build wrote are not looked through', async (t) => {
  const dataDir = testFolder(t)
  const { close } = await openAlone(t, dataDir)
  await close()
  t.same(await askMember(t, dataDir), { why: null, looked: 0 })
})

t.test('a store that does not say so is looked through once', async (t) => {
  const dataDir = testFolder(t)
  const { core, close } = await openAlone(t, dataDir)
  core.open.environment.transaction(forgetSigned)
  await close()
  t.same(await askMember(t, dataDir), { why: null, looked: 2 })
  t.same(await askMember(t, dataDir), { why: null, looked: 0 })
})

t.test('an unsigned block keeps its chain out until it is taken back', async (t) => {
  const dataDir = testFolder(t)
  const edited = await openAlone(t, dataDir)
  await edited.core.sendImpersonated(UNSIGNED)
  await edited.core.mine()
  await edited.close()
  for (let start = 0; start < 2; start += 1) t.match((await askMember(t, dataDir)).why, REFUSAL)
  const { core, close } = await openAlone(t, dataDir)
  t.equal(core.open.chain.head.number, 3)
  await core.dev?.rollback(1)
  await close()
  t.same(await askMember(t, dataDir), { why: null, looked: 2 })
  t.same(await askMember(t, dataDir), { why: null, looked: 0 })
})

t.test('an unsigned block is known after a kill at any commit', async (t) => {
  const original = testFolder(t)
  const { close } = await openAlone(t, original)
  await close()
  for (const point of ['states', 'chain'] as const) {
    const dataDir = testFolder(t)
    cpSync(original, dataDir, { recursive: true })
    const { signal, stderr } = spawnSync(
      process.execPath,
      [
        ...['--import', LOADER],
        join(ROOT, 'test/faults/unsignedBlockChild.ts'),
        ...[dataDir, UNSIGNED.toString('hex'), point],
      ],
      { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
    )
    t.equal(signal ?? stderr, 'SIGKILL', point)
    const { why } = await askMember(t, dataDir)
    if (point === 'states') t.equal(why, null, 'there is no block')
    else t.match(why, REFUSAL)
  }
})

t.test('a build that does not know of the record has it count no more', async (t) => {
  const dataDir = testFolder(t)
  const { core, close } = await openAlone(t, dataDir)
  t.ok(isKnownSigned(core.open.environment))
  await close()
  const environment = new ChainEnvironment(join(dataDir, 'chain'))
  t.teardown(() => environment.close())
  environment.transaction((writer) => {
    recordWriter(writer)
    t.ok(isKnownSigned(writer), 'one that knows of it goes on with it')
    writer.put('metadata', Buffer.from('format'), Buffer.concat([Buffer.from([5]), Buffer.from('0.0.9')]))
    t.notOk(isKnownSigned(writer))
    recordWriter(writer)
    t.notOk(isKnownSigned(writer), 'also after the next one that does')
  })
})
