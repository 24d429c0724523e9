import { join } from 'node:path'
import t from 'tap'
import { compareWithChain } from '../../../src/snapshot/compareWithChain.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { importRecordedChain } from '../../support/recordedDataDir.ts'
import { makeSnapshot } from '../../support/snapshots.ts'

t.test('a manifest is compared with a chain', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  await importRecordedChain(dataDir)
  const chain = { spec: REGTEST, dataDir }
  const { manifest } = await makeSnapshot({ ...chain, folder: join(dataDir, 'snapshot'), depth: 3 })
  await t.resolves(compareWithChain(chain, manifest))
  const { number, hash } = manifest.block
  const cases = [
    [{ block: { number, hash: 'ab'.repeat(32) } }, /is [0-9a-f]{64} here, the snapshot says abab/],
    [{ block: { number: number + 1, hash } }, /block \d+ is [0-9a-f]{64} here/],
    [{ block: { number: number + 4, hash } }, /is not on this chain yet/],
    [
      { stateRoot: 'cd'.repeat(32) },
      /the state after block \d+ is [0-9a-f]{64} here, the snapshot says cdcd/,
    ],
    [{ totalDifficulty: `${manifest.totalDifficulty}0` }, /the total difficulty of block/],
  ] as const
  for (const [change, message] of cases) {
    const refusal = { code: 'SNAPSHOT_CHAIN', message }
    await t.rejects(compareWithChain(chain, { ...manifest, ...change }), refusal, String(message))
  }
})
