import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { blockKey } from '../../../src/chain/tables/blockKey.ts'
import { readCanonicalHash } from '../../../src/chain/tables/heights.ts'
import { EXIT_CODES } from '../../../src/cli/exitCodes.ts'
import { ChainEnvironment, type TableWriter } from '../../../src/storage/chainEnvironment.ts'
import { readText } from '../../support/jsonLines.ts'
import { runProgram } from '../../support/program.ts'
import { vectorPath } from '../../support/vectors.ts'

const CHAIN = vectorPath('rpc/chain-main.jsonl')

t.test('import, check and export a chain', async (t) => {
  const dataDir = t.testdir()
  const imported = await runProgram('import', CHAIN, '--data-dir', dataDir)
  t.equal(imported.code, EXIT_CODES.ok, String(imported.thrown))
  t.match(imported.stdout, /68 blocks and 152 transactions imported;.* head 66;.*blocks\/s.*Mgas\/s/)
  const checked = await runProgram('check', '--full', '--data-dir', dataDir)
  t.match(checked, { code: EXIT_CODES.ok, stdout: '67 blocks, 2 side blocks, 67 states: 0 problems\n' })
  const file = join(dataDir, 'blocks.rlp')
  t.match(await runProgram('export', '--from', '1', '--to', '10', '--output', file, '--data-dir', dataDir), {
    stderr: '10 blocks exported\n',
  })
  const other = join(dataDir, 'other')
  t.match((await runProgram('import', file, '--data-dir', other)).stdout, 'head 10')
  const whole = await runProgram('export', '--to', '10', '--data-dir', other)
  t.equal(whole.code, EXIT_CODES.ok)
  t.ok(readFileSync(file).length > 0)
})

t.test('an export in the form of the reference', async (t) => {
  const dataDir = t.testdir()
  await runProgram('import', CHAIN, '--data-dir', dataDir)
  const file = join(dataDir, 'blocks.txt')
  const format = ['--format', 'reference', '--data-dir', dataDir]
  const exported = await runProgram('export', ...format, '--output', file)
  t.match(exported, { code: EXIT_CODES.ok, stderr: '66 blocks exported\n' })
  type Line = { number: number; hash: string; rlp: string; totalDifficulty: string }
  const recorded = new Map<string, Line>()
  for (const line of readText(CHAIN).trimEnd().split('\n')) {
    const block = JSON.parse(line) as Line
    recorded.set(block.hash?.slice(2), block)
  }
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  for (const [index, line] of lines.entries()) {
    const [number, hash = '', totalDifficulty, rlp] = line.split(',')
    t.equal(number, String(index + 1))
    t.equal(`0x${rlp}`, recorded.get(hash)?.rlp, `block ${number}`)
    t.match(totalDifficulty, /^(00[89a-f]|[0-7])[0-9a-f]+$/, 'the bytes of a signed number')
    t.equal(BigInt(`0x${totalDifficulty}`), BigInt(recorded.get(hash)?.totalDifficulty ?? -1))
  }
  const other = join(dataDir, 'other')
  t.match((await runProgram('import', file, '--data-dir', other)).stdout, 'head 66')
})

t.test('a chain keeps its activation heights', async (t) => {
  const dataDir = t.testdir({
    same: '{"rskip126": 0, "tbd1000": 0}',
    later: '{"rskip559": 1000}',
    latest: '{"rskip559": -1, "rskip144": 67}',
    other: '{"hop401": 5}',
  })
  const heights = (name: string) => ['--activation-heights', join(dataDir, name), '--data-dir', dataDir]
  await runProgram('import', CHAIN, '--data-dir', dataDir)
  t.equal((await runProgram('check', ...heights('same'))).code, EXIT_CODES.ok)
  t.match((await runProgram('check', ...heights('later'))).thrown, {
    message: /the chain has 66 blocks with rskip559 from block 0, expected from block 1000/,
  })
  const own = join(dataDir, 'own')
  const at = (name: string) => ['--activation-heights', join(dataDir, name), '--data-dir', own]
  const made = await runProgram('import', CHAIN, ...at('later'))
  t.match(made.stdout, 'head 66')
  t.match((await runProgram('check', '--data-dir', own)).thrown, {
    message: /rskip559 from block 1000, expected from block 0/,
  })
  t.match((await runProgram('check', ...at('other'))).thrown, {
    message: /rskip353 from block 0, expected from block 5/,
  })
  t.equal((await runProgram('check', ...at('later'))).code, EXIT_CODES.ok)
  t.match((await runProgram('check', ...at('latest'))).thrown, {
    message: /rskip144 from block 1, expected from block 67/,
  })
})

t.test('an invalid block ends the import with its rule and both values', async (t) => {
  const lines = readText(CHAIN).split('\n').slice(0, 8)
  const block = JSON.parse(lines.at(-1) ?? '') as { rlp: string; stateRoot: string; number: number }
  block.rlp = block.rlp.replace(block.stateRoot.slice(2), '00'.repeat(32))
  const dataDir = t.testdir()
  const file = join(dataDir, 'changed.jsonl')
  writeFileSync(file, [...lines.slice(0, -1), JSON.stringify(block)].join('\n'))
  const { code, stderr, stdout } = await runProgram('import', file, '--data-dir', dataDir)
  t.equal(code, EXIT_CODES.invalidBlock)
  t.match(stdout, `head ${block.number - 1}`)
  t.match(
    stderr,
    new RegExp(`invalid block ${block.number} 0x[0-9a-f]{64}\n {2}rule +\\w+\n {2}expected .+\n {2}found .+`),
  )
})

t.test('a damaged store is told by the exit code', async (t) => {
  const dataDir = t.testdir()
  await runProgram('import', CHAIN, '--data-dir', dataDir)
  const environment = new ChainEnvironment(join(dataDir, 'chain'))
  const [entry] = environment.entries('receipts')
  environment.transaction((writer) => writer.remove('receipts', entry?.key ?? Buffer.alloc(40)))
  await environment.close()
  const checked = await runProgram('check', '--data-dir', dataDir)
  t.equal(checked.code, EXIT_CODES.damaged)
  t.match(checked.stdout, /^block \d+ [0-9a-f]{64}: its receipts are missing$/m)
})

t.test('what a command meets of damage is told by the exit code, without a stack', async (t) => {
  const dataDir = t.testdir()
  await runProgram('import', CHAIN, '--data-dir', dataDir)
  const change = async (action: (writer: TableWriter, key: Buffer) => void) => {
    const environment = new ChainEnvironment(join(dataDir, 'chain'))
    const hash = readCanonicalHash(environment, 5) ?? Buffer.alloc(32)
    environment.transaction((writer) => action(writer, blockKey({ number: 5, hash })))
    await environment.close()
  }
  await change((writer, key) => writer.put('bodies', key, Buffer.from('c1ff', 'hex')))
  const damaged = await runProgram('export', '--data-dir', dataDir, '--output', join(dataDir, 'blocks'))
  t.match(damaged.thrown, {
    exitCode: EXIT_CODES.damaged,
    message: /is damaged \(.*run `rhizome check`/,
  })
  await change((writer, key) => writer.remove('bodies', key))
  const missing = await runProgram('export', '--data-dir', dataDir, '--output', join(dataDir, 'blocks'))
  t.match(missing.thrown, {
    exitCode: EXIT_CODES.damaged,
    message: /has no block 5: run `rhizome check`/,
  })
})

t.test('wrong files and directories are errors with a message', async (t) => {
  const dataDir = t.testdir({ 'text.txt': 'nothing' })
  t.match((await runProgram('import', join(dataDir, 'none'), '--data-dir', dataDir)).thrown, {
    message: /^no file/,
  })
  t.match((await runProgram('import', join(dataDir, 'text.txt'), '--data-dir', dataDir)).thrown, {
    message: /holds neither/,
  })
  t.match((await runProgram('check', '--network', 'main', '--data-dir', dataDir)).thrown, {
    message: /begins with block/,
  })
})
