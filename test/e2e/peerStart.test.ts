import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NODE_KEY_FILE } from '../../src/p2p/identity/nodeKeyFile.ts'
import { startCommand } from '../support/cli.ts'
import { testFolder } from '../support/testFolder.ts'

/** Runs a node that cannot start, to its end. */
function start(dataDir: string, ...args: string[]) {
  const common = ['--peers', '--no-page', '--http-port', '0', '--p2p-host', '127.0.0.1']
  return startCommand(['start', '--data-dir', dataDir, ...common, ...args]).done
}

async function taken(t: Test): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('a port that is taken: one line says which, and what to do', async (t) => {
  const port = await taken(t)
  const { code, stderr } = await start(testFolder(t), '--p2p-port', String(port))
  t.equal(code, 1)
  t.match(stderr, `port ${port} of 127.0.0.1 is taken by another program: choose another with --p2p-port`)
  t.notMatch(stderr, /\n +at /, 'no stack')
})

t.test('a key file without a key: one line says which file and why', async (t) => {
  const dataDir = testFolder(t)
  const path = join(dataDir, NODE_KEY_FILE)
  writeFileSync(path, 'not a key\n', { mode: 0o600 })
  const { code, stderr } = await start(dataDir, '--p2p-port', '0')
  t.equal(code, 1)
  t.match(stderr, `${path} holds no key of a node`)
  t.notMatch(stderr, /\n +at /, 'no stack')
})
