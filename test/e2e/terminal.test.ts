import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { runCommand } from '../support/cli.ts'
import { JsonRpcError, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const NOISY = readArtefact('Noisy')
const FAILURES = readArtefact('Failures')
const TOKEN_GAS = '0x200000'
/** Gives what it runs a terminal, whose output is its own. */
const ON_TERMINAL = ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))']

type Contract = typeof NOISY

/** A Foundry project with a built contract. */
function foundryProject(folder: string, ...contracts: readonly Contract[]): string {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'foundry.toml'), '[profile.default]\nout = "out"\n')
  for (const contract of contracts) build(project, contract)
  return project
}

/** Writes an artifact as `forge build` does. */
function build(project: string, { contract, abi, bytecode, deployedBytecode }: Contract): void {
  const folder = join(project, 'out', `${contract}.sol`)
  mkdirSync(folder, { recursive: true })
  const artifact = { abi, bytecode: { object: bytecode }, deployedBytecode: { object: deployedBytecode } }
  writeFileSync(join(folder, `${contract}.json`), JSON.stringify(artifact))
}

async function start(t: Test, folder: string, args: readonly string[], under: readonly string[] = []) {
  const node = await startNode({ dataDir: join(folder, 'data'), args: ['--workers', '1', ...args], under })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

function dataOf({ abi }: Contract, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: abi as Abi, functionName, args })
}

function send(node: NodeProcess, transaction: object): Promise<string> {
  return node.request('eth_sendTransaction', [{ from: COW_ADDRESS, gas: TOKEN_GAS, ...transaction }])
}

async function deploy(node: NodeProcess, contract: Contract, args: readonly unknown[]): Promise<string> {
  const { abi, bytecode } = contract
  const hash = await send(node, { data: encodeDeployData({ abi: abi as Abi, bytecode, args }) })
  const receipt = await node.request<{ contractAddress: string }>('eth_getTransactionReceipt', [hash])
  return receipt.contractAddress
}

/** The last report of a method so far: its title and everything below it. */
function reportOf(node: NodeProcess, method: string): string {
  const reports = node.output().split(`${method}\n`)
  return reports.length < 2 ? '' : (reports.at(-1)?.split('\n\n\n')[0] ?? '')
}

t.test('a developer reads what transactions and calls did', async (t) => {
  const folder = testFolder(t)
  const project = foundryProject(folder, NOISY, FAILURES)
  const args = ['--project', project, '--verbosity', 'transactions', '--log-format', 'pretty']
  const node = await start(t, folder, args)
  const noisy = await deploy(node, NOISY, [5n, 'Ann'])
  const failures = await deploy(node, FAILURES, [])
  await node.untilPrinted('Contract deployment: Failures()')

  t.match(node.output(), /^eth_sendTransaction\n {2}Contract deployment: Noisy\(5, "Ann"\)\n/m)
  t.ok(node.output().includes(`  Contract address:    ${noisy}\n`))
  t.ok(node.output().includes('  console.log:\n    made Ann\n'))

  const hash = await send(node, { to: noisy, data: dataOf(NOISY, 'add', [7n]), value: '0x0' })
  await node.untilPrinted('Noisy.add(7)')
  const block = await node.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
  const { gasUsed } = await node.request<{ gasUsed: string }>('eth_getTransactionReceipt', [hash])
  t.equal(
    reportOf(node, 'eth_sendTransaction'),
    [
      '  Contract call:       Noisy.add(7)',
      `  Transaction:         ${hash}`,
      `  From:                ${COW_ADDRESS}`,
      `  To:                  ${noisy}`,
      '  Value:               0 RBTC',
      `  Gas used:            ${BigInt(gasUsed)} of ${BigInt(TOKEN_GAS)}`,
      `  Block #3:            ${block.hash}`,
      '',
      '  console.log:',
      `    adding 7 for ${COW_ADDRESS}`,
      '    inside',
      // A contract moves nobody's cursor.
      '    \\u001b[31mred',
      '',
      '',
    ].join('\n'),
  )

  const failing: readonly (readonly [
    contract: Contract,
    address: string,
    method: string,
    args: unknown[],
    said: string,
  ])[] = [
    [FAILURES, failures, 'withReason', ['not today'], "reverted with reason string 'not today'"],
    [
      FAILURES,
      failures,
      'divide',
      [1n, 0n],
      'reverted with panic code 0x12 (Division or modulo division by zero)',
    ],
    [
      NOISY,
      noisy,
      'add',
      [700n],
      `reverted with custom error 'TooMuch(700, (most: 100, holders: [${COW_ADDRESS}]))'`,
    ],
    [FAILURES, failures, 'withoutData', [], 'reverted without a reason'],
    [FAILURES, failures, 'invalidOpcode', [], 'invalid opcode: INVALID'],
  ]
  for (const [contract, to, method, args, said] of failing) {
    const data = dataOf(contract, method, args)
    await send(node, { to, data })
    await node.untilPrinted(`${contract.contract}.${method}(`)
    await node.untilPrinted(`Error: ${said}\n`)
    t.ok(reportOf(node, 'eth_sendTransaction').includes(`  Error: ${said}`), said)
    const call = { from: COW_ADDRESS, to, data }
    await t.rejects(node.request('eth_call', [call, 'latest']), JsonRpcError)
    await t.rejects(node.request('eth_estimateGas', [call]), JsonRpcError)
  }
  await t.rejects(send(node, { to: noisy, gas: '0x10' }), JsonRpcError)
  await node.untilPrinted("Error: transaction's basic cost is above the gas limit")
  const tooMuch = await send(node, { to: noisy, gas: '0x989680' }).catch((error: unknown) => error)
  t.match(tooMuch, {
    message: "transaction's gas limit of 10000000 is higher than the block's gas limit of 6800000",
    data: { gas: '0x989680', transactionGasLimit: '0x67c280', blockGasLimit: '0x989680' },
  })
  await node.untilPrinted("one transaction has 6800000 of the block's 10000000 (RSKIP144); --transaction-gas")
  t.match(
    reportOf(node, 'eth_call'),
    / {2}Contract call: {7}Failures\.invalidOpcode\(\)\n[\s\S]*Error: .*invalid opcode/,
  )
  t.equal(node.output().split('eth_call\n').length - 1, failing.length)
  t.equal(node.output().split('eth_estimateGas\n').length - 1, failing.length)
  const ended = await node.stop()
  t.equal(ended.code, 0)
})

t.test('successful calls are silent but for what they print, each time and once', async (t) => {
  const folder = testFolder(t)
  const project = foundryProject(folder, NOISY)
  const args = ['--project', project, '--verbosity', 'failures', '--log-format', 'pretty']
  const node = await start(t, folder, args)
  const to = await deploy(node, NOISY, [5n, 'Ann'])
  const call = { from: COW_ADDRESS, to, data: dataOf(NOISY, 'add', [3n]) }
  const quiet = { to, data: dataOf(NOISY, 'total', []) }
  for (let time = 0; time < 3; time++) {
    await node.request('eth_call', [call, 'latest'])
    await node.request('eth_call', [quiet, 'latest'])
    await node.request('eth_estimateGas', [call])
  }
  await send(node, { to: COW_ADDRESS, value: '0x1' })
  // What failed comes last.
  await t.rejects(node.request('eth_call', [{ ...call, data: dataOf(NOISY, 'add', [700n]) }, 'latest']))
  await node.untilPrinted('Error: reverted with custom error')
  const printed = node.output()
  t.equal(printed.split('eth_call\n').length - 1, 4)
  t.equal(printed.split('eth_estimateGas\n').length - 1, 3)
  t.equal(printed.split(`    adding 3 for ${COW_ADDRESS}\n    inside\n`).length - 1, 6)
  t.equal(
    printed.split('eth_sendTransaction\n').length - 1,
    1,
    'the deployment prints, the transfer does not',
  )
})

t.test('a project is followed as it is rebuilt, and entries of the log have the same fields', async (t) => {
  const folder = testFolder(t)
  const project = foundryProject(folder)
  const node = await start(t, folder, ['--project', project, '--verbosity', 'calls', '--log-format', 'json'])
  const { abi, bytecode } = NOISY
  const data = encodeDeployData({ abi: abi as Abi, bytecode, args: [1n, 'B'] })
  await send(node, { data })
  await node.untilPrinted('a transaction was mined')
  const to = await deploy(node, NOISY, [5n, 'Ann'])
  build(project, NOISY)
  const entries = () =>
    node
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes('"part":"contracts"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  t.hasOwnProp(entries()[0] ?? {}, 'gasUsed')
  t.notMatch(entries()[0], { contract: String })
  // What was built a moment ago is found at one of the next transactions.
  let hash = ''
  for (let amount = 1n; !node.output().includes('"contract":"Noisy"'); amount++)
    hash = await send(node, { to, data: dataOf(NOISY, 'add', [amount % 100n]), value: '0x0' })
  await node.untilPrinted(hash)
  t.match(entries().at(-1), {
    level: 30,
    msg: 'a transaction was mined',
    method: 'eth_sendTransaction',
    contract: 'Noisy',
    function: /^add\(\d+\)$/,
    transaction: hash,
    from: COW_ADDRESS,
    to,
    value: '0',
    gasUsed: /^\d+$/,
    gasLimit: String(BigInt(TOKEN_GAS)),
    blockHash: /^0x[0-9a-f]{64}$/,
    console: [/^adding \d+ for 0x/, /^inside\n/],
  })
  await node.request('evm_mine')
  await node.untilPrinted('empty blocks were mined')
})

t.test('an artifact that cannot be read is told, and the others are read', async (t) => {
  const folder = testFolder(t)
  const project = foundryProject(folder, NOISY)
  const broken = join(project, 'out', 'Broken.json')
  writeFileSync(broken, '{"abi":[{"type":"func')
  // What is JSON and no artifact is nobody's mistake.
  writeFileSync(join(project, 'out', 'other.json'), '{"abi":7}')
  const node = await start(t, folder, [
    '--project',
    project,
    '--verbosity',
    'transactions',
    '--log-format',
    'json',
  ])
  const { abi, bytecode } = NOISY
  const data = encodeDeployData({ abi: abi as Abi, bytecode, args: [1n, 'B'] })
  // Files are looked at again after a second at the earliest.
  while (!node.output().includes('cannot be read')) await send(node, { data })
  await node.untilPrinted('cannot be read')
  t.match(node.output(), '"contract":"Noisy"')
  t.match(node.output(), new RegExp(`"file":"${broken}","reason":"it is no JSON"`))
})

t.test('as Hardhat, a node of that name answers why a transaction failed', async (t) => {
  const folder = testFolder(t)
  const project = foundryProject(folder, NOISY)
  const node = await start(t, folder, ['--project', project, '--client-name', 'hardhat'])
  const to = await deploy(node, NOISY, [5n, 'Ann'])
  const failures = await deploy(node, FAILURES, [])
  const refused = async (transaction: object) => {
    const error = await send(node, transaction).catch((thrown: unknown) => thrown)
    if (!(error instanceof JsonRpcError)) throw new Error('an error expected')
    const { txHash } = error.data as { txHash: string }
    const receipt = await node.request<{ status: string }>('eth_getTransactionReceipt', [txHash])
    t.equal(receipt.status, '0x0', 'it is mined')
    return error
  }
  const custom = await refused({ to, data: dataOf(NOISY, 'add', [700n]) })
  t.equal(custom.code, -32603)
  const said = `VM Exception while processing transaction: reverted with custom error 'TooMuch(700, (most: 100, holders: [${COW_ADDRESS}]))'`
  t.equal(custom.message, said)
  t.match(custom.data, { message: said, data: /^0x[0-9a-f]{8,}$/ })
  const reason = await refused({ to: failures, data: dataOf(FAILURES, 'withReason', ['no']) })
  t.equal(reason.message, "VM Exception while processing transaction: reverted with reason string 'no'")
  const nothing = await refused({ to: failures, data: dataOf(FAILURES, 'withoutData', []) })
  t.equal(nothing.message, 'Transaction reverted without a reason')
  const gas = await refused({ to: failures, data: dataOf(FAILURES, 'exhaust', []), gas: '0x10000' })
  t.equal(gas.message, 'Transaction ran out of gas')
  t.notMatch(node.output(), 'eth_sendTransaction', 'nothing is printed where there is no terminal')
  await node.request('evm_setAutomine', [false])
  t.match(await send(node, { to, data: dataOf(NOISY, 'add', [700n]) }), /^0x/, 'it is not mined yet')
})

t.test('on a terminal transactions are shown unless told otherwise', async (t) => {
  const folder = testFolder(t)
  const node = await start(t, folder, [], ON_TERMINAL)
  await send(node, { to: `0x${'11'.repeat(20)}`, value: '0xde0b6b3a7640000', gas: '0x5208' })
  await node.untilPrinted('1 RBTC')
  t.match(node.output(), '\u001b[32meth_sendTransaction\u001b[39m\r\n')
  t.match(node.output(), / {2}Gas used: {12}21000 of 21000\r\n/)
})

t.test('methods that there are not are told by name, once and at each power of ten', async (t) => {
  const folder = testFolder(t)
  const args = ['--verbosity', 'failures', '--log-format', 'pretty']
  const node = await start(t, folder, args)
  const ask = (method: string) => t.rejects(node.request(method), { code: -32601 })
  for (let time = 0; time < 25; time++) await ask('hardhat_fooBar')
  await ask('eth_feeHistory')
  await ask('evil\u001b[31m\nname')
  const post = (body: unknown) =>
    fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post([{ jsonrpc: '2.0', id: 1, method: 'in_batch' }])
  // What names no method at all is none that somebody lacks.
  await post({ jsonrpc: '2.0', id: 1 })
  for (let name = 0; name < 200; name++) await ask(`random_${name}`)
  await node.untilPrinted('other methods (100 times by now)')
  const output = node.output()
  t.equal(output.split('hardhat_fooBar').length - 1, 2)
  t.match(output, /^hardhat_fooBar\n {2}Error: method not found\n$/m)
  t.match(output, /^hardhat_fooBar \(10 times by now\)\n {2}Error: method not found\n$/m)
  t.match(
    output,
    /^eth_feeHistory\n {2}Error: .*this network takes legacy transactions: .*--legacy in Foundry\n$/m,
  )
  t.match(output, /^evil\\u001b\[31m name\n/m, 'a name moves no cursor')
  t.match(output, /^in_batch\n/m)
  t.equal(output.split('random_').length - 1, 96)
  t.equal(output.split('other methods').length - 1, 3)
  await node.request('eth_blockNumber')
})

t.test('the log has methods that there are not', async (t) => {
  const node = await start(t, testFolder(t), ['--verbosity', 'failures', '--log-format', 'json'])
  await t.rejects(node.request('eth_blobBaseFee'), { code: -32601 })
  await node.untilPrinted('a method was asked for that there is not')
  const line = node
    .output()
    .split('\n')
    .find((entry) => entry.includes('that there is not'))
  t.match(JSON.parse(line ?? ''), {
    level: 30,
    part: 'contracts',
    method: 'eth_blobBaseFee',
    times: 1,
    error: String,
  })
})

t.test('a folder that is not there is told at the start', async (t) => {
  const folder = testFolder(t)
  const args = [
    'start',
    '--data-dir',
    join(folder, 'data'),
    '--http-port',
    '0',
    '--project',
    join(folder, 'absent'),
  ]
  const ended = await runCommand(args)
  t.equal(ended.code, 1)
  t.match(ended.stderr, /--project: .*absent is no folder/)
})
