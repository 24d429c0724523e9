import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'

/** A user of whom the system knows nothing but the number, as in a container that runs under any. */
const UID = 54_321
const NAMELESS = [
  'setpriv',
  '--reuid',
  String(UID),
  '--regid',
  String(UID),
  '--clear-groups',
  'env',
  '-u',
  'HOME',
]
const canBe = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
const skip = !canBe && 'another user can be had by root alone'

t.test('a user without name and home starts a node', { skip }, async (t) => {
  const folder = t.testdir()
  chmodSync(folder, 0o777)
  const node = await startNode({
    dataDir: join(folder, 'data/chain'),
    under: NAMELESS,
    args: ['--workers', '1'],
  })
  t.teardown(() => node.stop('SIGKILL'))
  t.equal((await node.stop()).code, 0)
})

t.test('without a data directory it is told what to name, where one is used', { skip }, async (t) => {
  const ended = await startCommand(['start'], NAMELESS).done
  t.equal(ended.code, 2)
  t.match(ended.stderr, /^error: this user has no home directory: [^\n]*--data-dir[^\n]*\n$/)
  const asking = await startCommand(['miners', '--url', 'http://127.0.0.1:1'], NAMELESS).done
  t.equal(asking.code, 1)
  t.match(asking.stderr, /^error: http:\/\/127\.0\.0\.1:1[^\n]*does not answer/)
})
