import { join } from 'node:path'
import t from 'tap'
import { COW_ADDRESS, COW_KEY } from '../../support/accounts.ts'
import { runCommand } from '../../support/cli.ts'
import { startNode } from '../../support/nodeProcess.ts'

t.test('start says where it is and how to stop it, and ends cleanly', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await startNode({ dataDir, args: ['--workers', '1'] })
  t.teardown(() => node.stop('SIGKILL'))
  const locked = await runCommand(['start', '--data-dir', dataDir, '--http-port', '0'])
  t.equal(locked.code, 1)
  t.match(
    locked.stderr,
    /^error: .*data.* in use.*: stop the other node, or give this one another --data-dir$/m,
  )
  await node.untilPrinted('Ctrl-C stops the node.')
  const ended = await node.stop('SIGINT')
  t.equal(ended.code, 0)
  t.match(ended.stderr, /^[^\n]*SIGINT[^\n]*the node stops[^\n]*\n$/)
  const said = ended.stdout
  t.match(said, /Network +regtest, chain id 33/)
  t.ok(said.includes(node.url))
  t.ok(said.includes(dataDir))
  t.match(said, /Mining +a block for every transaction/)
  t.ok(said.includes(`${COW_ADDRESS}  1,000,000,000,000 RBTC`))
  t.ok(said.includes(COW_KEY))
  t.equal(said.match(/^ +key 0x[0-9a-f]{64}$/gm)?.length, 10)
})
