import { existsSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { toHex } from '../../src/util/bytes.ts'
import { runCommand } from '../support/cli.ts'
import { askNode, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { testFolder } from '../support/testFolder.ts'

/** Looks at a node that is to notice something, 100 ms from one to the next. */
const LOOKS = 300

t.setTimeout(300_000)

function send(node: NodeProcess, nonce: bigint): Promise<string> {
  return node.request('eth_sendRawTransaction', [toHex(signedTransaction({ nonce }).encoded)])
}

async function untilStatus(node: NodeProcess, expected: number): Promise<string> {
  for (let look = 0; look < LOOKS; look += 1) {
    const response = await fetch(`${node.url}/ready`)
    const body = await response.text()
    if (response.status === expected) return body
    await sleep(100)
  }
  throw new Error(`never ${expected}:\n${node.output()}`)
}

t.test('a data directory that is gone from under a node takes no writes until it is back', async (t) => {
  const folder = testFolder(t)
  const dataDir = join(folder, 'data')
  const node = await startNode({ dataDir, args: ['--block-time', '3600'] })
  t.teardown(() => node.stop('SIGKILL'))
  t.match(await send(node, 0n), /^0x/)
  renameSync(dataDir, join(folder, 'moved'))
  const refusal = { code: -32603, message: /data\.mdb was removed while the node runs/ }
  await t.rejects(send(node, 1n), refusal, 'also at once')
  await t.rejects(node.request('hardhat_setBalance', [toHex(COW.address), '0x1']), refusal)
  await t.rejects(node.request('evm_mine'), refusal)
  t.match(await untilStatus(node, 503), /data\.mdb was removed while the node runs/)
  t.match(await node.request('eth_getBalance', [toHex(COW.address), 'latest']), /^0x/, 'reads go on')
  renameSync(join(folder, 'moved'), dataDir)
  await untilStatus(node, 200)
  t.match(await send(node, 2n), /^0x/)
  rmSync(join(dataDir, 'chain'), { recursive: true })
  t.match(await untilStatus(node, 503), /chain\/data\.mdb was removed/, 'without a send')
  await t.rejects(send(node, 3n), { code: -32603, message: /chain\/data\.mdb was removed/ })
  const { code, signal } = await node.stop('SIGTERM')
  t.same([code, signal], [EXIT_CODES.ok, null])
})

t.test('a store that is cut under a node ends it with a message', async (t) => {
  for (const store of ['state', 'chain']) {
    const dataDir = join(testFolder(t), 'data')
    const first = await startNode({ dataDir })
    await first.request('hardhat_mine', ['0x10'])
    await first.stop('SIGTERM')
    const node = await startNode({ dataDir, args: ['--no-mining'] })
    t.teardown(() => node.stop('SIGKILL'))
    truncateSync(join(dataDir, store, 'data.mdb'), 8192)
    // Somebody reads a page that is gone: a block or an account that no cache has.
    for (let block = 0; block <= 16 && !node.output().includes('error:'); block += 1) {
      const at = `0x${block.toString(16)}`
      await node.request('eth_getBlockByNumber', [at, true]).catch(() => undefined)
      await node
        .request('eth_getStorageAt', [`0x${'0'.repeat(32)}01000008`, '0x1', at])
        .catch(() => undefined)
    }
    await node.untilPrinted('error: a page of a store cannot be read: its file was cut')
    const { code, signal } = await node.stop('SIGTERM')
    t.same([code, signal], [EXIT_CODES.damaged, null], store)
    t.ok(existsSync(dataDir))
  }
})

t.test('API keys that are gone open no node, and make a running one unready', async (t) => {
  const folder = testFolder(t)
  const dataDir = join(folder, 'data')
  const made = await runInProcess(['key', 'create', '--data-dir', dataDir, '--id', 'ada', '--name', 'Ada'])
  const key = /[A-Za-z0-9_-]{30,}/.exec(made.stdout)?.[0] ?? ''
  t.not(key, '', made.stdout + made.stderr)
  const node = await startNode({ dataDir, path: `/${key}` })
  t.teardown(() => node.stop('SIGKILL'))
  const root = new URL('/', node.url).href
  const ready = async (expected: number) => {
    for (let look = 0; look < LOOKS; look += 1) {
      const response = await fetch(new URL('/ready', root))
      const body = await response.text()
      if (response.status === expected) return body
      await sleep(100)
    }
    throw new Error(`never ${expected}:\n${node.output()}`)
  }
  await ready(200)
  const access = join(dataDir, 'access')
  renameSync(access, join(folder, 'moved'))
  t.match(await ready(503), /keys and usage: .*access\/data\.mdb was removed while the node runs/)
  t.match(await node.request('eth_chainId'), '0x21', 'keys hold')
  await t.rejects(askNode(root, 'eth_chainId', []), { message: /API key/ })
  t.match(await runInProcess(['key', 'create', '--data-dir', dataDir, '--id', 'eve']), {
    code: EXIT_CODES.damaged,
    stderr: /says that there were API keys/,
  })
  renameSync(join(folder, 'moved'), access)
  await ready(200)
  await node.stop('SIGTERM')
  rmSync(access, { recursive: true })
  const refused = await runCommand(['start', '--data-dir', dataDir, '--http-port', '0', '--workers', '1'])
  t.equal(refused.code, EXIT_CODES.damaged)
  t.match(refused.stderr, /access\/data\.mdb is missing, and .*keyed says that there were API keys/)
  t.notOk(existsSync(access), 'nothing was made in its place')
  const check = await runInProcess(['check', '--data-dir', dataDir])
  t.match(check, { code: EXIT_CODES.damaged, stdout: /says that there were API keys.*\n.* 1 problems/ })
})
