import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkOlderRoots } from '../../../src/chain/check/checkOlderRoots.ts'
import { isOlderRootBinding, nextOlderRoot } from '../../../src/chain/olderRoots.ts'
import { EXIT_CODES } from '../../../src/cli/exitCodes.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import {
  makeOlderRootChain,
  mistakeStates,
  OLDER_ROOT_HEIGHTS,
  OLDER_ROOT_SPEC,
} from '../../support/olderRootChain.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { runProgram } from '../../support/program.ts'

const INTERVAL = 7

function heights(spec: NetworkSpec, interval?: number): number[] {
  const all: number[] = []
  for (let next = nextOlderRoot(spec, 0, interval); next !== null; next = nextOlderRoot(spec, next, interval))
    all.push(next)
  return all
}

t.test('which blocks are compared', (t) => {
  const main = networkByName('main')
  const all = heights(main)
  t.equal(all[0], 9_000)
  t.equal(all.at(-1), 1_590_999)
  const binding = all.filter((number) => isOlderRootBinding(main, number))
  t.equal(binding[0], 729_000)
  t.equal(binding[1], 739_000)
  t.equal(binding.length, 88)
  t.same(heights(REGTEST), [])
  t.same(heights(OLDER_ROOT_SPEC, INTERVAL), [3, 10, 17, 24, 29])
  t.end()
})

t.test('a difference is searched, and only reported where nothing checks roots', async (t) => {
  const open = await makeOlderRootChain(t)
  const { stateStore, chain } = open
  const looked: number[] = []
  const check = () => {
    looked.length = 0
    return checkOlderRoots({
      spec: OLDER_ROOT_SPEC,
      reader: chain.reader,
      stateStore,
      interval: INTERVAL,
      onHeight: (height) => looked.push(height),
    })
  }
  t.same(await check(), { problems: [], compared: 4, first: null, below: { compared: 1, differing: [] } })
  t.same(looked, [3, 10, 17, 24, 29])

  const found = mistakeStates(open, 19)
  const block = chain.reader.headerByNumber(19)
  const first = { number: 19, hash: block?.hash, expected: block?.fields.stateRoot, found }
  t.match(await check(), { problems: [], compared: 3, first })
  t.notSame(block?.fields.stateRoot, found)
  t.same(looked, [3, 10, 17, 24, 20, 18, 19])

  const below = chain.reader.headerByNumber(3)
  if (below === null) throw new Error('no block 3')
  stateStore.putRoot(below.hash, chain.head.fields.stateRoot)
  t.match((await check()).below, {
    compared: 1,
    differing: [{ number: 3, expected: below.fields.stateRoot }],
  })

  stateStore.putRoot(below.hash, Buffer.alloc(32, 9))
  t.match((await check()).problems, [{ number: 3, message: /missing/ }])
})

t.test('rhizome check --older-roots', async (t) => {
  const open = await makeOlderRootChain(t)
  const { dataDir } = open
  const table = join(dataDir, 'heights.json')
  writeFileSync(table, JSON.stringify(OLDER_ROOT_HEIGHTS))
  mistakeStates(open, 17)
  const hash = open.chain.reader.hashByNumber(17)?.toString('hex')
  await open.close()
  const words = ['check', '--older-roots', '--blocks', '0', '--data-dir', dataDir]
  const { code, stdout, thrown } = await runProgram(...words, '--activation-heights', table)
  t.equal(thrown, undefined, String(thrown))
  t.equal(code, EXIT_CODES.damaged)
  t.match(stdout, new RegExp(`block 17 ${hash}: .*first.*expected [0-9a-f]{64}, found [0-9a-f]{64}`))
  t.match(stdout, /state roots before RSKIP126: 2 compared, not all equal/)
  t.match(stdout, /: 1 problems/)
})

t.test('headers that name the Unitrie root, as builders of today write it, are equal', async (t) => {
  const open = await makeOlderRootChain(t)
  const header = open.chain.reader.headerByNumber(12)
  if (header === null) throw new Error('no block 12')
  const stateRoot = open.stateStore.rootFor(header.hash)
  if (stateRoot === null) throw new Error('no root')
  const reader = {
    head: () => open.chain.head,
    history: () => ({ firstBlock: 0, firstReceipts: 0, firstState: 12 }),
    headerByNumber: () => header.with({ stateRoot }),
  }
  open.stateStore.putRoot(header.with({ stateRoot }).hash, stateRoot)
  const report = await checkOlderRoots({
    spec: OLDER_ROOT_SPEC,
    reader,
    stateStore: open.stateStore,
    interval: 7,
  })
  t.match(report, { problems: [], compared: 3, first: null })
})
