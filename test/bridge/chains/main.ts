/**
 * Makes a chain of random and scripted calls of the Bridge, in the form that the reference's ConnectBlocks takes:
 * `npm run ts -- test/bridge/chains/main.ts --table regtest|main|testnet --seed N --blocks N --out FILE`. Beside FILE
 * stand `FILE.heights.json` for `--activation-heights`, `FILE.conf` for the configuration of the reference and
 * `FILE.report.json`: head, state root, and transactions by method and outcome; `FILE.transactions` has each of them.
 */
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { exportBlocks } from '../../../src/chain/exportBlocks.ts'
import { referenceLine } from '../../../src/chain/referenceLine.ts'
import { createRandom } from '../../support/random.ts'
import { ChainDriver } from './driver.ts'
import { prepare, step } from './scenario.ts'
import { asActivationFile, asReferenceConfiguration, createTable, type TableName } from './tables.ts'

const { values } = parseArgs({
  options: {
    table: { type: 'string', default: 'regtest' },
    seed: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '2000' },
    out: { type: 'string', default: 'chain.csv' },
  },
})
const { out } = values
const seed = Number(values.seed)
const blocks = Number(values.blocks)
const random = createRandom(seed)
const table = createTable(tableName(values.table), blocks, random)
writeFileSync(`${out}.heights.json`, asActivationFile(table))
writeFileSync(`${out}.conf`, asReferenceConfiguration(table))

const dataDir = mkdtempSync(join(tmpdir(), 'bridge-chain-'))
const driver = new ChainDriver(dataDir, table.heights)
let failure: unknown = null
try {
  const { world, senders } = await prepare(driver, random)
  try {
    while (driver.number < blocks) await step(world, senders)
  } catch (error) {
    failure = error
  }
  const target = createWriteStream(out)
  const { reader } = driver
  for (const block of exportBlocks(reader, { from: 1, to: driver.number })) {
    target.write(referenceLine(block, reader.totalDifficulty(block.hash) ?? 0n))
  }
  target.end()
  await finished(target)
  writeFileSync(`${out}.transactions`, driver.log.join(''))
  const head = reader.head()
  const report = {
    table: values.table,
    seed,
    blocks: head.number,
    hash: reader.hashByNumber(head.number)?.toString('hex'),
    stateRoot: head.fields.stateRoot.toString('hex'),
    ...world.counts,
    contractCalls: driver.contractCalls,
    outcomes: Object.fromEntries([...driver.counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
  writeFileSync(`${out}.report.json`, `${JSON.stringify(report, null, 1)}\n`)
  process.stdout.write(`${JSON.stringify({ ...report, outcomes: undefined })}\n`)
} finally {
  await driver.close()
  rmSync(dataDir, { recursive: true })
}
if (failure !== null) throw failure

function tableName(name: string): TableName {
  if (name === 'regtest' || name === 'main' || name === 'testnet') return name
  throw new RangeError(`no table ${name}`)
}
