import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContractFactory, type InterfaceAbi, JsonRpcProvider, Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { type Abi, createPublicClient, createWalletClient, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { METHODS } from '../../src/rpc/methods.ts'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { SocketClient } from '../support/socketClient.ts'

const KEYS = { ada: 'ada-key-5f1c77', bob: 'bob-key-9e02b1', eve: 'eve-key-31d0aa' } as const
const PUBLIC_MODULES = ['eth', 'net', 'rpc', 'rsk', 'trace', 'web3']
const REFUSAL = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'missing or unknown API key' } }

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Writes a file of keys in one step, as an operator does. */
function writeKeys(
  path: string,
  entries: readonly (readonly [name: keyof typeof KEYS, more: string])[],
): void {
  const hash = (key: string) => createHash('sha256').update(key).digest('hex')
  const lines = entries.map(([name, more]) => `- {id: ${name}-id, hash: ${hash(KEYS[name])}${more}}`)
  writeFileSync(`${path}.new`, lines.join('\n'))
  renameSync(`${path}.new`, path)
}

async function openHosted(t: Test) {
  const folder = t.testdir({ data: {} })
  const keysFile = join(folder, 'keys.yaml')
  writeKeys(keysFile, [
    ['ada', ''],
    ['bob', ', modules: [net], methods: [eth_chainId], origins: ["https://app.example"]'],
  ])
  const node = await startNode({
    dataDir: join(folder, 'data'),
    path: `/${KEYS.ada}`,
    args: ['--profile', 'hosted', '--keys-file', keysFile, '--log-level', 'trace', '--log-format', 'json'],
  })
  t.teardown(() => node.stop())
  const { origin, port } = new URL(node.url)
  const ask = async (path: string, method: string, params: readonly unknown[] = [], headers: object = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    })
    return { status: response.status, answer: (await response.json()) as Answer }
  }
  return { node, keysFile, port: Number(port), ask }
}

t.test('clients deploy on a hosted node as it comes', async (t) => {
  const node = await startNode({ dataDir: t.testdir(), args: ['--profile', 'hosted', '--mining'] })
  t.teardown(() => node.stop())
  const { abi, bytecode } = readArtefact('Token')
  const account = privateKeyToAccount(COW_KEY)
  const transport = http(node.url)
  const reader = createPublicClient({ transport, pollingInterval: 50 })
  const deployment = { abi: abi as Abi, bytecode, args: [1000n], chain: null }
  const hash = await createWalletClient({ account, transport }).deployContract(deployment)
  t.match(await reader.waitForTransactionReceipt({ hash }), { status: 'success', contractAddress: /^0x/ })
  const provider = new JsonRpcProvider(node.url, REGTEST_CHAIN_ID, {
    staticNetwork: true,
    pollingInterval: 50,
  })
  t.teardown(() => provider.destroy())
  const signer = new Wallet(COW_KEY, provider)
  const made = await new ContractFactory(abi as InterfaceAbi, bytecode, signer).deploy(1000n)
  t.match(await made.deploymentTransaction()?.wait(), { status: 1 })
})

t.test('a hosted node with API keys', async (t) => {
  const { node, keysFile, port, ask } = await openHosted(t)
  const asAda = async (method: string, ...params: unknown[]) =>
    (await ask(`/${KEYS.ada}`, method, params)).answer

  await t.test('a key is asked for', async (t) => {
    t.match(await ask(`/${KEYS.ada}`, 'eth_chainId'), { status: 200, answer: { result: '0x21' } })
    t.match(await ask(`/v1/${KEYS.ada}`, 'eth_chainId'), { status: 200 })
    for (const path of ['/', '/wrong', `/${KEYS.eve}`, `/${KEYS.ada}/x`, `/?key=${KEYS.ada}`]) {
      t.same(await ask(path, 'eth_chainId'), { status: 401, answer: REFUSAL }, path)
    }
    t.same(await ask('/', 'eth_chainId', [], { authorization: `Bearer ${KEYS.ada}` }), {
      status: 401,
      answer: REFUSAL,
    })
    await t.rejects(SocketClient.open(port), /401/)
    await t.rejects(SocketClient.open(port, '/wrong'), /401/)
    const client = createPublicClient({ transport: http(node.url) })
    t.equal(await client.getChainId(), 33)
    const watching = createPublicClient({ transport: webSocket(node.url.replace('http', 'ws')) })
    t.equal(await watching.getBlockNumber(), 0n)
    ;(await watching.transport.getRpcClient()).close()
  })

  await t.test('a key opens what it names, for the pages that it names', async (t) => {
    const asBob = (method: string, headers = {}) => ask(`/${KEYS.bob}`, method, [], headers)
    t.match((await asBob('net_version')).answer, { result: '33' })
    t.match((await asBob('eth_chainId')).answer, { result: '0x21' })
    t.match((await asBob('eth_blockNumber')).answer, { error: { code: -32601 } })
    t.match(await asBob('net_version', { origin: 'https://app.example' }), { status: 200 })
    t.match(await asBob('net_version', { origin: 'https://evil.example' }), { status: 401 })
  })

  await t.test('only public methods are open', async (t) => {
    t.same(Object.keys((await asAda('rpc_modules')).result as object), PUBLIC_MODULES)
    const { methods } = (await asAda('rpc.discover')).result as { methods: { name: string }[] }
    const told = new Set(methods.map(({ name }) => name))
    const moduleOf = (name: string) => (/^(ext|rsk)_/.test(name) ? 'rsk' : (name.split(/[_.]/, 1)[0] ?? ''))
    for (const { name, aliases, audience } of METHODS) {
      const isPublic = audience === 'public' && PUBLIC_MODULES.includes(moduleOf(name))
      for (const known of [name, ...aliases]) {
        const { error } = await asAda(known)
        const isClosed = error?.code === -32601
        // These need a wallet, a miner's work or a WebSocket, which are not there.
        if (/^eth_(getWork|submit|subscribe|unsubscribe|sign)/.test(known)) continue
        t.equal(isClosed, !isPublic, known)
        t.equal(told.has(known), isPublic, `rpc.discover: ${known}`)
      }
    }
  })

  await t.test('no keys, and nothing left to guess', async (t) => {
    t.same((await asAda('eth_accounts')).result, [])
    t.same((await asAda('eth_pendingTransactions')).result, [])
    for (const method of ['eth_sign', 'eth_sendTransaction', 'eth_signTransaction']) {
      const params = method === 'eth_sign' ? [COW_ADDRESS, '0x00'] : [{ from: COW_ADDRESS, to: COW_ADDRESS }]
      t.match(await asAda(method, ...params), {
        error: { code: /-32601|-32602/, message: /wallet|available/ },
      })
    }
    const missing = { error: { code: -32602, message: 'method parameters invalid' } }
    t.match(await asAda('eth_call', { to: COW_ADDRESS }), missing)
    t.match(await asAda('eth_getCode', COW_ADDRESS), missing)
    t.match(await asAda('eth_call', { to: COW_ADDRESS }, 'latest'), { result: '0x' })
    t.match(await asAda('eth_getCode', COW_ADDRESS, 'latest'), { result: '0x' })
    t.match(await asAda('eth_estimateGas', { to: COW_ADDRESS }), { result: '0x5208' })
    t.match(await asAda('eth_getBalance', COW_ADDRESS), { result: /^0x/ })
  })

  await t.test('the file is followed; a socket ends with its key', async (t) => {
    const socket = await SocketClient.open(port, `/${KEYS.ada}`)
    t.match(await socket.ask('eth_chainId'), { result: '0x21' })
    const closed = once(socket.socket, 'close')
    writeKeys(keysFile, [['eve', '']])
    for (
      let tries = 0;
      tries < 200 && (await ask(`/${KEYS.eve}`, 'eth_chainId')).status !== 200;
      tries += 1
    ) {
      await sleep(50)
    }
    t.match(await ask(`/${KEYS.eve}`, 'eth_chainId'), { status: 200 })
    t.same(await ask(`/${KEYS.ada}`, 'eth_chainId'), { status: 401, answer: REFUSAL })
    t.equal((await closed)[0], 1008)
    writeFileSync(keysFile, 'not a list')
    await node.untilPrinted('the API keys from before stay valid')
    t.match(await ask(`/${KEYS.eve}`, 'eth_chainId'), { status: 200 })
  })

  await t.test('no key is ever written', async (t) => {
    const { stdout, stderr } = await node.stop()
    t.match(stdout + stderr, /the API keys were read again/)
    for (const key of Object.values(KEYS)) t.notOk((stdout + stderr).includes(key), key)
  })
})

t.test('control over the chain is not offered beyond the machine unless insisted on', async (t) => {
  const dataDir = join(t.testdir({ data: {} }), 'data')
  const start = ['start', '--data-dir', dataDir, '--http-port', '0', '--host', '0.0.0.0']
  const refused = await runInProcess(start)
  t.equal(refused.code, 1)
  t.match(refused.stderr, /^error: on 0\.0\.0\.0 everybody .* --allow-remote-control$/m)
  t.notMatch(refused.stderr, /\n +at /)
  const keyless = await runInProcess([
    ...start,
    '--profile',
    'hosted',
    '--keys-file',
    join(dataDir, 'absent'),
  ])
  t.equal(keyless.code, 1)
  t.match(keyless.stderr, /^error: cannot read /m)
  for (const args of [['--profile', 'hosted'], ['--allow-remote-control']]) {
    const node = await startNode({ dataDir, args: ['--host', '0.0.0.0', ...args] })
    t.teardown(() => node.stop('SIGKILL'))
    t.equal(await node.request('eth_chainId'), '0x21', args.join(' '))
    await node.stop()
  }
})
