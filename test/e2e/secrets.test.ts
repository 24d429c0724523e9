import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { METHODS } from '../../src/rpc/methods.ts'
import { createCertificate } from '../support/certificate.ts'
import { runCommand } from '../support/cli.ts'
import { JsonRpcError, startNode } from '../support/nodeProcess.ts'
import { runProgram } from '../support/program.ts'

const PRIVATE_KEY = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'
const PASSPHRASE = 'correct-horse-7731'
const COINBASE_SECRET = 'coinbase-words-5532'
/** Ten minutes, in milliseconds: longer than a slow machine needs. */
const UNLOCKED_FOR = '0x927c0'
const TRACE = ['--log-level', 'trace', '--log-format', 'json', '--workers', '1', '--slow-request-time', '1']

async function createKey(dataDir: string, id: string): Promise<string> {
  const { thrown, stdout } = await runProgram('key', 'create', '--id', id, '--data-dir', dataDir)
  if (thrown !== undefined) throw thrown
  return stdout.trim()
}

t.test('secrets stay out of logs, errors and what everybody may ask', async (t) => {
  const dataDir = join(t.testdir({ data: {} }), 'data')
  const [ada, bob] = [await createKey(dataDir, 'ada'), await createKey(dataDir, 'bob')]
  const tried = 'tried-key-99121'
  const node = await startNode({
    dataDir,
    path: `/${ada}`,
    args: [...TRACE, '--coinbase-secret', COINBASE_SECRET],
  })
  t.teardown(() => node.stop('SIGKILL'))
  const { origin } = new URL(node.url)
  const told: string[] = []
  const failure = async (method: string, ...params: unknown[]) => {
    const error = await node.request(method, params).catch((thrown: unknown) => thrown)
    t.ok(error instanceof JsonRpcError, method)
    told.push(String((error as JsonRpcError).message), JSON.stringify((error as JsonRpcError).data ?? null))
  }
  const account = await node.request<string>('personal_importRawKey', [PRIVATE_KEY, PASSPHRASE])
  t.equal(await node.request('personal_unlockAccount', [account, PASSPHRASE, UNLOCKED_FOR]), true)
  t.equal(await node.request('personal_dumpRawKey', [account]), `0x${PRIVATE_KEY}`)
  await node.request('eth_sign', [account, '0x1234'])
  await failure('personal_unlockAccount', account, `${PASSPHRASE}-wrong`, UNLOCKED_FOR)
  await failure('personal_importRawKey', `${PRIVATE_KEY}00`, PASSPHRASE)
  await failure('personal_sendTransaction', { from: account, to: account, value: 'much' }, PASSPHRASE)
  await failure('eth_sendRawTransaction', `0x${PRIVATE_KEY}`)
  await failure('eth_call', { to: account, data: 'odd' }, 'latest')
  await node.request('eth_getLogs', [{ fromBlock: '0x0' }])

  const read = async (path: string) => {
    const response = await fetch(`${origin}${path}`)
    const text = await response.text()
    told.push(text, JSON.stringify([...response.headers]))
    return { status: response.status, text }
  }
  t.match(await read('/metrics'), { status: 200, text: /rhizome_rpc_requests_total/ })
  t.equal((await read('/health')).status, 200)
  t.equal((await read('/ready')).status, 200)
  t.equal((await read('/')).status, 200)
  t.equal((await read(`/${tried}/usage`)).status, 401)
  t.equal((await read('/usage')).status, 401)
  const usage = await read(`/${ada}/usage`)
  t.match(usage, { status: 200, text: /"id":"ada"/ })
  t.notMatch(usage.text, /bob/)
  told.push(JSON.stringify(await node.request('rpc.discover')))
  told.push(JSON.stringify(await node.request('rpc_modules')))
  const wrong = await fetch(`${origin}/${tried}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  t.equal(wrong.status, 401)
  told.push(await wrong.text())
  await node.stop()

  const config = await runProgram(
    ...['config', 'show', '--data-dir', dataDir, '--coinbase-secret', COINBASE_SECRET],
  )
  t.match(config.stdout, /^coinbaseSecret: /m)
  told.push(config.stdout, config.stderr)
  const log = node.output()
  t.match(log, /"method":"personal_unlockAccount".*"caller":"ada"/, 'what was asked is in the log')
  for (const secret of [ada, bob, tried, PRIVATE_KEY, PASSPHRASE, COINBASE_SECRET]) {
    t.notOk(log.includes(secret), `${secret.slice(0, 6)}… in the log`)
    for (const text of told) t.notOk(text.includes(secret), `${secret.slice(0, 6)}… in ${text.slice(0, 60)}`)
  }
})

t.test('a key file of TLS that cannot be used is not shown', async (t) => {
  const folder = t.testdir()
  const { certificate, key } = createCertificate(folder, 'here')
  const secret = readFileSync(key, 'utf8').split('\n')[1] ?? ''
  t.ok(secret.length > 40)
  writeFileSync(key, `-----BEGIN PRIVATE KEY-----\n${secret}\nmore\n`)
  const { code, stdout, stderr } = await runCommand([
    ...['start', '--data-dir', join(folder, 'data'), '--tls-cert', certificate, '--tls-key', key],
    ...TRACE,
  ])
  t.equal(code, 1)
  t.match(stderr, key, 'the file is named')
  t.notOk(`${stdout}${stderr}`.includes(secret))
})

for (const network of ['main', 'testnet']) {
  t.test(`what changes chains at will is not on ${network}, whatever the options`, async (t) => {
    const dataDir = join(t.testdir({ data: {} }), 'data')
    const all = [
      '--profile',
      'dev',
      '--modules',
      '*',
      '--wallet',
      '--allow-remote-control',
      '--host',
      '0.0.0.0',
    ]
    const node = await startNode({ dataDir, args: ['--network', network, ...all, '--workers', '1'] })
    t.teardown(() => node.stop('SIGKILL'))
    const names = METHODS.flatMap(({ name, aliases, audience }) =>
      audience === 'dev' || /^(evm|hardhat|anvil)_/.test(name) ? [name, ...aliases] : [],
    )
    t.ok(names.length > 20, `${names.length} names`)
    for (const name of [...names, 'hardhat_reset', 'anvil_setBalance', 'evm_unknown']) {
      const error = await node.request(name, []).catch((thrown: unknown) => thrown)
      t.match(error, { code: -32601 }, name)
    }
    const discovered = await node.request<{ methods: { name: string }[] }>('rpc.discover')
    t.same(
      discovered.methods.filter(({ name }) => /^(evm|hardhat|anvil)_/.test(name)),
      [],
    )
    t.notMatch(await node.request('rpc_modules'), { evm: /./ })
    await node.stop()
  })
}
