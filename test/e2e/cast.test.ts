import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import t from 'tap'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'

/** The binary that the registry has for this machine: the script that starts it keeps failures to itself. */
const CAST = createRequire(import.meta.url).resolve(
  `@foundry-rs/cast-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/cast`,
)
const run = promisify(execFile)
const RECEIVER = `0x${'17'.repeat(20)}`
const SENDING = ['--private-key', COW_KEY, '--legacy', '--json']

t.test('cast reads, sends, traces and decodes failures', async (t) => {
  const folder = t.testdir({ data: {}, home: {} })
  const node = await startNode({ dataDir: `${folder}/data` })
  t.teardown(() => node.stop())
  // A home of its own: settings and caches of the machine are left alone, and nothing is looked up elsewhere.
  const env = {
    ...process.env,
    HOME: `${folder}/home`,
    FOUNDRY_OFFLINE: 'true',
    ETH_RPC_URL: node.url,
    NODE_OPTIONS: '',
  }
  const cast = async (...args: string[]) => (await run(CAST, args, { env, maxBuffer: 2 ** 25 })).stdout.trim()
  const fails = (...args: string[]) =>
    cast(...args).then(
      (text) => `did not fail: ${text}`,
      (error: { stderr: string }) => error.stderr,
    )
  const deploy = async (name: 'Token' | 'Failures', ...args: string[]) => {
    const { bytecode, deployedBytecode } = readArtefact(name)
    const receipt = JSON.parse(await cast('send', ...SENDING, '--create', bytecode, ...args)) as Receipt
    t.equal(await cast('code', receipt.contractAddress), deployedBytecode, `${name} has its code`)
    return receipt.contractAddress
  }

  await t.test('reads', async (t) => {
    t.equal(await cast('chain-id'), String(REGTEST_CHAIN_ID))
    t.equal(await cast('balance', COW_ADDRESS), String(10n ** 30n))
    t.match(await cast('client'), /^Rhizome/)
    t.match(JSON.parse(await cast('block', '0', '--json')), { number: '0x0' })
  })

  const token = await deploy('Token', 'constructor(uint256)', '1000')
  const failures = await deploy('Failures')

  await t.test('a call, an estimate, a transaction, its receipt and its logs', async (t) => {
    const transfer = [token, 'transfer(address,uint256)', RECEIVER, '5']
    t.ok(Number(await cast('estimate', '--from', COW_ADDRESS, ...transfer)) > 21_000)
    const receipt = JSON.parse(await cast('send', ...SENDING, ...transfer)) as Receipt
    t.equal(receipt.status, '0x1')
    t.equal(await cast('call', token, 'balanceOf(address)(uint256)', RECEIVER), '5')
    t.match(JSON.parse(await cast('receipt', receipt.transactionHash, '--json')), {
      logs: [{ address: token }],
    })
    const logs = await cast(
      'logs',
      '--json',
      '--from-block',
      '1',
      '--address',
      token,
      'Transfer(address,address,uint256)',
    )
    t.equal((JSON.parse(logs) as unknown[]).length, 2, 'the supply and the transfer')
    t.equal(await cast('storage', token, '2'), `0x${(1000).toString(16).padStart(64, '0')}`)
    t.equal(await cast('nonce', COW_ADDRESS), '3')
    const trace = await cast(
      'rpc',
      'debug_traceTransaction',
      receipt.transactionHash,
      '{"tracer":"callTracer"}',
    )
    t.match(JSON.parse(trace), { from: COW_ADDRESS, to: token, type: 'CALL' })
    const flat = await cast('rpc', 'trace_transaction', receipt.transactionHash)
    t.match(JSON.parse(flat), [{ type: 'call', action: { to: token } }])
  })

  await t.test('a trace that cast makes itself of the state', async (t) => {
    const text = await cast('call', '--trace', '--from', COW_ADDRESS, failures, 'withBareError()')
    t.match(text, /Bare|0x[0-9a-f]{8}|Revert/i)
  })

  await t.test('reasons and data of failed calls', async (t) => {
    t.match(await fails('call', failures, 'withReason(string)', 'it is closed'), /it is closed/)
    const selector = await cast('sig', 'Refused(address,uint256,string)')
    t.match(await fails('call', failures, 'withError(uint256,string)', '7', 'no'), new RegExp(selector))
    t.match(await fails('estimate', failures, 'withReason(string)', 'no estimate'), /no estimate/)
  })

  await t.test('the newest block over a WebSocket', async (t) => {
    const url = node.url.replace('http', 'ws')
    t.equal(await cast('block-number', '--rpc-url', url), await cast('block-number'))
  })
})

interface Receipt {
  readonly contractAddress: string
  readonly transactionHash: string
  readonly status: string
}
