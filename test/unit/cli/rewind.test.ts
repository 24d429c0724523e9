import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeHistory } from '../../../src/chain/tables/metadata.ts'
import { EXIT_CODES } from '../../../src/cli/exitCodes.ts'
import { lockDirectory } from '../../../src/native/directoryLock.ts'
import { ChainEnvironment } from '../../../src/storage/chainEnvironment.ts'
import { runProgram } from '../../support/program.ts'
import { vectorPath } from '../../support/vectors.ts'

const CHAIN = vectorPath('rpc/chain-main.jsonl')

t.test('the chain goes back, is whole, and comes again', async (t) => {
  const dataDir = t.testdir()
  const at = ['--data-dir', dataDir]
  await runProgram('import', CHAIN, ...at)
  const back = await runProgram('rewind', '--to', '40', ...at)
  t.equal(back.code, EXIT_CODES.ok, String(back.thrown))
  t.match(back.stdout, /^26 blocks taken back; head 40 0x[0-9a-f]{64}\n$/)
  t.match(await runProgram('check', '--full', ...at), {
    code: EXIT_CODES.ok,
    stdout: /^41 blocks, .* 0 problems\n$/,
  })
  t.match(await runProgram('rewind', '--to', '40', ...at), {
    code: EXIT_CODES.ok,
    stdout: '0 blocks taken back; head 40',
  })
  const file = join(dataDir, 'blocks.rlp')
  t.match(await runProgram('export', '--output', file, ...at), { stderr: '40 blocks exported\n' })
  t.match((await runProgram('import', CHAIN, ...at)).stdout, 'head 66')
  t.match(await runProgram('check', '--full', ...at), {
    code: EXIT_CODES.ok,
    stdout: '67 blocks, 2 side blocks, 67 states: 0 problems\n',
  })
  t.match((await runProgram('rewind', '--to', '0', ...at)).stdout, '66 blocks taken back; head 0')
})

t.test('what cannot be is refused, and nothing is changed', async (t) => {
  const dataDir = t.testdir()
  const at = ['--data-dir', dataDir]
  t.match((await runProgram('rewind', '--to', '1', ...at)).thrown, { message: /holds no chain/ })
  t.same(readdirSync(dataDir), [])
  await runProgram('import', CHAIN, ...at)
  t.match((await runProgram('rewind', ...at)).thrown, { exitCode: EXIT_CODES.usage, message: /--to/ })
  t.ok((await runProgram('rewind', '--to', 'latest', ...at)).thrown)
  t.match((await runProgram('rewind', '--to', '67', ...at)).thrown, {
    exitCode: EXIT_CODES.usage,
    message: 'block 67 is above the head, which is block 66: nothing was changed',
  })
  const lock = lockDirectory(dataDir)
  t.match((await runProgram('rewind', '--to', '1', ...at)).thrown, { message: /in use by another process/ })
  lock?.release()
  const environment = new ChainEnvironment(join(dataDir, 'chain'))
  environment.transaction((writer) =>
    writeHistory(writer, { firstBlock: 5, firstReceipts: 20, firstState: 20 }),
  )
  await environment.close()
  t.match((await runProgram('rewind', '--to', '19', ...at)).thrown, {
    exitCode: EXIT_CODES.usage,
    message: 'block 19 is below block 20, the oldest whose state this node keeps: nothing was changed',
  })
  t.match((await runProgram('rewind', '--to', '20', ...at)).stdout, '46 blocks taken back; head 20')
})
